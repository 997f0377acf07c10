/** An RPC endpoint in front of a chain's own: it can be down, lag behind the chain, or delay calls. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../demo/ports.ts";

/** A node that has seen the chain only up to this block. */
export interface Lag {
  readonly head: number;
  /** Answers calls at blocks it has not seen from its own last one, where a correct node refuses them. */
  readonly clamps?: boolean;
}

/** Called once per HTTP request, as a balancer decides which node answers it. `head` is the chain's own. */
export type Balance = (head: number, methods: readonly string[]) => Lag | undefined;

/** Ways to fail any request. */
export const faults = {
  hang: () => undefined,
  "429": (response) => void response.writeHead(429, { "content-type": "text/plain" }).end("slow down"),
  "500": (response) => void response.writeHead(500).end("Internal Server Error"),
  html: (response) =>
    void response
      .writeHead(200, { "content-type": "text/html" })
      .end("<html><body>Just a moment</body></html>"),
  garbage: (response) => void response.writeHead(200, JSON_TYPE).end('{"jsonrpc":'),
  nothing: (response) => void response.destroy(),
  empty: (response) => void response.writeHead(200, JSON_TYPE).end("{}"),
  null: (response, calls, isBatch) => reply(response, calls, isBatch, { result: null }),
  error: (response, calls, isBatch) =>
    reply(response, calls, isBatch, { error: { code: -32603, message: "Internal error" } }),
  huge: (response) => {
    huge ??= Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${"f".repeat(HUGE_BYTES)}"}`);
    response.writeHead(200, JSON_TYPE).end(huge);
  },
} satisfies Record<string, (response: ServerResponse, calls: readonly Call[], isBatch: boolean) => void>;
export type Fault = keyof typeof faults;

const JSON_TYPE = { "content-type": "application/json" };
const KEEP_ALIVE_MS = 60_000;
const HUGE_BYTES = 80 * 1024 * 1024;
// Created once: this process also serves the test's other endpoints.
let huge: Buffer | undefined;

function reply(response: ServerResponse, calls: readonly Call[], isBatch: boolean, body: Reply): void {
  const replies = calls.map(({ id }) => ({ jsonrpc: "2.0", id, ...body }));
  response.writeHead(200, JSON_TYPE).end(JSON.stringify(isBatch ? replies : replies[0]));
}

export interface Endpoint {
  readonly url: string;
  /** Refuses connections, and breaks open ones. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** Answers like nodes that lag; without an argument, like the chain. */
  lag(balance?: Balance): void;
  /** Fails every request in this way; without an argument, none. */
  fail(fault?: Fault): void;
  /** Answers calls with this error if it returns one; without an argument, none. */
  refuse(refusal?: Refusal): void;
  /** Changes the chain's results; without an argument, none. */
  alter(alteration?: Alteration): void;
  /** Delays each answer by this time. */
  slow(ms: number): void;
  /** How many requests have arrived so far. */
  requests(): number;
  /** Delays requests with calls of this method from now until `release`. */
  pause(method: string): { readonly paused: () => number; release(): void };
  close(): Promise<void>;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}
/** The JSON-RPC error of a refused call. */
export type Refusal = (
  call: Pick<Call, "method" | "params">,
) => { readonly code: number; readonly message: string } | undefined;
/** What a call is answered with in place of the chain's result. */
export type Alteration = (call: Pick<Call, "method" | "params">, result: unknown) => unknown;
type Reply = Readonly<Record<string, unknown>>;
type Forward = (method: string, params: readonly unknown[]) => Promise<Reply>;

// The answer of geth and its relatives about a block they don't have.
const UNKNOWN_BLOCK = { code: -32000, message: "header not found" };

export async function startEndpoint(target: string): Promise<Endpoint> {
  let balance: Balance | undefined;
  let fault: Fault | undefined;
  let refusal: Refusal | undefined;
  let alteration: Alteration | undefined;
  let delayMs = 0;
  let requests = 0;
  let holding: { method: string; paused: number; released: Promise<void> } | undefined;

  const post = async (body: unknown): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(target, { method: "POST", headers, body: JSON.stringify(body) });
    return response.json();
  };
  const forward: Forward = async (method, params) =>
    (await post({ jsonrpc: "2.0", id: 1, method, params })) as Reply;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = JSON.parse((await request.toArray()).join("")) as Call | Call[];
    const calls = [asked].flat();
    requests++;
    if (fault) return faults[fault](response, calls, Array.isArray(asked));
    const error = calls.map((call) => refusal?.(call)).find((each) => each !== undefined);
    if (error) return reply(response, calls, Array.isArray(asked), { error });
    if (delayMs) await sleep(delayMs);
    if (holding && calls.some(({ method }) => method === holding?.method)) {
      holding.paused++;
      await holding.released;
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(await answer(asked, calls)));
  }

  async function answer(asked: Call | Call[], calls: readonly Call[]): Promise<unknown> {
    const methods = calls.map(({ method }) => method);
    const lag = balance?.(Number((await forward("eth_blockNumber", [])).result), methods);
    if (!lag && !alteration) return post(asked);
    const replies = await Promise.all(
      calls.map(async (call) => {
        const reply = lag
          ? await answerLagging(call, lag, forward)
          : await forward(call.method, call.params ?? []);
        const isAltered = alteration && "result" in reply;
        return { ...reply, ...(isAltered && { result: alteration?.(call, reply.result) }), id: call.id };
      }),
    );
    return Array.isArray(asked) ? replies : replies[0];
  }

  const listen = async (port: number): Promise<Server> => {
    // On a busy machine, a connection that Node's 5 s have just closed would be used once more, and count as a fault.
    const listening = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      respond(request, response).catch(() => response.destroy());
    });
    listening.listen(port, "127.0.0.1");
    await once(listening, "listening");
    return listening;
  };
  const stop = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  const port = await freePort();
  let server = await listen(port);

  return {
    url: `http://127.0.0.1:${port}`,
    goAway: stop,
    async comeBack() {
      server = await listen(port);
    },
    lag(next) {
      balance = next;
    },
    fail(next) {
      fault = next;
    },
    refuse(next) {
      refusal = next;
    },
    alter(next) {
      alteration = next;
    },
    slow(ms) {
      delayMs = ms;
    },
    requests: () => requests,
    pause(method) {
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const mine = { method, paused: 0, released };
      holding = mine;
      return {
        paused: () => mine.paused,
        release() {
          holding = undefined;
          release();
        },
      };
    },
    async close() {
      if (server.listening) await stop();
    },
  };
}

/** The answer of a node whose last block is `lag.head`. */
async function answerLagging(
  { method, params = [] }: Call,
  { head, clamps = false }: Lag,
  forward: Forward,
): Promise<Reply> {
  const last = `0x${head.toString(16)}`;
  const base = { jsonrpc: "2.0" };
  const isAhead = (block: unknown): boolean => typeof block === "string" && Number(block) > head;
  switch (method) {
    case "eth_blockNumber":
      return { ...base, result: last };
    case "eth_call": {
      const [call, block] = params;
      if (!isAhead(block) && block !== "latest") return forward(method, params);
      return clamps || block === "latest" ? forward(method, [call, last]) : { ...base, error: UNKNOWN_BLOCK };
    }
    case "eth_getBlockByNumber": {
      const [block, full] = params;
      if (isAhead(block)) return { ...base, result: null };
      return forward(method, [block === "latest" ? last : block, full]);
    }
    case "eth_getBlockByHash": {
      const reply = await forward(method, params);
      const { number } = (reply.result ?? {}) as { number?: string };
      return isAhead(number) ? { ...base, result: null } : reply;
    }
    case "eth_getLogs": {
      const [filter] = params as [{ blockHash?: string; fromBlock?: string; toBlock?: string }];
      const reply = await forward(method, params);
      const logs = (reply.result ?? []) as { blockNumber: string }[];
      const isUnknown = logs.some(({ blockNumber }) => isAhead(blockNumber));
      if (filter.blockHash && isUnknown) return { ...base, error: UNKNOWN_BLOCK };
      return "result" in reply
        ? { ...reply, result: logs.filter(({ blockNumber }) => !isAhead(blockNumber)) }
        : reply;
    }
    default:
      return forward(method, params);
  }
}
