/** Sends requests like clients at many addresses, and judges each answer. */

import http from "node:http";
import { call, type FuzzAnswer } from "../../fuzz/support/call.ts";
import { faultOf } from "../../fuzz/support/judge.ts";
import type { Random } from "../../support/random.ts";
import type { Outcome } from "./traffic.ts";

const CONNECTIONS_MAX = 64;

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** Sent as JSON; text is sent unchanged. */
  readonly body?: unknown;
}

export interface Answered extends Outcome {
  /** Undefined if there was no answer. */
  readonly answer: FuzzAnswer | undefined;
  /** Undefined if the answer is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
  readonly json: any;
}

export interface Client {
  readonly port: number;
  ask(random: Random, ask: Ask): Promise<Answered>;
  /** While this returns true, 503 with Retry-After is an acceptable answer. */
  excused: () => boolean;
  close(): void;
}

export function createClient(port: number): Client {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX });
  const client: Client = {
    port,
    excused: () => false,

    async ask(random, { method, path, headers = {}, body }) {
      const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      const sent = {
        method: method ?? (text === undefined ? "GET" : "POST"),
        path,
        headers: {
          "x-forwarded-for": addressOf(random),
          ...(text !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        body: text,
      };
      const wasExcused = client.excused();
      const answer = (await call(port, agent, sent)) ?? "Node would not send it";
      const place = `${sent.method} ${path} ${text ?? ""}`;
      if (typeof answer === "string")
        return { label: "none", fault: `${place}\n  ${answer}`, answer: undefined, json: undefined };
      const isUnexcused = answer.status === 503 && !wasExcused && !client.excused();
      const fault = faultOf(sent, answer) ?? (isUnexcused ? `status 503: ${answer.text}` : undefined);
      return {
        label: String(answer.status),
        fault: fault && `${place}\n  ${fault}`,
        answer,
        json: answer.headers["content-type"]?.includes("json") ? parse(answer.text) : undefined,
      };
    },

    close: () => agent.destroy(),
  };
  return client;
}

const NEW_SHARE = 0.05;

/**
 * Nearly always one of 2,000 clients, so that what is kept of each is full after a third; and now and then a client that
 * was never there, so that a leak per client shows.
 */
export function addressOf(random: Random): string {
  if (random.chance(NEW_SHARE))
    return `10.${random.whole(1, 255)}.${random.whole(0, 255)}.${random.whole(1, 254)}`;
  return `10.0.${random.whole(0, 7)}.${random.whole(1, 250)}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
