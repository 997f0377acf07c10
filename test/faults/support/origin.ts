/** A metadata host that answers each request as a test specifies, well or badly, and records it. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface Answer {
  /** 200 when absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly delayMs?: number;
  /** `never` accepts the request and stays silent; `half` sends half the body and disconnects. */
  readonly fault?: "never" | "half";
  /** Whitespace trickles until this resolves; then the body follows. */
  readonly delayedUntil?: Promise<unknown>;
}

export interface OriginRequest {
  readonly path: string;
  /** The client's User-Agent. */
  readonly agent: string;
  readonly at: number;
}

/** `nth` counts the requests for this path from 1. */
export type Behaviour = (path: string, nth: number) => Answer;

export interface Origin {
  readonly url: string;
  /** `host:port`, as ALLOW_PRIVATE_HOSTS takes it. */
  readonly host: string;
  readonly requests: readonly OriginRequest[];
  /** How often this path was requested. */
  count(path: string): number;
  /** Clears the recorded requests. */
  forget(): void;
  /** Changes the behaviour from now on. */
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

const TRICKLE_MS = 1_000;

/** A complete document. */
export const documentNamed = (name: string): string =>
  JSON.stringify({
    name,
    image: "https://img.example/a.png",
    attributes: [{ trait_type: "Kind", value: "hero" }],
  });

/** Starts an origin on 127.0.0.1; initially every path answers with a document named after it. */
export async function startOrigin(
  first: Behaviour = (path) => ({ body: documentNamed(path) }),
): Promise<Origin> {
  let behaviour = first;
  let requests: OriginRequest[] = [];
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const nth = (counts.get(path) ?? 0) + 1;
    counts.set(path, nth);
    requests.push({ path, agent: request.headers["user-agent"] ?? "", at: Date.now() });
    send(behaviour(path, nth), request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url: `http://${host}`,
    host,
    get requests() {
      return requests;
    },
    count: (path) => counts.get(path) ?? 0,
    forget() {
      requests = [];
      counts.clear();
    },
    behave(next) {
      behaviour = next;
    },
    async close() {
      server.close();
      // Unanswered requests would keep the server open.
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function send(answer: Answer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status = 200, headers = {}, body = "", delayMs = 0, fault, delayedUntil } = answer;
  if (fault === "never") return;
  if (delayMs > 0) await sleep(delayMs);
  const type = { "content-type": "application/json", ...headers };
  if (fault === "half") {
    response.writeHead(status, { ...type, "content-length": Buffer.byteLength(body) });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
    return;
  }
  response.writeHead(status, type);
  if (delayedUntil) {
    const trickle = setInterval(() => response.write(" "), TRICKLE_MS);
    response.write(" ");
    await Promise.race([delayedUntil, once(request, "close")]);
    clearInterval(trickle);
  }
  response.end(body);
}
