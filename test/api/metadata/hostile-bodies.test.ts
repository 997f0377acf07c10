/** Hosts that send bombs, nothing, too little or nonsense: each fetch ends within its limits. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createGuardedFetch, type FetchOptions } from "../../../src/api/fetch/guarded-fetch.ts";
import { type LocalServer, startLocalServer } from "../../support/servers/local-server.ts";

const MIB = 1024 * 1024;
const BYTES_MAX = 2 * MIB;
/** Far below the unpacked size of any bomb here, and far above the noise of a test process. */
const MEMORY_GROWTH_MAX = 150 * MIB;
const IDLE_MS = 600;

let server: LocalServer;
let answer: (response: ServerResponse, path: string) => void;
beforeAll(async () => {
  server = await startLocalServer(({ url }, response) => answer(response, url ?? ""));
});
afterAll(() => server.close());

const fetchFrom = (host: string, options: Partial<FetchOptions> = {}) =>
  createGuardedFetch(new Set([host]), "test", { idleTimeoutMs: IDLE_MS })(`http://${host}/`, {
    bytesMax: BYTES_MAX,
    timeoutMs: 10_000,
    accept: "application/json",
    ...options,
  });

/** The peak memory growth while `run` ran. */
async function memoryGrowth(run: () => Promise<unknown>): Promise<number> {
  const start = process.memoryUsage.rss();
  let peak = start;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  await run();
  clearInterval(timer);
  return Math.max(peak, process.memoryUsage.rss()) - start;
}

/** What connections of this process that were opened meanwhile have read; a sender's system buffers far more. */
async function bytesArrived(run: () => Promise<unknown>): Promise<number> {
  const sockets: Socket[] = [];
  const keep = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe("net.client.socket", keep);
  await run();
  unsubscribe("net.client.socket", keep);
  return sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
}

describe("decompression bombs", () => {
  const zeros = Buffer.alloc(32 * MIB);
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  const gzipped = gzipSync(zeros);
  // A gzip file may have several members: 1 GiB in 1 MiB.
  const gigabyte = Buffer.concat(Array.from({ length: 32 }, () => gzipped));

  it.each([
    { encoding: "gzip", body: gigabyte },
    { encoding: "x-gzip", body: gigabyte },
    { encoding: "deflate", body: deflateSync(zeros) },
    { encoding: "br", body: brotliCompressSync(zeros, quick) },
  ])("of $encoding stop at the limit, in little memory", async ({ encoding, body }) => {
    answer = (response) => response.writeHead(200, { "content-encoding": encoding }).end(body);

    const growth = await memoryGrowth(async () => {
      expect(await fetchFrom(server.host)).toMatchObject({ reason: "too_large", transient: false });
    });

    expect(growth).toBeLessThan(MEMORY_GROWTH_MAX);
  });

  it.each([
    "gzip, gzip",
    "br, gzip",
    "gzip, identity, deflate",
    Array(6).fill("gzip").join(),
    ["gzip", "gzip"],
    ["identity", "br, aws-chunked", "gzip"],
  ])("of several codings (%j) are not undone at all", async (encoding) => {
    answer = (response) => response.setHeader("content-encoding", encoding).end(gigabyte);

    expect(await fetchFrom(server.host)).toMatchObject({
      reason: "unreachable",
      message: "the body has more than one Content-Encoding; one is read",
      transient: false,
    });
  });

  it("that never yield a byte end at the limit of what arrives", async () => {
    const nothing = gzipSync("").subarray(0, 10);
    const emptyBlock = Buffer.from([0, 0, 0, 0xff, 0xff]);
    const blocks = Buffer.concat(Array.from({ length: 10_000 }, () => emptyBlock));
    answer = (response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).write(nothing);
      const writeMore = (error?: Error | null): unknown =>
        error || response.write(blocks, (next) => setImmediate(writeMore, next));
      writeMore();
    };

    const arrived = await bytesArrived(async () => {
      expect(await fetchFrom(server.host)).toMatchObject({ reason: "too_large", transient: false });
    });
    expect(arrived).toBeGreaterThan(BYTES_MAX);
    // The buffers of its streams come on top.
    expect(arrived).toBeLessThan(BYTES_MAX + MIB);
  });

  it("may be a little longer than what they hold", async () => {
    const noise = Buffer.from(Array.from({ length: BYTES_MAX }, (_, at) => (at * 2_654_435_761) >>> 13));
    answer = (response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(noise, { level: 0 }));

    const fetched = await fetchFrom(server.host);

    // Two million bytes that vitest would compare one by one.
    expect(fetched.kind === "fetched" && noise.equals(fetched.body)).toBe(true);
  });
});

describe("slow and endless hosts", () => {
  it("that send no headers end with the idle time", async () => {
    answer = () => {};

    expect(await fetchFrom(server.host)).toMatchObject({
      reason: "timeout",
      message: `no complete headers within ${IDLE_MS} ms`,
      transient: true,
    });
  });

  it("that send a part of the body and then nothing end with the idle time", async () => {
    answer = (response) => response.write('{"name":');

    expect(await fetchFrom(server.host)).toMatchObject({
      reason: "timeout",
      message: `the body stalled for ${IDLE_MS} ms`,
      transient: true,
    });
  });

  it("that send a byte now and then for ever end with the total time", async () => {
    answer = (response) => {
      const timer = setInterval(() => response.write(" "), IDLE_MS / 4);
      response.on("close", () => clearInterval(timer));
    };

    expect(await fetchFrom(server.host, { timeoutMs: 2 * IDLE_MS })).toMatchObject({
      reason: "timeout",
      message: `no answer within ${2 * IDLE_MS} ms`,
    });
  });

  it("that send as fast as they can end at the limit", async () => {
    const megabyte = Buffer.alloc(MIB, " ");
    answer = (response) => {
      const writeMore = (error?: Error | null): unknown =>
        error || response.write(megabyte, (next) => setImmediate(writeMore, next));
      writeMore();
    };

    expect(await fetchFrom(server.host)).toMatchObject({ reason: "too_large", transient: false });
  });

  it("are let go: no connection stays open behind a fetch that ended", async () => {
    const closed = new Promise((resolve) => {
      answer = (response) => {
        response.write("{");
        response.on("close", resolve);
      };
    });

    await fetchFrom(server.host);
    await closed;
  });
});

describe("hosts that speak something else", () => {
  let raw: Server;
  let host: string;
  let say: (socket: Socket) => void;
  beforeAll(async () => {
    raw = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => say(socket));
    });
    await new Promise<void>((resolve) => raw.listen(0, resolve));
    host = `127.0.0.1:${(raw.address() as AddressInfo).port}`;
  });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => new Promise((resolve) => raw.close(resolve)));

  const head = "HTTP/1.1 200 OK\r\n";
  const rows: { sends: string; bytes: string | Buffer; isLast?: boolean; reason?: string }[] = [
    { sends: "nothing and hangs up", bytes: "" },
    { sends: "half a body", bytes: `${head}content-length: 100\r\n\r\n{"name":` },
    { sends: "half a chunk", bytes: `${head}transfer-encoding: chunked\r\n\r\n64\r\n{"name":` },
    { sends: "a chunk of no size", bytes: `${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}` },
    {
      sends: "half a gzip",
      bytes: Buffer.concat([
        Buffer.from(`${head}content-length: 9999\r\ncontent-encoding: gzip\r\n\r\n`),
        gzipSync("a".repeat(99)).subarray(0, 15),
      ]),
    },
    { sends: "two lengths", bytes: `${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}` },
    { sends: "a negative length", bytes: `${head}content-length: -1\r\n\r\n{}` },
    {
      sends: "a length and chunks",
      bytes: `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    },
    { sends: "SSH", bytes: "SSH-2.0-OpenSSH_9.6\r\n" },
    { sends: "HTTP/0.9", bytes: "{}" },
    { sends: "a status of letters", bytes: "HTTP/1.1 abc OK\r\n\r\n" },
    { sends: "NUL in a header", bytes: `${head}x: a\0b\r\n\r\n{}` },
    {
      sends: "random bytes",
      bytes: Buffer.from(Array.from({ length: 999 }, (_, index) => (index * 7919) % 256)),
    },
    { sends: "TLS", bytes: Buffer.from([0x15, 3, 3, 0, 2, 2, 40]) },
    { sends: "one header of 1 MiB", bytes: `${head}x: ${"a".repeat(MIB)}\r\n\r\n{}` },
    { sends: "20,000 headers", bytes: `${head}${"x: a\r\n".repeat(20_000)}\r\n{}` },
  ];

  it.each(rows)("$sends: a fault of transport, to be tried again", async ({ bytes }) => {
    say = (socket) => {
      sockets.push(socket);
      socket.end(bytes);
    };

    expect(await fetchFrom(host)).toMatchObject({ kind: "failed", reason: "unreachable", transient: true });
  });

  it.each([
    { how: "headers without end", head: "HTTP/1.1 200 OK\r\n", piece: "x: a\r\n" },
    { how: "interim answers without end", head: "", piece: "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" },
    { how: "a status line without end", head: "HTTP/1.1 200 ", piece: "OK" },
  ])("$how end", async ({ head: start, piece }) => {
    say = (socket) => {
      sockets.push(socket);
      socket.write(start);
      const timer = setInterval(() => socket.write(piece.repeat(100)), 5);
      socket.on("close", () => clearInterval(timer));
    };

    const fetched = await fetchFrom(host, { timeoutMs: 1_000 });

    expect(["unreachable", "timeout"]).toContain(fetched.kind === "failed" && fetched.reason);
  });
});
