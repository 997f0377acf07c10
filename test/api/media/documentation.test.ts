/** docs/media.md matches the code. */

import { readFileSync } from "node:fs";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import {
  DECODE_PROCESSOR_MS,
  FRAME_PIXELS_MAX,
  FRAMES_MAX,
  MEDIA_BYTES_MAX,
  PIXELS_MAX,
} from "../../../src/api/media/checks/limits.ts";
import { fetchReasonTable, refusalTable } from "../../../src/api/media/checks/reasons.ts";
import { createMediaMetrics } from "../../../src/api/media/probes/metrics.ts";

const page = readFileSync(new URL("../../../docs/media.md", import.meta.url), "utf8");

describe("the page on media", () => {
  it("holds the table of reasons as the code has it", () => {
    const section = page.split("\n## Reasons\n")[1]?.split("\n## ")[0] ?? "";
    const rows = [...section.matchAll(/^\| `([a-z_]+)` \| (.+) \|$/gm)];

    expect(rows.map(([, code, meaning]) => [code, meaning])).toEqual(
      Object.entries({ ...refusalTable, ...fetchReasonTable }),
    );
  });

  it("names every limit", () => {
    const limits = page.split("## Limits")[1]?.split("\n## ")[0] ?? "";

    for (const limit of [MEDIA_BYTES_MAX, PIXELS_MAX, FRAME_PIXELS_MAX, FRAMES_MAX])
      expect(limits).toContain(` ${limit.toLocaleString("en-US")}`);
    expect(limits).toContain(` ${DECODE_PROCESSOR_MS / 1_000} seconds of a processor`);
  });

  it("names every metric, and none that is not there", () => {
    const registry = new Registry();
    createMediaMetrics(registry);

    const named = [...page.matchAll(/`(vitrine_media_\w+)/g)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(
      registry
        .getMetricsAsArray()
        .map(({ name }) => name)
        .toSorted(),
    );
  });
});
