import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createClientOf } from "../../../../src/api/http/client-address.ts";
import { createMemoryRateLimiter } from "../../../../src/api/http/limits/rate-limiter.ts";
import { connectionsMax, endSurplus } from "../../../../src/api/http/server/connection-limit.ts";
import { createGuardedServer, serverLimits } from "../../../../src/api/http/server/guard.ts";
import { exchange, open, parseAnswer, readAll } from "../../../support/http/raw-http.ts";

const MEBIBYTE = 1024 * 1024;

let server: Server | undefined;
let ended: string[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  vi.restoreAllMocks();
});

/** From now on the machine's clock shows another time. */
function stepClock(byMs: number): void {
  const { now } = Date;
  vi.spyOn(Date, "now").mockImplementation(() => now() + byMs);
}

async function start(
  listener: RequestListener,
  limits: Partial<typeof serverLimits> = {},
  {
    trusted = [],
    requests = 1_000,
    isDraining = () => false,
    isStopping = () => false,
    answer,
    isDatabaseAway,
  }: {
    trusted?: readonly string[];
    requests?: number;
    isDraining?: () => boolean;
    isStopping?: () => boolean;
    answer?: RequestListener;
    isDatabaseAway?: () => Promise<boolean>;
  } = {},
): Promise<number> {
  ended = [];
  server = createGuardedServer(listener, {
    clientOf: createClientOf(trusted),
    ponderRoutes: createMemoryRateLimiter({ name: "ponder", requests, seconds: 10 }),
    onEnd: (reason) => ended.push(reason),
    isDraining,
    isStopping,
    answer,
    isDatabaseAway,
    limits: { ...serverLimits, ...limits },
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const countConnections = (): Promise<number> =>
  new Promise((resolve, reject) =>
    server?.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

async function send(port: number, text: string): Promise<Socket> {
  const socket = await open(port);
  sockets.push(socket);
  socket.write(text);
  return socket;
}

const get = (path: string, headers = ""): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

const until = (passes: () => void): Promise<void> => vi.waitFor(passes, { timeout: 30_000 });

/** More than the kernels of both sides buffer. */
const large = Buffer.alloc(16 * MEBIBYTE, "x");
const answerLarge: RequestListener = (_request, response) => void response.end(large);

describe("open connections", () => {
  const limits = { connections: 32 };
  const flood = (port: number, count: number, text = "") =>
    Promise.all(Array.from({ length: count }, () => send(port, text)));
  const isOpen = (socket: Socket): boolean => !socket.destroyed && !socket.readableEnded;
  const answerOn = async (socket: Socket): Promise<string> => {
    const answer = once(socket, "data");
    socket.resume();
    return String((await answer)[0]);
  };

  it("of the client that has the most are ended when there are too many, and others are served", async () => {
    const port = await start((_request, response) => void response.end("served"), limits, {
      trusted: ["127.0.0.1"],
    });
    const other = await send(port, get("/", "X-Forwarded-For: 198.51.100.2\r\n"));
    await answerOn(other);
    const greedy = await flood(port, 100);
    for (const socket of greedy) socket.resume();

    await until(() => expect(greedy.filter(isOpen).length).toBeLessThanOrEqual(31));
    expect(new Set(ended)).toEqual(new Set(["too_many"]));
    expect(greedy.filter(isOpen).length).toBeGreaterThanOrEqual(28);
    other.write(get("/", "X-Forwarded-For: 198.51.100.2\r\n"));
    expect(await answerOn(other)).toContain("served");
    const late = await send(port, get("/", "X-Forwarded-For: 198.51.100.3\r\n"));
    expect(await answerOn(late)).toContain("served");
  });

  it("that wait for an answer are ended last", async () => {
    const waiting: (() => void)[] = [];
    const port = await start((_request, response) => void waiting.push(() => response.end("served")), limits);
    const asking = await flood(port, 16, get("/"));
    await until(() => expect(waiting).toHaveLength(16));
    const idle = await flood(port, 64);
    for (const socket of idle) socket.resume();

    await until(() => expect(idle.filter(isOpen).length).toBeLessThanOrEqual(16));
    for (const answer of waiting) answer();
    for (const socket of asking) expect(await answerOn(socket)).toContain("served");
  });

  it("are not ended while there is space", async () => {
    const port = await start((_request, response) => void response.end(), limits);
    const sockets = await flood(port, 32);

    await sleep(200);
    expect(ended).toEqual([]);
    expect(sockets.every(isOpen)).toBe(true);
  });

  const open = (client: string, isBusy = false) => ({
    client,
    responses: isBusy ? [{ writableFinished: false, destroyed: false } as ServerResponse] : [],
  });
  const endedOf = (connections: readonly ReturnType<typeof open>[], max: number): number[] => {
    const ended: number[] = [];
    endSurplus(new Map(connections.entries()), max, {
      clientOf: ({ client }) => client,
      end: (connection) => ended.push(connections.indexOf(connection)),
    });
    return ended.sort((a, b) => a - b);
  };

  it("of many clients with one each are ended together, idle ones first", () => {
    const connections = Array.from({ length: 33 }, (_, nth) => open(`${nth}`, nth < 20));

    expect(endedOf(connections, 32)).toEqual([20, 21, 22]);
    expect(endedOf(connections.slice(0, 32), 32)).toEqual([]);
  });

  it("are ended until the clients with the most have as many as each other", () => {
    const connections = ["a", "b", "c"].flatMap((client, nth) =>
      Array.from({ length: [20, 12, 1][nth] ?? 0 }, () => open(client)),
    );

    // Three more than the limit and its sixteenth: of the first client, which has eight more than any other.
    expect(endedOf(connections, 32)).toEqual([0, 1, 2]);
    expect(endedOf(connections, 16)).toEqual([
      ...Array.from({ length: 13 }, (_, nth) => nth),
      ...Array.from({ length: 5 }, (_, nth) => 20 + nth),
    ]);
  });

  it("of one client are ended before a busy one of it, however old", () => {
    expect(endedOf([open("a", true), open("a"), open("b"), open("a", true), open("a")], 4)).toEqual([1]);
  });

  it.each([
    ["Max open files            65536                524288               files", 16_384],
    ["Max open files            17408                524288               files", 16_384],
    ["Max open files            17407                524288               files", 16_383],
    ["Max open files            1024                 524288               files", 512],
    ["Max open files            unlimited            unlimited            files", 16_384],
    ["", 16_384],
  ])("may be as many as files, but for some: %s", (text, max) => {
    const file = join(mkdtempSync(join(tmpdir(), "vitrine-limits-")), "limits");
    writeFileSync(
      file,
      `Limit                     Soft Limit           Hard Limit           Units     \n${text}\n`,
    );

    expect(connectionsMax(file)).toBe(max);
    rmSync(dirname(file), { recursive: true });
  });

  it("are bounded where the system does not say how many files a process may open", () => {
    expect(connectionsMax("/nowhere/limits")).toBe(16_384);
  });
});

describe("what is written and not read", () => {
  it("is bounded per client address: its fullest connections are ended, others' are not", async () => {
    const port = await start(answerLarge, { clientBytes: 40 * MEBIBYTE }, { trusted: ["127.0.0.1"] });
    const greedy = await Promise.all(
      Array.from({ length: 6 }, () => send(port, get("/", "X-Forwarded-For: 198.51.100.1\r\n"))),
    );
    const other = await send(port, get("/", "X-Forwarded-For: 198.51.100.2\r\nConnection: close\r\n"));

    await until(() => expect(ended.length).toBeGreaterThan(0));
    const whole = (await readAll(other)).length;
    expect(new Set(ended)).toEqual(new Set(["client_unread"]));
    expect(ended.length).toBeLessThan(greedy.length);
    expect(whole).toBeGreaterThan(large.length);
  });

  it("is bounded for the process, however many addresses there are", async () => {
    const limits = { clientBytes: 40 * MEBIBYTE, processBytes: 40 * MEBIBYTE };
    const port = await start(answerLarge, limits, { trusted: ["127.0.0.1"] });
    for (let n = 1; n <= 6; n++) await send(port, get("/", `X-Forwarded-For: 198.51.100.${n}\r\n`));

    await until(() => expect(ended).toContain("process_unread"));
    expect(new Set(ended)).toEqual(new Set(["process_unread"]));
  });

  it("counts answers that wait behind another on the same connection", async () => {
    const port = await start(answerLarge, { clientBytes: 40 * MEBIBYTE });
    const socket = await send(port, get("/").repeat(8));

    await until(() => expect(ended).toEqual(["client_unread"]));
    expect((await readAll(socket)).length).toBeLessThan(8 * large.length);
  });

  it("ends a connection that takes nothing, and not one that reads slowly", async () => {
    const port = await start(answerLarge, { stalledMs: 1_500, progressBytes: 16 * 1024 });
    const slow = await send(port, get("/", "Connection: close\r\n"));
    let read = 0;
    slow.on("data", (chunk: Buffer) => {
      read += chunk.length;
      slow.pause();
      setTimeout(() => slow.resume(), 20);
    });
    slow.resume();
    await send(port, get("/"));

    await until(() => expect(ended).toEqual(["stalled"]));
    await once(slow, "close");
    expect(read).toBeGreaterThan(large.length);
  });

  it("is not taken for stalled because the clock steps forward", async () => {
    const port = await start(answerLarge);
    await send(port, get("/"));
    await sleep(600);

    stepClock(3_600_000);

    await sleep(600);
    expect(ended).toEqual([]);
  });
});

describe("a connection", () => {
  it("has a bounded number of requests answered at once, and all of them in their order", async () => {
    let [running, most] = [0, 0];
    const port = await start((request, response) => {
      most = Math.max(most, ++running);
      setTimeout(() => {
        running--;
        response.end(`<${request.url}>`);
      }, 5);
    });
    const paths = Array.from({ length: 50 }, (_, n) => `/${n}`);
    const socket = await send(
      port,
      paths.map((path) => get(path)).join("") + get("/last", "Connection: close\r\n"),
    );

    const text = (await readAll(socket)).toString();
    expect(text.match(/<[^>]+>/g)).toEqual([...paths, "/last"].map((path) => `<${path}>`));
    expect(most).toBe(serverLimits.pipelined);
  });

  it("with too many requests behind unanswered ones is ended, and none of them is answered", async () => {
    let asked = 0;
    const port = await start((_request, response) => {
      asked++;
      setTimeout(() => response.end("served"), 100);
    });
    const socket = await send(port, get("/").repeat(20_000));
    socket.resume();

    await until(() => expect(ended).toEqual(["pipelined"]));
    await until(() => expect(socket.closed).toBe(true));
    await sleep(300);
    expect(ended).toEqual(["pipelined"]);
    expect(asked).toBe(serverLimits.pipelined);
  });

  it("with eight requests that are being answered may have 64 more, and not one beyond", async () => {
    const port = await start(() => undefined);
    const socket = await send(port, get("/").repeat(71));
    socket.write(get("/"));
    await sleep(300);
    expect(ended).toEqual([]);

    socket.write(get("/"));
    await until(() => expect(ended).toEqual(["pipelined"]));
  });

  it("is ended too where all together have too many, and those that went free their places", async () => {
    const port = await start(() => undefined, { pipelined: 1, queued: 6, queuedInAll: 10 });
    const first = await send(port, get("/").repeat(6));
    await send(port, get("/").repeat(6));
    await sleep(200);
    expect(ended).toEqual([]);
    (await send(port, get("/").repeat(2))).resume();
    await until(() => expect(ended).toEqual(["pipelined"]));

    const before = await countConnections();
    first.destroy();
    await until(async () => expect(await countConnections()).toBe(before - 1));
    await send(port, get("/").repeat(2));
    await sleep(200);
    expect(ended).toEqual(["pipelined"]);
  });

  it("that keeps sending a body is ended when its address has too many of them", async () => {
    const port = await start((request) => void request.resume(), { slowBodies: 3, slowBodyMs: 100 });
    const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n";
    const slow: Socket[] = [];
    for (let n = 0; n < 5; n++) slow.push(await send(port, head));
    for (const socket of slow) socket.resume();

    await until(() => expect(ended).toEqual(["slow_body", "slow_body"]));
    await until(() => expect(slow.filter((socket) => socket.closed)).toHaveLength(2));
  });

  it("that keeps sending a body is ended also after the clock has stepped back", async () => {
    const port = await start((request) => void request.resume(), { slowBodies: 1, slowBodyMs: 1_000 });
    const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n";
    const arrived = once(server as Server, "request");
    for (let n = 0; n < 2; n++) (await send(port, head)).resume();
    await arrived;

    stepClock(-3_600_000);

    await vi.waitFor(() => expect(ended).toEqual(["slow_body"]), { timeout: 10_000 });
  });

  it.each([
    ["headers", "GET / HTTP/1.1\r\nHost: localhost\r\n"],
    ["a body", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"],
  ])("gets the error that %s took too long", async (_what, bytes) => {
    const port = await start((request) => void request.resume(), { headSeconds: 0.2, wholeSeconds: 0.4 });

    const answer = await exchange(port, bytes);
    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.text)).toMatchObject({
      code: "REQUEST_TIMEOUT",
      request_id: expect.any(String),
    });
  });

  describe("whose body is still on its way", () => {
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${MEBIBYTE}\r\n`;
    /** A sixteenth. */
    const part = "x".repeat(MEBIBYTE / 16);

    /** Sends a head and part of its body, the rest once the answer has been sent, and then reads. */
    async function sendAfterAnswer(port: number, bytes: string, rest: readonly string[]): Promise<string> {
      const answered = new Promise((resolve) => {
        server?.once("request", (_request, response) => response.once("close", resolve));
      });
      const socket = await send(port, bytes);
      await answered;
      for (const each of rest) {
        socket.write(each);
        await sleep(5);
      }
      return (await readAll(socket)).toString();
    }

    const unread: readonly (readonly [title: string, read: (request: IncomingMessage) => void])[] = [
      ["nothing of it was read", () => {}],
      ["part of it was read", (request) => void request.once("data", () => request.pause())],
      ["a web stream was to read it", (request) => void Readable.toWeb(request)],
    ];

    it.each(unread)("gets a refusal that ends the connection whole, if %s", async (_title, read) => {
      const port = await start((request, response) => {
        read(request);
        response.writeHead(413, { Connection: "close", "Content-Length": 9 }).end("too large");
      });

      const rest = Array.from({ length: 15 }, () => part);
      const { status, text } = parseAnswer(await sendAfterAnswer(port, `${head}\r\n${part}`, rest));
      expect([status, text]).toEqual([413, "too large"]);
    });

    it("sends no further request after an answer that ends the connection", async () => {
      const asked: (string | undefined)[] = [];
      const port = await start(({ url }, response) => {
        asked.push(url);
        response.writeHead(413, { Connection: "close" }).end();
      });

      const rest = [part.repeat(15) + get("/second")];
      const text = await sendAfterAnswer(port, `${head}\r\n${part}`, rest);
      expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 413"]);
      expect(asked).toEqual(["/"]);
    });

    it("is cut off behind an answer that ends the connection, and is not taken for whole", async () => {
      let bytes = 0;
      const outcomes: string[] = [];
      let answerFirst = (): void => {};
      const port = await start((request, response) => {
        if (request.method === "GET") {
          answerFirst = () => void response.writeHead(200, { Connection: "close" }).end();
          return;
        }
        request.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
        });
        request.on("end", () => outcomes.push("whole"));
        request.on("error", () => {});
        request.on("close", () => outcomes.push("closed"));
      });

      const socket = await send(port, `${get("/")}${head}\r\n${part}`);
      await until(() => expect(bytes).toBe(part.length));
      answerFirst();
      await readAll(socket);
      await until(() => expect(outcomes).toEqual(["closed"]));
    });

    it("has its connection ended when the body takes too long, without a second answer", async () => {
      for (const connection of ["close", "keep-alive"]) {
        const port = await start(
          (_request, response) => void response.writeHead(401, { Connection: connection }).end("no key"),
          { headSeconds: 0.2, wholeSeconds: 0.4 },
        );

        const text = (await readAll(await send(port, `${head}\r\n${part}`))).toString();
        expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 401"]);
        server?.close();
      }
    });

    it.each(unread)("can send its next request on a connection that is kept, if %s", async (_title, read) => {
      const port = await start((request, response) => {
        read(request);
        response.end("no key");
      });

      const next = get("/", "Connection: close\r\n");
      const rest = [...Array.from({ length: 15 }, () => part), next];
      const text = await sendAfterAnswer(port, `${head}\r\n${part}`, rest);
      expect(text.match(/no key/g)).toHaveLength(2);
    });
  });

  it.each([
    ["a URL of 25 kB", get(`/${"a".repeat(25_000)}`), 431, "HEAD_TOO_LARGE", "may have 16384 bytes together"],
    ["headers of 25 kB", get("/", `X: ${"a".repeat(25_000)}\r\n`), 431, "HEAD_TOO_LARGE", "16384"],
    [
      "an unknown method",
      get("/").replace("GET", "FOO"),
      400,
      "INVALID_REQUEST",
      '"FOO" is no method that is known',
    ],
    ["words", "hello there\r\n\r\n", 400, "INVALID_REQUEST", "not HTTP/1.1"],
    ["a header without a name", get("/", ": x\r\n"), 400, "INVALID_REQUEST", "not HTTP/1.1"],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      400,
      "INVALID_REQUEST",
      "not HTTP/1.1",
    ],
  ])("gets an error that says what is wrong with %s", async (_what, bytes, status, code, message) => {
    const port = await start((_request, response) => void response.end());

    const answer = await exchange(port, bytes);
    expect(answer.status).toBe(status);
    const body = JSON.parse(answer.text) as { code: string; details: { message: string }[] };
    expect(body.code).toBe(code);
    expect(body.details[0]?.message).toContain(message);
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    // A page of another origin would otherwise see a network error.
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(Date.parse(answer.headers.get("date") ?? "")).toBeGreaterThan(Date.now() - 60_000);
  });

  it.each([
    ["whose URL is too long", `HEAD /${"a".repeat(25_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ["whose body never comes", "HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{", 408],
  ])("gets no body for a HEAD %s", async (_what, bytes, status) => {
    const port = await start((request) => void request.resume(), { headSeconds: 0.2, wholeSeconds: 0.4 });

    const answer = await exchange(port, bytes);
    expect(answer.status).toBe(status);
    expect(Number(answer.headers.get("content-length"))).toBeGreaterThan(0);
    expect(answer.text).toBe("");
  });
});

describe("before the application", () => {
  it("requests are refused with 503 while the service stops, and those under way are answered", async () => {
    let isStopping = false;
    let answer = (): void => {};
    const port = await start(
      (_request, response) => {
        answer = () => response.end("done");
      },
      {},
      { isStopping: () => isStopping },
    );
    const underWay = exchange(port, get("/", "Connection: close\r\n"));
    await until(() => expect(String(answer)).toContain("done"));
    isStopping = true;

    const refused = await exchange(port, get("/"));
    answer();
    expect([refused.status, refused.headers.get("retry-after"), JSON.parse(refused.text).code]).toEqual([
      503,
      "5",
      "UNAVAILABLE",
    ]);
    expect((await underWay).status).toBe(200);
  });

  it("a service that is about to stop answers on, ends each connection with its answer, and is neither live nor ready to a load balancer", async () => {
    const port = await start(
      (_request, response) => void response.end("done"),
      {},
      { isDraining: () => true },
    );
    // It would never end if the connection were kept.
    const { status, headers, text } = await exchange(port, get("/tokens"));
    expect([status, headers.get("connection"), text]).toEqual([200, "close", "done"]);
    expect((await exchange(port, get("/livez"))).status).toBe(404);
    const ready = await exchange(port, get("/ready"));
    expect([ready.status, JSON.parse(ready.text).code]).toEqual([503, "UNAVAILABLE"]);
  });

  it("an expectation that nobody has is no reason to refuse a request", async () => {
    const port = await start((_request, response) => void response.end("asked"));

    expect((await exchange(port, get("/", "Expect: miracles\r\nConnection: close\r\n"))).status).toBe(200);
  });

  it.each([
    ["GET /x HTTP/1.0", "http://localhost/x"],
    ["OPTIONS / HTTP/1.0", "http://localhost/"],
    ["GET /x HTTP/1.1\r\nHost:", "http://localhost/x"],
    ["GET /x HTTP/1.1\r\nHost: LOCALHOST:8443", "http://localhost:8443/x"],
    ["GET /x HTTP/1.1\r\nHost: Vitrine.Example", "http://vitrine.example/x"],
    ["GET /x HTTP/1.1\r\nHost: vitrine.example:80", "http://vitrine.example/x"],
    ["GET /x HTTP/1.1\r\nHost: [0:0:0:0:0:0:0:1]:8443", "http://[::1]:8443/x"],
    ["GET /x HTTP/1.1\r\nHost: 127.1:8443", "http://127.0.0.1:8443/x"],
    ["GET http://other.example/x HTTP/1.1\r\nHost: LOCALHOST:1", "http://other.example/x"],
    ["GET HTTP://Other.example/x HTTP/1.1\r\nHost: a", "http://other.example/x"],
  ])("%j reaches the application as %s", async (request, url) => {
    const answer = getRequestListener((asked: Request) => new Response(asked.url));
    for (const path of ["/x", "/health"]) {
      const port = await start(answer, {}, { answer });
      const sent = `${request.replace("/x", path)}\r\nConnection: close\r\n\r\n`;
      const { status, text } = await exchange(port, sent);
      expect([status, text]).toEqual([200, url.replace("/x", path)]);
      server?.close();
    }
  });

  it.each([
    ["GET / HTTP/1.1", "host", "is missing"],
    ["GET / HTTP/1.1\r\nHost: a\r\nhost: a", "host", "is given more than once"],
    ["GET / HTTP/1.1\r\nHost: a/b@c", "host", 'must be a host, or a host and a port; it is "a/b@c"'],
    ["GET / HTTP/1.1\r\nHost: user@c", "host", 'must be a host, or a host and a port; it is "user@c"'],
    ["GET / HTTP/1.1\r\nHost: c?d", "host", 'must be a host, or a host and a port; it is "c?d"'],
    ["GET / HTTP/1.1\r\nHost: c:port", "host", 'must be a host, or a host and a port; it is "c:port"'],
    ["GET / HTTP/1.0\r\nHost: [1", "host", 'must be a host, or a host and a port; it is "[1"'],
    ["OPTIONS * HTTP/1.1\r\nHost: c", "", 'must be asked for a path or an http URL, not for "*"'],
    ["GET ftp://c/ HTTP/1.1\r\nHost: c", "", 'must be asked for a path or an http URL, not for "ftp://c/"'],
  ])("%j is refused as every other error is", async (request, path, message) => {
    const answer = getRequestListener((asked: Request) => new Response(asked.url));
    const port = await start(answer, {}, { answer });
    const { status, headers, text } = await exchange(port, `${request}\r\n\r\n`);
    const body = JSON.parse(text);
    expect([status, body.code, body.details]).toEqual([400, "INVALID_REQUEST", [{ path, message }]]);
    expect(body.request_id).toBe(headers.get("x-request-id"));
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  const asked: string[] = [];
  const echo: RequestListener = (request, response) => {
    asked.push(request.url ?? "");
    response.setHeader("Access-Control-Allow-Origin", "*").end("asked");
  };

  it.each([
    "/admin/keys",
    "/console",
    "/console/apps",
    "/%61dmin/keys",
    "http://localhost/admin",
    "/x/../admin",
  ])("preflights of %s are refused, without leave for any origin", async (path) => {
    const port = await start(echo);

    const preflight = `OPTIONS ${path} HTTP/1.1\r\nHost: a\r\nOrigin: https://evil.example\r\n\r\n`;
    const answer = await exchange(port, preflight);
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toMatchObject({ code: "NOT_ALLOWED", details: [{ path: "origin" }] });
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it.each([
    ["/health", "Ponder"],
    ["/ready", "Ponder"],
    ["/status?x", "Ponder"],
    ["/metrics", "Ponder"],
    ["/", "the application"],
    ["/healthy", "the application"],
    ["/livez", "the application"],
    ["/market/collections", "the application"],
  ])("%s is asked of %s", async (path, whom) => {
    const port = await start((_request, response) => void response.end("Ponder"), undefined, {
      answer: (_request, response) => void response.end("the application"),
    });

    expect((await exchange(port, get(path, "Connection: close\r\n"))).text).toBe(whom);
  });

  it.each(["/health", "/ready", "/status?x", "/metrics"])(
    "%s is asked by GET and HEAD alone",
    async (path) => {
      const port = await start((_request, response) => void response.writeHead(404).end());
      const post = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`;
      const { status, headers, text } = await exchange(port, post);
      expect([status, headers.get("allow"), JSON.parse(text).code]).toEqual([
        405,
        "GET, HEAD",
        "METHOD_NOT_ALLOWED",
      ]);
    },
  );

  it("readiness and status are refused at once while the database is away, and nothing else of Ponder's", async () => {
    let isAway = true;
    const asked: string[] = [];
    const port = await start(
      (request, response) => {
        asked.push(request.url ?? "");
        response.end();
      },
      {},
      { isDatabaseAway: async () => isAway },
    );
    const statusOf = async (path: string) =>
      (await exchange(port, get(path, "Connection: close\r\n"))).status;

    const ready = await exchange(port, get("/ready"));
    expect([ready.status, ready.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(JSON.parse(ready.text)).toMatchObject({ code: "UNAVAILABLE" });
    expect(await statusOf("/status?x")).toBe(503);
    expect(asked).toEqual([]);
    expect([await statusOf("/health"), await statusOf("/metrics")]).toEqual([200, 200]);
    isAway = false;
    expect([await statusOf("/ready"), await statusOf("/status")]).toEqual([200, 200]);
  });

  it("preflights of all else are the application's", async () => {
    const port = await start(echo);

    const answer = await exchange(
      port,
      "OPTIONS /administrators HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    );
    expect(answer.text).toContain("asked");
  });

  it.each(["/metrics", "/%6Detrics?x", "/ready", "http://localhost/status"])(
    "%s is limited by client address",
    async (path) => {
      const port = await start(echo, {}, { requests: 2, trusted: ["127.0.0.1"] });
      const ask = (address: string) =>
        exchange(port, get(path, `X-Forwarded-For: ${address}\r\nConnection: close\r\n`));

      const first = [await ask("198.51.100.1"), await ask("198.51.100.1")];
      const third = await ask("198.51.100.1");
      expect(first.map(({ status }) => status)).toEqual([200, 200]);
      expect(third.status).toBe(429);
      expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(JSON.parse(third.text)).toMatchObject({ code: "RATE_LIMITED" });
      expect((await ask("198.51.100.2")).status).toBe(200);
    },
  );

  it("an answer half sent is cut off, not followed by another", async () => {
    const port = await start((_request, response) => {
      response.writeHead(200, { "Content-Length": "10" });
      response.write("12345");
    });
    const socket = await send(port, get("/"));
    const [first] = (await once(socket.resume(), "data")) as [Buffer];
    socket.write("no request\r\n\r\n");

    const answer = parseAnswer(first.toString() + (await readAll(socket)).toString());
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain("INVALID_REQUEST");
  });
});
