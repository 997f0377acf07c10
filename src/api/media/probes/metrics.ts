/** The media module's Prometheus metrics. Labels contain no hosts and no collections: /metrics is public. */

import { Counter, Histogram, type Registry } from "prom-client";
import { metricOptions } from "../../http/metric-options.ts";
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

export function createMediaMetrics(registry: Registry): MediaMetrics {
  const named = metricOptions(registry);
  const probes = new Counter(
    named(
      "vitrine_media_probes_total",
      "Probes of images, videos and animations, by outcome",
      "kind",
      "outcome",
    ),
  );
  const rejections = new Counter(
    named("vitrine_media_rejections_total", "Probes that found nothing to show, by reason", "kind", "reason"),
  );
  const bytes = new Counter(
    named("vitrine_media_fetched_bytes_total", "Bytes of images, videos and pages that were read", "kind"),
  );
  const probeSeconds = new Histogram({
    ...named("vitrine_media_probe_duration_seconds", "Time per probe, including the fetch", "kind"),
    buckets: SECONDS,
  });
  const renderSeconds = new Histogram({
    ...named(
      "vitrine_media_render_duration_seconds",
      "Time per image in the decoder, including the wait for it",
    ),
    buckets: SECONDS,
  });
  const losses = new Counter(
    named("vitrine_media_decoder_losses_total", "Decoders that died or were killed while decoding a file"),
  );

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
