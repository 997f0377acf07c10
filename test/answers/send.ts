/** Sends requests over HTTP as they are, and starts commands. */

import { spawn } from "node:child_process";
import http from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Answer, HttpRequest, Values } from "./request.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
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

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `vitrine` with these arguments; nothing of this process's environment but what a program needs. */
export async function runCommand(args: readonly string[], env: Values, stdin = ""): Promise<Ended> {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  const child = spawn(process.execPath, ["bin/vitrine.js", ...args], {
    cwd: ROOT,
    env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), NO_COLOR: "1", ...env },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  // A command that ends without reading its input closes the pipe.
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
