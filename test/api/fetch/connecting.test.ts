/** Time limits and aborts hold while a connection is being made, too. */

import { createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { createGuardedPost } from "../../../src/api/fetch/guarded-post.ts";

const LIMITS = { bytesMax: 1_000, timeoutMs: 30_000, accept: "*/*", body: "{}", headers: {} };

/** Accepts connections, and never begins TLS. */
const sockets: Socket[] = [];
const silent = createServer((socket) => void sockets.push(socket.on("error", () => undefined)));
let host: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  host = `127.0.0.1:${typeof address === "object" && address?.port}`;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
});

it.each([
  ["fetch", createGuardedFetch],
  ["post", createGuardedPost],
])("a %s ends with its own time, or when it is called off, before the time to connect", async (_, create) => {
  const ask = create(new Set([host]), "test");
  const stop = new AbortController();
  silent.once("connection", () => stop.abort());

  expect(await ask(`https://${host}/`, { ...LIMITS, signal: stop.signal })).toMatchObject({
    reason: "unreachable",
    message: "the host can't be reached (AbortError)",
  });
  expect(await ask(`https://${host}/`, { ...LIMITS, timeoutMs: 200 })).toMatchObject({
    reason: "timeout",
    message: "no answer within 200 ms",
  });
});
