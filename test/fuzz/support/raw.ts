/** Bytes that are almost HTTP, sent at once, in pieces, or never completely. */

import { setTimeout as sleep } from "node:timers/promises";
import { open, parseAnswer, readAll } from "../../support/http/raw-http.ts";
import type { Random } from "../../support/random.ts";
import { randomText } from "./hostile-values.ts";

const HOST = "Host: localhost\r\n";

const shapes: readonly ((random: Random) => string)[] = [
  (random) => `${randomText(random)}\r\n\r\n`,
  (random) => `GET ${randomText(random)} HTTP/1.1\r\n${HOST}\r\n`,
  (random) => `GET /${randomText(random)} HTTP/${random.pick(["1.0", "2.0", "0.9", "1.1.1"])}\r\n${HOST}\r\n`,
  (random) => `GET /openapi.json HTTP/1.1\r\nHost: ${randomText(random)}\r\n\r\n`,
  () => "GET /market/collections HTTP/1.1\r\n\r\n",
  (random) => `GET / HTTP/1.1\r\n${HOST}${randomText(random)}: ${randomText(random)}\r\n\r\n`,
  (random) => `GET / HTTP/1.1\r\n${HOST}X: ${"a".repeat(random.whole(0, 40_000))}\r\n\r\n`,
  (random) =>
    `GET ${random.pick(["http://", "https://x", "http://[::1", "//", "*", "/..//", "?", "/%"])} HTTP/1.1\r\n${HOST}\r\n`,
  (random) =>
    `POST /graphql HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${random.pick(["5", "-1", "1e3", "99999999999999999999", "0"])}\r\n\r\n{"query":"{__typename}"}`,
  (random) =>
    `POST ${random.pick(["/graphql", "/console/apps", "/admin/keys", "/market-partner/metadata/validate"])} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: ${random.pick(["chunked", "gzip, chunked", "identity", "chunked, chunked"])}\r\n\r\n${random.pick(["5\r\nhello\r\n0\r\n\r\n", "zz\r\n", "ffffffffff\r\n", "5;a=b\r\nhello\r\n", "0\r\n\r\n"])}`,
  () => `POST /graphql HTTP/1.1\r\n${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  (random) => `GET / HTTP/1.1\r\n${HOST}\r\n`.repeat(random.whole(2, 200)),
  () => `GET / HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n`,
  () => `CONNECT localhost:22 HTTP/1.1\r\n${HOST}\r\n`,
  () => `POST /graphql HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
];

/** Returns a sentence about the fault, or undefined. */
export async function sendRaw(random: Random, port: number): Promise<string | undefined> {
  const bytes = random.pick(shapes)(random);
  const socket = await open(port);
  const answer = readAll(socket);
  if (random.chance(0.3)) {
    const at = random.whole(0, bytes.length);
    socket.write(bytes.slice(0, at));
    await sleep(random.whole(0, 50));
    if (random.chance(0.7)) socket.write(bytes.slice(at));
  } else socket.write(bytes);
  if (random.chance(0.3)) {
    await sleep(random.whole(0, 20));
    socket.destroy();
  } else await Promise.race([answer, sleep(200)]);
  socket.destroy();
  const { status, text } = parseAnswer((await answer).toString("latin1"));
  return status >= 500
    ? `${JSON.stringify(bytes.slice(0, 300))} was answered ${status}: ${text.slice(0, 300)}`
    : undefined;
}
