/** Fetches from slow, endless or broken hosts always give a result, with the right retry policy. */

import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createGuardedFetch, type FetchOptions } from "../../../src/api/fetch/guarded-fetch.ts";
import { type LocalServer, startLocalServer } from "../../support/servers/local-server.ts";

const BYTES_MAX = 10_000;
const LIMITS = { bytesMax: BYTES_MAX, timeoutMs: 30_000, accept: "application/json" };
const USER_AGENT = "Vitrine/0.1 (NFT metadata service; https://vitrine.example; ops@vitrine.example)";

type Answer = (response: ServerResponse, url: URL) => void;

let server: LocalServer;
let answer: Answer;
let guardedFetch: ReturnType<typeof createGuardedFetch>;

beforeAll(async () => {
  server = await startLocalServer((request, response) =>
    answer(response, new URL(request.url ?? "", server.url)),
  );
  guardedFetch = createGuardedFetch(new Set([server.host]), USER_AGENT);
});
beforeEach(() => {
  answer = (response) => response.end("{}");
});
afterAll(() => server.close());

const get = (path = "/", options: Partial<FetchOptions> = {}) =>
  guardedFetch(`${server.url}${path}`, { ...LIMITS, ...options });
const bodyOf = (fetched: Awaited<ReturnType<typeof get>>) =>
  fetched.kind === "fetched" ? fetched.body.toString() : fetched.reason;

describe("a fetch", () => {
  it("gives the body as bytes, where it came from in the end, and its type", async () => {
    answer = (response, { pathname }) =>
      pathname === "/old"
        ? response.writeHead(301, { location: "new?a=1" }).end()
        : response.writeHead(200, { "content-type": "application/json" }).end("caf\u00e9", "latin1");

    expect(await get("/old")).toEqual({
      kind: "fetched",
      body: Buffer.from("caf\u00e9", "latin1"),
      url: `${server.url}/new?a=1`,
      contentType: "application/json",
    });
  });

  it("says who asks, asks for a fresh answer, and names no other page or user", async () => {
    await get("/", { accept: "image/*" });

    const headers = server.requests.at(-1)?.headers;
    expect(headers).toMatchObject({
      "user-agent": USER_AGENT,
      accept: "image/*",
      "cache-control": "no-cache",
    });
    for (const name of ["cookie", "authorization", "referer", "origin"])
      expect(headers).not.toHaveProperty(name);
  });

  it("sends no cookie that a host has set, neither after a redirect nor later", async () => {
    answer = (response, { pathname }) => {
      response.setHeader("set-cookie", "session=1; Path=/");
      if (pathname === "/old") response.writeHead(302, { location: "/new" });
      response.end("{}");
    };

    await get("/old");
    await get("/new");

    expect(server.requests.slice(-3).map(({ headers }) => headers.cookie)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("works under a contact that no header can hold", async () => {
    const fetched = await createGuardedFetch(
      new Set([server.host]),
      "Vitrine (Zo\u00eb \u2013 \u540d\r\nx: y)",
    )(server.url, { bytesMax: BYTES_MAX, timeoutMs: 30_000, accept: "*/*" });

    expect(fetched.kind).toBe("fetched");
    expect(server.requests.at(-1)?.headers["user-agent"]).toBe("Vitrine (Zo? ? ???x: y)");
  });
});

describe("redirects", () => {
  const chain: Answer = (response, { pathname }) => {
    const left = Number(pathname.slice(1));
    if (left === 0) response.end("arrived");
    else response.writeHead([301, 302, 303, 307, 308][left % 5] ?? 302, { location: `/${left - 1}` }).end();
  };

  it("are followed five times and not six", async () => {
    answer = chain;

    expect(bodyOf(await get("/5"))).toBe("arrived");
    expect(await get("/6")).toMatchObject({ reason: "too_many_redirects", transient: false });
  });

  it.each([
    { bytes: Buffer.from("/caf\u00e9 \u540d.json"), name: "UTF-8", path: "/caf%C3%A9%20%E5%90%8D.json" },
    { bytes: Buffer.from("/caf\u00e9.json", "latin1"), name: "any other encoding", path: "/caf%C3%A9.json" },
  ])("lead where a location in bare $name says", async ({ bytes, path }) => {
    answer = (response, { pathname }) =>
      pathname === "/old"
        ? response.writeHead(301, { location: bytes.toString("latin1") }).end()
        : response.end("arrived");

    expect(await get("/old")).toMatchObject({ kind: "fetched", url: `${server.url}${path}` });
  });

  it("in a circle end", async () => {
    answer = (response) => response.writeHead(302, { location: "/" }).end();
    const before = server.requests.length;

    expect(await get()).toMatchObject({ reason: "too_many_redirects", transient: false });
    expect(server.requests.length - before).toBe(6);
  });

  it("without a target are an answer like any other", async () => {
    answer = (response) => response.writeHead(302).end();

    expect(await get()).toMatchObject({
      reason: "http_status",
      message: "the host answered 302",
      transient: false,
    });
  });
});

describe("a connection that the host gives up without an answer", () => {
  const ways = [
    ["closed", (socket: Socket | null) => void socket?.destroy()],
    ["reset", (socket: Socket | null) => void socket?.resetAndDestroy()],
  ] as const;

  it.each(ways)("is replaced for the same request where it had served one before: %s", async (_, giveUp) => {
    const served = new WeakSet<Socket>();
    answer = (response) => {
      const { socket } = response;
      if (socket === null || served.has(socket)) return giveUp(socket);
      served.add(socket);
      response.end("{}");
    };
    const ownFetch = createGuardedFetch(new Set([server.host]), USER_AGENT);
    const before = server.requests.length;

    for (let nth = 0; nth < 2; nth++) {
      expect(bodyOf(await ownFetch(server.url, LIMITS))).toBe("{}");
      // By then, the connection is free for the next request.
      await nextTurn();
    }
    // The second was sent twice.
    expect(server.requests.length - before).toBe(3);
  });

  it.each(ways)("is replaced only once: %s", async (_, giveUp) => {
    const before = server.requests.length;
    answer = (response) =>
      server.requests.length - before === 1 ? response.end("{}") : giveUp(response.socket);
    const ownFetch = createGuardedFetch(new Set([server.host]), USER_AGENT);
    await ownFetch(server.url, LIMITS);
    await nextTurn();

    expect(await ownFetch(server.url, LIMITS)).toMatchObject({ reason: "unreachable", transient: true });
    expect(server.requests.length - before).toBe(3);
  });

  it.each(ways)("is the host's failure where it had served none: %s", async (_, giveUp) => {
    answer = (response) => giveUp(response.socket);
    const ownFetch = createGuardedFetch(new Set([server.host]), USER_AGENT);
    const before = server.requests.length;

    expect(await ownFetch(server.url, LIMITS)).toMatchObject({ reason: "unreachable", transient: true });
    expect(server.requests.length - before).toBe(1);
  });
});

describe("compression", () => {
  it("is not asked for in deflate, under whose name some hosts send another format", async () => {
    const document = "a document".repeat(20);
    answer = (response) => {
      const asked = server.requests.at(-1)?.headers["accept-encoding"];
      if (!asked?.includes("deflate")) return response.end(document);
      return response.setHeader("content-encoding", "deflate").end(deflateRawSync(document));
    };

    expect(bodyOf(await get())).toBe(document);
  });

  it.each([
    ["gzip,aws-chunked", gzipSync],
    ["gzip, utf-8", gzipSync],
    ["identity, BR", brotliCompressSync],
    [", gzip ,", gzipSync],
    ["identity, constructor", (text: string) => text],
    [["aws-chunked", "gzip"], gzipSync],
  ] as const)("of %j is undone, since the others are no codings", async (encoding, compress) => {
    const document = '{"name":"a"}';
    answer = (response) => response.setHeader("content-encoding", encoding).end(compress(document));

    expect(bodyOf(await get())).toBe(document);
  });

  it.each(["gzip", "deflate", "br"])("in %s of nothing is an empty body", async (encoding) => {
    for (const length of ["0", undefined]) {
      answer = (response) => {
        if (length !== undefined) response.setHeader("content-length", length);
        response.setHeader("content-encoding", encoding).flushHeaders();
        response.end();
      };

      expect(await get()).toMatchObject({ kind: "fetched", body: Buffer.alloc(0) });
    }
  });

  it("in gzip of nothing is no body where the connection breaks", async () => {
    answer = (response) => {
      response.setHeader("content-encoding", "gzip").flushHeaders();
      setImmediate(() => response.destroy());
    };

    expect(await get()).toMatchObject({ reason: "unreachable", transient: true });
  });

  it.each([
    ["gzip", "that is none", Buffer.from('{"name":"a"}')],
    ["gzip", "that is cut short", gzipSync("a".repeat(100)).subarray(0, 15)],
    ["br", "that is none", Buffer.from('{"name":"a"}')],
    ["br", "that is cut short", brotliCompressSync(randomBytes(100)).subarray(0, 15)],
  ])("in %s %s is said to be the fault, and not the way to the host", async (encoding, _what, body) => {
    answer = (response) => response.setHeader("content-encoding", encoding).end(body);

    expect(await get()).toMatchObject({
      reason: "unreachable",
      message: expect.stringMatching(/^the body can't be decompressed \((Z_|ERR_)\w+\)$/),
      transient: true,
    });
  });
});

describe("size", () => {
  it("is accepted at the limit and refused one byte above", async () => {
    answer = (response, { pathname }) => response.end("a".repeat(Number(pathname.slice(1))));

    expect(bodyOf(await get(`/${BYTES_MAX}`))).toHaveLength(BYTES_MAX);
    expect(await get(`/${BYTES_MAX + 1}`)).toMatchObject({ reason: "too_large", transient: false });
  });

  it.each([
    { encoding: "gzip", compress: gzipSync },
    { encoding: "deflate", compress: deflateSync },
    { encoding: "br", compress: brotliCompressSync },
  ])("is counted after $encoding is undone, so a small bomb stays small", async ({ encoding, compress }) => {
    answer = (response, { pathname }) => {
      response.setHeader("content-encoding", encoding);
      response.end(compress("a".repeat(Number(pathname.slice(1)))));
    };

    expect(bodyOf(await get(`/${BYTES_MAX}`))).toHaveLength(BYTES_MAX);
    expect(await get("/10000000")).toMatchObject({ reason: "too_large", transient: false });
  });

  it.each([
    { encoding: "gzip", compress: gzipSync },
    { encoding: "deflate", compress: deflateSync },
  ])("may be any where the start is enough, in $encoding too", async ({ encoding, compress }) => {
    const page = randomBytes(300_000).toString("hex");
    const body = compress(page);
    answer = (response) => response.setHeader("content-encoding", encoding).end(body);

    const start = await get("/", { isStartEnough: true });

    expect(bodyOf(start)).toBe(page.slice(0, BYTES_MAX));
  });

  it("bounds what may arrive of a start that never comes", async () => {
    // The header of a gzip file, whose name never ends.
    const header = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
    answer = (response) => {
      response.setHeader("content-encoding", "gzip").write(header);
      response.end("a".repeat(3 * 1024 * 1024));
    };

    expect(await get("/", { isStartEnough: true })).toMatchObject({ reason: "too_large" });
  });

  it("ends an endless body, and the connection with it", async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (response) => {
        const writeMore = () =>
          response.write("a".repeat(1_000), (error) => error || setImmediate(writeMore));
        response.on("close", resolve);
        writeMore();
      };
    });

    expect(await get()).toMatchObject({ reason: "too_large" });
    await closed;
  });
});

describe("time", () => {
  const drip: Answer = (response) => {
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  };

  it.each([
    { host: "never answers", how: () => {} },
    { host: "sends headers and then nothing", how: (response) => response.flushHeaders() },
    { host: "drips its body", how: drip },
  ] satisfies { host: string; how: Answer }[])("is bounded for a host that $host", async ({ how }) => {
    answer = how;

    expect(await get("/", { timeoutMs: 200 })).toMatchObject({ reason: "timeout", transient: true });
  });

  it("is one budget for all redirects together", async () => {
    answer = (response) => setTimeout(() => response.writeHead(302, { location: "/" }).end(), 100);

    expect(await get("/", { timeoutMs: 250 })).toMatchObject({ reason: "timeout", transient: true });
  });

  it("is not spent on the body of a redirect", async () => {
    answer = (response, { pathname }) => {
      if (pathname === "/new") response.end("arrived");
      else response.writeHead(302, { location: "/new" }).write("never finished");
    };

    expect(bodyOf(await get("/old"))).toBe("arrived");
  });

  it("ends with the caller's signal", async () => {
    const controller = new AbortController();
    answer = (response) => {
      response.flushHeaders();
      controller.abort();
    };

    expect(await get("/", { signal: controller.signal })).toMatchObject({ kind: "failed", transient: true });
    expect(await get("/", { signal: AbortSignal.abort() })).toMatchObject({
      kind: "failed",
      transient: true,
    });
  });
});
