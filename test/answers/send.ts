/** Sends requests over HTTP as they are, and starts commands. */

import http from "node:http";
import { type Ended, runVitrine } from "../support/processes/command.ts";
import type { Answer, HttpRequest, Values } from "./request.ts";

const TIMEOUT_MS = 120_000;

export interface Sent {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Values;
  readonly body: string | undefined;
  /** Ends the answer, a stream, after so many events that hold this text. */
  readonly events?: HttpRequest["events"];
}

/** Rejects where no answer comes, or it breaks off. */
export function send({ port, method, path, headers, body, events }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const request = http.request({
      host: "localhost",
      port,
      method,
      path,
      headers: { ...length, ...headers },
      // One connection each: none that the service closes is in the way of the next request.
      agent: false,
      timeout: TIMEOUT_MS,
    });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      const answer = (): void =>
        resolve({
          status: response.statusCode ?? 0,
          headers: headersOf(response.rawHeaders),
          text: Buffer.concat(chunks).toString(),
        });
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (!events || eventsOf(Buffer.concat(chunks).toString(), events.of).length < events.count) return;
        answer();
        response.destroy();
      });
      response.on("end", answer);
      response.on("error", reject);
    });
    request.on("timeout", () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    request.on("error", reject);
    request.end(body);
  });
}

/** In lower case; values of a header that came several times stand on lines of their own. */
function headersOf(raw: readonly string[]): Values {
  const headers: Values = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    const value = raw[at + 1] ?? "";
    headers[name] = headers[name] === undefined ? value : `${headers[name]}\n${value}`;
  }
  return headers;
}

/** The events of a stream that are there whole and hold a text, without comments. */
export const eventsOf = (stream: string, of: string): string[] =>
  stream
    .split("\n\n")
    .slice(0, -1)
    .filter((block) => /^data:/m.test(block) && block.includes(of));

/** Runs `vitrine` with these arguments, and without colours. */
export const runCommand = (args: readonly string[], env: Values, stdin = ""): Promise<Ended> =>
  runVitrine(args, { env: { NO_COLOR: "1", ...env }, stdin });
