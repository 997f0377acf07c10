/** The client's event stream over connections that break, stall and refuse. */

import { afterEach, describe, expect, it, vi } from "vitest";
import { createVitrine, VitrineError } from "../../clients/typescript/src/index.ts";
import { readSse } from "../../clients/typescript/src/sse.ts";
import {
  hangUp,
  json,
  refusal,
  type ScriptedService,
  type Step,
  startScriptedService,
  stream,
} from "./scripted-service.ts";

let service: ScriptedService;
afterEach(() => service?.close());
const start = async (...steps: readonly Step[]): Promise<ScriptedService> => {
  service = await startScriptedService(...steps);
  return service;
};
const lock = (id: number): string => `id: ${id}\nevent: lock\ndata: {"id":${id},"token_id":"7"}\n\n`;

const page: Step = (_request, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end("<html>\n\n<p>Sign in</p>\n\n</html>\n\n");
};

const streamed = (text: string): Response =>
  new Response(text, { headers: { "content-type": "text/event-stream" } });

/** The ids of the first events. */
async function idsOf(events: AsyncIterable<object>, count: number): Promise<unknown[]> {
  const ids: unknown[] = [];
  for await (const event of events) if (ids.push((event as { id?: number }).id) >= count) break;
  return ids;
}

describe("the event stream", () => {
  it("resumes after the last event over connections that end, break and are refused for a while", async () => {
    const refused = refusal(503, "UNAVAILABLE", { "retry-after": "0" });
    const client = (
      await start(
        stream(lock(1), lock(2)),
        hangUp,
        refused,
        stream(lock(3), "id: 9\nevent: lo"),
        stream(lock(4)),
      )
    ).client();

    expect(await idsOf(client.events(), 4)).toEqual([1, 2, 3, 4]);
    expect(service.headers.map((each) => each["last-event-id"])).toEqual([undefined, "2", "2", "2", "3"]);
    expect(service.headers[0]).toMatchObject({ accept: "text/event-stream", "x-api-key": "vk_test" });
  });

  it.each([408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529])(
    "resumes after a passing %d, of the service or of a proxy",
    async (status) => {
      const client = (await start(stream(lock(1)), json(status, "later"), stream(lock(2)))).client();

      expect(await idsOf(client.events(), 2)).toEqual([1, 2]);
      expect(service.headers[2]?.["last-event-id"]).toBe("1");
    },
  );

  it("resumes after positions that came without an event", async () => {
    const client = (await start(stream(lock(1), "id: 40\n\n: 41\n\n"), stream(lock(50)))).client();
    const events = client.events();

    await idsOf(events, 2);
    expect(service.headers[1]?.["last-event-id"]).toBe("40");
    expect(events.lastEventId).toBe("50");
  });

  it("starts after the id that the caller kept, 0 included", async () => {
    const client = (await start(stream(lock(1)))).client();

    await idsOf(client.events({ lastEventId: 0, types: ["lock", "unlock"], chainId: 1 }), 1);
    expect(service.headers[0]?.["last-event-id"]).toBe("0");
    expect(service.requests[0]).toBe("GET /market/events?type=lock%2Cunlock&chain_id=1");
  });

  it("hands over a reset as an event", async () => {
    const reset = 'id: 60\nevent: reset\ndata: {"reason":"too_old","last_event_id":1,"latest":60}\n\n';
    const client = (await start(stream(reset))).client();

    for await (const event of client.events({ lastEventId: 1 })) {
      expect(event).toEqual({ type: "reset", reason: "too_old", last_event_id: 1, latest: 60 });
      break;
    }
  });

  it.each([
    [
      "a filter that is no address",
      refusal(400, "INVALID_REQUEST"),
      { code: "INVALID_REQUEST", status: 400 },
    ],
    ["a revoked key", refusal(401, "KEY_INVALID"), { code: "KEY_INVALID", status: 401 }],
    ["a lost permission", refusal(403, "NOT_ALLOWED"), { code: "NOT_ALLOWED", status: 403 }],
    ["a page of a proxy", json(404, "nowhere"), { code: "UNEXPECTED_RESPONSE", status: 404 }],
    ["a page of a proxy that says 200", page, { code: "UNEXPECTED_RESPONSE", status: 200 }],
  ])("ends with the error of %s, also when it reconnects", async (_what, step, error) => {
    const client = (await start(stream(lock(1)), step)).client();
    const events = idsOf(client.events(), 2);

    await expect(events).rejects.toMatchObject(error);
    await expect(events).rejects.toBeInstanceOf(VitrineError);
  });

  it.each([
    ["an event", stream("id: 5\nevent: lock\ndata: {cut\n\n")],
    ["an event that is no object", stream("id: 5\nevent: lock\ndata: null\n\n")],
  ])("throws UNEXPECTED_RESPONSE where %s can't be read, and stays before it", async (_what, step) => {
    const events = (await start(stream(lock(1)), step)).client().events();

    await expect(idsOf(events, 2)).rejects.toMatchObject({
      name: "VitrineError",
      code: "UNEXPECTED_RESPONSE",
      status: 200,
    });
    expect(events.lastEventId).toBe("1");
  });

  const refused = (retryAfter: string) => () =>
    Response.json(
      { code: "UNAVAILABLE", message: "away" },
      { status: 503, headers: { "retry-after": retryAfter } },
    );
  it.each([
    ["a Retry-After of a month", refused("2592000"), 300_000],
    ["a Retry-After of the year 2099", refused("Thu, 01 Jan 2099 00:00:00 GMT"), 300_000],
    ["a Retry-After beyond every number", refused("9".repeat(400)), 300_000],
    ["a long `retry` of the stream", () => streamed("retry: 99999999999\n\n"), 300_000],
    ["a Retry-After of 0, which the service repeats", refused("0"), 1_000],
  ])("waits within bounds after %s, and ends at once by its signal", async (_what, answer, until) => {
    vi.useFakeTimers();
    try {
      const asked: number[] = [];
      const fetch = async () => {
        asked.push(Date.now());
        return answer();
      };
      const abort = new AbortController();
      const events = createVitrine({ baseUrl: "http://service", fetch }).events({ signal: abort.signal });
      const following = idsOf(events, 1).catch((error: Error) => error.message);
      const begin = Date.now();

      await vi.advanceTimersByTimeAsync(until - 1);
      expect(asked.length).toBeLessThanOrEqual(4);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(asked.length).toBeGreaterThan(1);
      expect(asked.at(1)).toBeGreaterThanOrEqual(begin + 100);
      abort.abort(new Error("enough"));
      expect(await following).toBe("enough");
    } finally {
      vi.useRealTimers();
    }
  });

  it("closes its connection when the loop is left, and when the signal aborts", async () => {
    let closed = 0;
    const open: Step = (_request, response) => {
      response.on("close", () => closed++);
      response.writeHead(200, { "content-type": "text/event-stream" }).write(lock(1));
    };
    await start(open);
    const client = createVitrine({ baseUrl: service.baseUrl });
    await idsOf(client.events(), 1);
    const abort = new AbortController();
    const aborted = (async () => {
      for await (const _ of client.events({ signal: abort.signal })) abort.abort(new Error("enough"));
    })();

    await expect(aborted).rejects.toThrow("enough");
    while (closed < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

describe("server-sent events", () => {
  const read = async (...chunks: readonly Uint8Array[]): Promise<object[]> => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    const messages: object[] = [];
    for await (const message of readSse(body)) messages.push(message);
    return messages;
  };
  const text =
    "id: 5\r\nevent: lock\r\ndata: é\r\n\r\nretry: 900\rdata\r\r: ping\n\ndata:a\ndata: b\n\ndata: cut";
  const parsed = [
    { id: "5", event: "lock", data: "é", retry: undefined },
    { id: undefined, event: "message", data: "", retry: 900 },
    { id: undefined, event: "message", data: undefined, retry: undefined },
    { id: undefined, event: "message", data: "a\nb", retry: undefined },
  ];

  it("are read whatever ends their lines, and however the bytes are cut", async () => {
    const bytes = new TextEncoder().encode(text);
    expect(await read(bytes)).toEqual(parsed);
    expect(await read(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(parsed);
    for (let at = 1; at < bytes.length; at++)
      expect(await read(bytes.slice(0, at), bytes.slice(at)), `cut at ${at}`).toEqual(parsed);
  });

  it("are read whole where a text has a line separator of Unicode, which ends no line", async () => {
    const data = JSON.stringify({ reason: "one\u2028two\u2029three" });
    expect(data).toContain("\u2028");

    expect(await read(new TextEncoder().encode(`id: 6\nevent: media\ndata: ${data}\n\n`))).toEqual([
      { id: "6", event: "media", data, retry: undefined },
    ]);
  });
});
