import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { createMediaMetrics } from "../../../src/api/media/probes/metrics.ts";
import { eventually } from "../../support/eventually.ts";
import { createMediaHarness } from "./media-harness.ts";
import { png } from "./pictures.ts";

const { answers, server, enqueue, settled, startWorker } = await createMediaHarness();

describe("the metrics", () => {
  it("report what was fetched, what was rejected and why, and the time per image, and name no host", async () => {
    const registry = new Registry();
    // A restart within the process registers the metrics again.
    createMediaMetrics(registry);
    const body = await png(480, 480);
    answers
      .set("/good.png", { body })
      .set("/small.png", { body: await png(10, 10) })
      .set("/away.png", { status: 503, headers: { "retry-after": "600" } });
    startWorker({ metrics: createMediaMetrics(registry) });

    await enqueue(
      ...["good", "small", "gone", "away"].map((name) => ({ image: `${server.url}/${name}.png` })),
    );
    await settled();

    // A probe is counted just after it is recorded.
    const text = await eventually(
      () => registry.metrics(),
      (each) => each.includes('vitrine_media_probe_duration_seconds_count{kind="image"} 4'),
    );
    for (const line of [
      'vitrine_media_probes_total{kind="image",outcome="accepted"} 1',
      'vitrine_media_probes_total{kind="image",outcome="rejected"} 2',
      'vitrine_media_probes_total{kind="image",outcome="failed"} 1',
      'vitrine_media_rejections_total{kind="image",reason="image_too_small"} 1',
      'vitrine_media_rejections_total{kind="image",reason="http_status"} 1',
      'vitrine_media_probe_duration_seconds_count{kind="image"} 4',
      "vitrine_media_render_duration_seconds_count 2",
      "vitrine_media_decoder_losses_total 0",
    ])
      expect(text).toContain(line);
    expect(text).not.toContain("127.0.0.1");
  });
});
