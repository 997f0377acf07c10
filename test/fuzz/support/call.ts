/** One HTTP request, sent unchanged, and its result. */

import http from "node:http";

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | undefined;
}

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

const ANSWER_BYTES_MAX = 20 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** Resolves with a sentence if the connection ended without an answer, and with undefined if Node won't send it. */
export function call(
  port: number,
  agent: http.Agent,
  sent: FuzzRequest,
): Promise<FuzzAnswer | string | undefined> {
  return new Promise((resolve) => {
    let request: http.ClientRequest;
    try {
      const { method, path, body } = sent;
      // For some methods Node would send a body without its length.
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const headers = { ...length, ...sent.headers };
      request = http.request({ host: "127.0.0.1", port, agent, method, path, headers, timeout: TIMEOUT_MS });
    } catch {
      return resolve(undefined);
    }
    request.on("response", (response) => {
      const answer = (text: string) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      if (response.headers["content-type"]?.startsWith("text/event-stream")) {
        // A stream never ends by itself.
        response.destroy();
        return answer("");
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > ANSWER_BYTES_MAX) resolve(`answered more than ${ANSWER_BYTES_MAX} bytes`);
      });
      response.on("end", () => answer(Buffer.concat(chunks).toString()));
      response.on("error", (error) => resolve(`the answer broke off: ${error.message}`));
    });
    request.on("timeout", () => {
      resolve(`no answer within ${TIMEOUT_MS} ms`);
      request.destroy();
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      // The other side may close an idle connection just as it is reused.
      if (request.reusedSocket && error.code === "ECONNRESET") resolve(call(port, new http.Agent(), sent));
      else resolve(`no answer: ${error.message}`);
    });
    request.end(sent.body);
  });
}
