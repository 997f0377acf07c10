/** Waiting for a refresh while the service is away for a time. */

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createVitrine, type Vitrine } from "../../clients/typescript/src/index.ts";

const HEROES = "0x5fbdb2315678afecb367f032d93f642f64180aa3";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Reply = () => Response;

const receipt = (done: boolean) => (): Response =>
  Response.json({ refresh_id: "r", created_at: "", done, tokens: [] });

const refusal =
  (status: number, headers: Readonly<Record<string, string>> = {}): Reply =>
  () =>
    Response.json({ code: "REFUSED", message: "no" }, { status, headers });

const noConnection: Reply = () => {
  throw new TypeError("fetch failed");
};

/** A service that accepts every refresh; the last reply answers every further poll. */
function serviceOf(...replies: readonly Reply[]) {
  const polledAt: number[] = [];
  const fetch = async (_url: unknown, { method }: RequestInit = {}): Promise<Response> => {
    if (method === "POST") return Response.json({ refresh_id: "r" });
    const reply = replies[Math.min(polledAt.length, replies.length - 1)];
    polledAt.push(Date.now());
    return (reply ?? noConnection)();
  };
  return { client: createVitrine({ baseUrl: "http://service", fetch }), polledAt };
}

/** What a call resolves to or throws, and after how long on the clock of the test. */
async function outcomeOf(
  call: Promise<unknown>,
): Promise<{ readonly value: unknown; readonly afterMs: number }> {
  const begin = Date.now();
  const settled = call
    .catch((error: unknown) => error)
    .then((value) => ({ value, afterMs: Date.now() - begin }));
  await vi.advanceTimersByTimeAsync(3_600_000);
  return settled;
}

const calls: readonly [string, (client: Vitrine, timeoutMs: number) => Promise<unknown>][] = [
  ["refreshAndWait", (client, timeoutMs) => client.refreshAndWait(HEROES, [1n], { timeoutMs })],
  ["waitForReceipt", (client, timeoutMs) => client.waitForReceipt("r", { timeoutMs })],
];
const outages: readonly [string, Reply][] = [
  ["429", refusal(429)],
  ["502", refusal(502)],
  ["503", refusal(503, { "retry-after": "1" })],
  ["504", refusal(504)],
  ["no connection", noConnection],
];

it.each(calls.flatMap(([name, wait]) => outages.map(([what, away]) => [name, what, wait, away] as const)))(
  "%s gets past many polls with %s",
  async (_name, _what, wait, away) => {
    const { client } = serviceOf(receipt(false), ...Array(12).fill(away), receipt(true));

    expect(await outcomeOf(wait(client, 600_000))).toMatchObject({ value: { done: true } });
  },
);

it.each(calls)("%s gets past an outage before the first receipt", async (_name, wait) => {
  const { client } = serviceOf(...Array(12).fill(noConnection), receipt(true));

  expect(await outcomeOf(wait(client, 600_000))).toMatchObject({ value: { done: true } });
});

it.each(calls)("%s returns the last receipt where an outage outlasts its limit", async (_name, wait) => {
  const { client } = serviceOf(receipt(false), noConnection);

  expect(await outcomeOf(wait(client, 60_000))).toEqual({
    value: expect.objectContaining({ refresh_id: "r", done: false }),
    afterMs: 60_000,
  });
});

it.each(calls)("%s throws where no receipt has arrived by its limit", async (_name, wait) => {
  const { client } = serviceOf(noConnection);

  expect(await outcomeOf(wait(client, 60_000))).toEqual({
    value: expect.objectContaining({ code: "NETWORK", message: "No receipt within 60000 ms" }),
    afterMs: 60_000,
  });
});

it("polls no sooner than the service asks for, however long that is", async () => {
  const { client, polledAt } = serviceOf(refusal(503, { "retry-after": "240" }), receipt(true));
  const begin = Date.now();

  await outcomeOf(client.waitForReceipt("r", { timeoutMs: 600_000 }));
  expect(polledAt).toEqual([begin, begin + 240_000]);
});

it.each([401, 403, 404, 500])("throws a poll's %d at once", async (status) => {
  const { client, polledAt } = serviceOf(receipt(false), refusal(status));

  const { value } = await outcomeOf(client.waitForReceipt("r"));
  expect(value).toMatchObject({ name: "VitrineError", status });
  expect(polledAt).toHaveLength(2);
});

it("ends with the caller's reason in the middle of an outage", async () => {
  const { client, polledAt } = serviceOf(receipt(false), refusal(503, { "retry-after": "240" }));
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error("the user left")), 30_000);

  expect(await outcomeOf(client.waitForReceipt("r", { timeoutMs: 600_000, signal: abort.signal }))).toEqual({
    value: new Error("the user left"),
    afterMs: 30_000,
  });
  expect(polledAt).toHaveLength(2);
});
