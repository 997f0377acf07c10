/** A receiver of webhooks on this machine, which verifies every signature with the specification's own library. */

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { freePort } from "../../../demo/ports.ts";

export interface Message {
  readonly id: string;
  /** Of the header `webhook-timestamp`, in seconds. */
  readonly timestamp: number;
  /** How many signatures the header has. */
  readonly signatures: number;
  readonly path: string;
  readonly type: string;
  readonly at: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are checked field by field
  readonly data: any;
}

/** Answers a verified message. */
export type Answering = (message: Message, response: ServerResponse) => void;

export const accept: Answering = (_message, response) => void response.writeHead(204).end();

export interface Receiver {
  readonly host: string;
  readonly url: string;
  /** Verified messages, in the order of their arrival, whatever the answer was. */
  readonly messages: Message[];
  /** Those that were answered with 2xx. */
  readonly accepted: Message[];
  /** What arrived with a wrong signature: the message's id and what is wrong. */
  readonly forged: string[];
  /** The most requests at once. */
  most(): number;
  /** By the path of the URL. */
  readonly secrets: Map<string, string>;
  answering: Answering;
  /** Ends all connections and refuses new ones, on the same port, until it is opened again. */
  shut(): Promise<void>;
  open(): Promise<void>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const forged: string[] = [];
  // The port may have been another test's a moment ago, whose service still sends there.
  const root = `/${randomUUID()}`;
  let now = 0;
  let most = 0;
  const port = await freePort();
  const messages: Message[] = [];
  const accepted: Message[] = [];
  const secrets = new Map<string, string>();
  const server = createServer((request, response) => {
    most = Math.max(most, ++now);
    response.on("close", () => now--);
    let body = "";
    request.setEncoding("utf8");
    request.on("error", () => undefined);
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const headers = request.headers as Record<string, string>;
      const path = request.url?.startsWith(`${root}/`) ? request.url.slice(root.length) : undefined;
      if (path === undefined) {
        response.writeHead(404).end();
        return;
      }
      try {
        new Webhook(secrets.get(path) ?? "").verify(body, headers);
      } catch (error) {
        forged.push(`${headers["webhook-id"]}: ${error}`);
        response.writeHead(401).end();
        return;
      }
      const { type, timestamp: at, data } = JSON.parse(body);
      const message = {
        id: headers["webhook-id"] ?? "",
        timestamp: Number(headers["webhook-timestamp"]),
        signatures: (headers["webhook-signature"] ?? "").split(" ").length,
        path,
        type,
        at,
        data,
      };
      messages.push(message);
      receiver.answering(message, response);
      if (response.statusCode >= 200 && response.statusCode < 300 && response.writableEnded)
        accepted.push(message);
    });
  });
  const open = async (): Promise<void> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const shut = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  await open();
  const receiver: Receiver = {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}${root}`,
    messages,
    accepted,
    secrets,
    forged,
    most: () => most,
    answering: accept,
    shut,
    open,
    close: shut,
  };
  return receiver;
}

/** What of each subject arrived before something earlier of it, first arrivals only. */
export function disorder(messages: readonly Message[]): string[] {
  const newest = new Map<string, number>();
  const seen = new Set<string>();
  const found: string[] = [];
  for (const { id, path, data } of messages) {
    if (seen.has(id)) continue;
    seen.add(id);
    const subject = `${path} ${data.chain_id} ${data.collection_address} ${data.token_id}`;
    const before = newest.get(subject) ?? 0;
    if (data.id < before) found.push(`${subject}: ${data.id} after ${before}`);
    newest.set(subject, Math.max(before, data.id));
  }
  return found;
}
