/** What the client makes of a Retry-After. */

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createVitrine } from "../../clients/typescript/src/index.ts";

const NOW = Date.parse("2026-01-31T12:00:00Z");

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const refusal = (retryAfter: string): Response =>
  Response.json(
    { code: "RATE_LIMITED", message: "later" },
    { status: 429, headers: { "retry-after": retryAfter } },
  );

it.each([
  ["0", 0],
  ["120", 120_000],
  ["Sat, 31 Jan 2026 12:02:00 GMT", 120_000],
  ["Sat, 31 Jan 2026 11:59:59 GMT", 0],
  ["Saturday, 31-Jan-26 12:02:00 GMT", 120_000],
  ["-1", undefined],
  ["+1", undefined],
  ["1.5", undefined],
  ["120.5", undefined],
  ["1e3", undefined],
  ["0x10", undefined],
  ["1, 2", undefined],
  ["2026-01-31", undefined],
  ["2026-01-31T12:02:00Z", undefined],
  ["Sat, 31 Jan 2026 12:02:00", undefined],
  ["Sat, 99 Jan 2026 12:02:00 GMT", undefined],
  ["Sat, -1 GMT", undefined],
  ["soon", undefined],
  ["", undefined],
])("an error's retryAfterMs is what %j asks for: %s", async (header, retryAfterMs) => {
  const client = createVitrine({ baseUrl: "http://service", retries: 0, fetch: async () => refusal(header) });

  await expect(client.token("heroes", 7n)).rejects.toMatchObject({ status: 429, retryAfterMs });
});

it.each(["-1", "1.5", "120.5", "Sat, -1 GMT"])(
  "%j leaves the growing delay between attempts",
  async (header) => {
    const askedAt: number[] = [];
    const fetch = async (): Promise<Response> => {
      askedAt.push(Date.now());
      return refusal(header);
    };
    const failed = expect(
      createVitrine({ baseUrl: "http://service", fetch }).token("heroes", 7n),
    ).rejects.toMatchObject({ status: 429 });
    await vi.runAllTimersAsync();
    await failed;

    const delays = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0));
    expect(delays).toHaveLength(3);
    for (const [attempt, delay] of delays.entries()) expect(delay).toBeGreaterThanOrEqual(125 * 2 ** attempt);
  },
);
