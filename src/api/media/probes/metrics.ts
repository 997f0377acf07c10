/** The media module's Prometheus metrics. Labels contain no hosts and no collections: /metrics is public. */

import { Counter, Histogram, type Registry } from "prom-client";
import type { MediaReason } from "../checks/reasons.ts";
import type { MediaKind } from "../media-store.ts";

/** The outcome of a probe. `failed` is retried. */
export type ProbeOutcome = "accepted" | "same" | "rejected" | "failed";

export interface MediaMetrics {
  /** A body was read completely. */
  fetched(kind: MediaKind, bytes: number): void;
  /** `reason` is set when there is nothing to show. */
  probed(kind: MediaKind, outcome: ProbeOutcome, seconds: number, reason?: MediaReason): void;
  /** An image went through the decoder, whatever the result. */
  rendered(seconds: number): void;
  /** A decoder died or was killed on a file. */
  decoderLost(): void;
}

export const noMetrics: MediaMetrics = { fetched() {}, probed() {}, rendered() {}, decoderLost() {} };

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Replaces metrics that an earlier start in the same process registered. */
export function createMediaMetrics(registry: Registry): MediaMetrics {
  const names = {
    probes: "vitrine_media_probes_total",
    rejections: "vitrine_media_rejections_total",
    bytes: "vitrine_media_fetched_bytes_total",
    probeSeconds: "vitrine_media_probe_duration_seconds",
    renderSeconds: "vitrine_media_render_duration_seconds",
    losses: "vitrine_media_decoder_losses_total",
  };
  for (const name of Object.values(names)) registry.removeSingleMetric(name);
  const registers = [registry];
  const probes = new Counter({
    name: names.probes,
    help: "Probes of images, videos and animations, by outcome",
    labelNames: ["kind", "outcome"],
    registers,
  });
  const rejections = new Counter({
    name: names.rejections,
    help: "Probes that found nothing to show, by reason",
    labelNames: ["kind", "reason"],
    registers,
  });
  const bytes = new Counter({
    name: names.bytes,
    help: "Bytes of images, videos and pages that were read",
    labelNames: ["kind"],
    registers,
  });
  const probeSeconds = new Histogram({
    name: names.probeSeconds,
    help: "Time per probe, including the fetch",
    labelNames: ["kind"],
    buckets: SECONDS,
    registers,
  });
  const renderSeconds = new Histogram({
    name: names.renderSeconds,
    help: "Time per image in the decoder, including the wait for it",
    buckets: SECONDS,
    registers,
  });
  const losses = new Counter({
    name: names.losses,
    help: "Decoders that died or were killed while decoding a file",
    registers,
  });

  return {
    fetched: (kind, count) => bytes.inc({ kind }, count),
    probed(kind, outcome, seconds, reason) {
      probes.inc({ kind, outcome });
      if (outcome === "rejected") rejections.inc({ kind, reason: reason ?? "none" });
      probeSeconds.observe({ kind }, seconds);
    },
    rendered: (seconds) => renderSeconds.observe(seconds),
    decoderLost: () => losses.inc(),
  };
}
