/** What a fetch says about its host's capacity. */

import { expect, it } from "vitest";
import type { Resolution } from "../../../src/api/metadata/uri/resolve.ts";
import { signalFrom } from "../../../src/api/refresh/worker/worker.ts";

const read = { uri: "https://host.example/1", block: 1, durationMs: 20, host: "host.example" };
const failed = (
  reason: "http_status" | "unreachable" | "invalid_json",
  transient: boolean,
  status?: number,
) =>
  ({
    ...read,
    kind: "failed",
    reason,
    message: "",
    transient,
    ...(status !== undefined && { status }),
  }) satisfies Resolution;

it.each([
  [
    "the same document as before",
    { ...read, kind: "not_modified", hash: "" } as const,
    "answered",
    "answered",
  ],
  ["a 404", failed("http_status", false, 404), "answered", undefined],
  ["no JSON", failed("invalid_json", false), "answered", undefined],
  ["a 429", failed("http_status", true, 429), "refused", undefined],
  ["a 503", failed("http_status", true, 503), "unavailable", undefined],
  ["no answer", failed("unreachable", true), "failed", undefined],
])("%s", (_, resolution, known, unproven) => {
  expect(signalFrom({ isUnproven: false }, resolution)).toBe(known);
  // Anybody may name any number of tokens whose documents are missing, on a host that answers slowly.
  expect(signalFrom({ isUnproven: true }, resolution)).toBe(unproven);
});
