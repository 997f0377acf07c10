import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  backoffMs,
  RECEIPT_TIMEOUT_MS,
  type RetryPolicy,
  recheckPolicy,
  retryAfterMs,
  retryPolicies,
} from "../../../src/api/jobs/retry-policies.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const policies: [string, RetryPolicy][] = Object.entries(retryPolicies);
const chance = (share: number) => vi.spyOn(Math, "random").mockReturnValue(share);

describe("a pause", () => {
  it.each([
    ["documentFetch", [1_000, 3_000, 9_000, 27_000, 60_000, 60_000]],
    ["nodeAway", [2_000, 4_000, 8_000, 10_000, 10_000]],
    ["mediaHostFault", [2_000, 4_000, 8_000, 16_000, 32_000, 64_000]],
    ["mediaUrlFault", [1, 2, 4, 8, 16, 30, 30].map((days) => days * 86_400_000)],
    ["hostPause", [10, 20, 40, 80, 160, 320, 600, 600].map((seconds) => seconds * 1_000)],
    ["gatewayPause", [60_000, 60_000]],
  ] as const)("of %s grows from failure to failure, to its maximum", (name, pauses) => {
    chance(0);

    expect(pauses.map((_, index) => backoffMs(retryPolicies[name], index + 1))).toEqual(pauses);
  });

  it.each(policies)(
    "of %s stays within its jitter and its maximum, after however many failures",
    (_, policy) => {
      for (const failures of [1, 2, 5, 30, 5_000]) {
        chance(0);
        const longest = backoffMs(policy, failures);
        chance(1 - Number.EPSILON);
        const shortest = backoffMs(policy, failures);

        expect(longest).toBeLessThanOrEqual(policy.maxMs);
        expect(longest).toBeGreaterThanOrEqual(policy.firstMs);
        expect(shortest / longest).toBeCloseTo(1 - policy.jitter);
      }
    },
  );

  it("is never shorter than what the host asked for", () => {
    expect(backoffMs(retryPolicies.documentFetch, 1, 90_000)).toBe(90_000);
    chance(0);
    expect(backoffMs(retryPolicies.documentFetch, 4, 1_000)).toBe(27_000);
  });
});

it.each([
  ["3", 3_000],
  ["0.5", 500],
  ["7", 4_000],
  ["Infinity", 4_000],
  ["0", 1_000],
  ["-5", 1_000],
  ["", 1_000],
  ["Fri, 31 Dec 1999 23:59:59 GMT", 1_000],
  ["Fri, 31 Dec 2199 23:59:59 GMT", 4_000],
  [null, 1_000],
  [undefined, 1_000],
])("a Retry-After of %j asks an RPC endpoint's policy for %d ms", (header, ms) => {
  expect(retryAfterMs(retryPolicies.rpcEndpoint, header)).toBe(ms);
});

describe("docs/refresh.md, Retries,", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/refresh.md"), "utf8");
  const section = page.split("\n## Retries\n")[1]?.split("\n## ")[0] ?? "";
  const rows = [...section.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, cells = ""]) => [
    name,
    ...cells.split(" | ").map((cell) => cell.trim()),
  ]);
  const duration = (ms: number): string => {
    const units = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000 };
    const [unit, size] = Object.entries(units).find(([, each]) => ms >= each) ?? ["ms", 1];
    return `${ms / size} ${unit}`;
  };
  const durations = (pauses: readonly number[]): string => pauses.map(duration).join(", ");

  it("holds the table of policies as the code has it", () => {
    expect(rows).toEqual(
      policies.map(([name, policy]) => [
        name,
        policy.appliesTo,
        Number.isFinite(policy.attempts) ? String(policy.attempts) : "no limit",
        policy.outcome,
        duration(policy.firstMs),
        String(policy.factor),
        duration(policy.maxMs),
        `${policy.jitter * 100} %`,
        policy.retryAfterMaxMs === undefined ? "" : duration(policy.retryAfterMaxMs),
      ]),
    );
  });

  it("names the rechecks and the receipt timeout as the code has them", () => {
    const { pausesMs, attempts } = recheckPolicy;

    expect(section).toContain(`\`unchanged\` after ${durations(pausesMs.slice(0, attempts.unchanged))};`);
    expect(section).toContain(`\`failed\` after ${durations(pausesMs.slice(0, attempts.failed))}.`);
    expect(section).toContain(
      `\`not_found\`, if it was burned, after ${durations(pausesMs.slice(0, attempts.burned))}.`,
    );
    expect(section).toContain(`ends as \`failed\` after ${duration(RECEIPT_TIMEOUT_MS)}`);
  });
});
