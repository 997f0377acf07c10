/** A service that answers what a test says, and remembers what it was asked. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createVitrine, type Vitrine, type VitrineOptions } from "../../clients/typescript/src/index.ts";

export type Step = (request: IncomingMessage, response: ServerResponse) => void;

export interface ScriptedService {
  readonly baseUrl: string;
  /** Method and URL of each request, in their order. */
  readonly requests: string[];
  readonly headers: IncomingMessage["headers"][];
  client(options?: Partial<VitrineOptions>): Vitrine;
  close(): void;
}

/** The last step answers every further request. */
export async function startScriptedService(...steps: readonly Step[]): Promise<ScriptedService> {
  const requests: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const server = createServer((request, response) => {
    const step = steps[Math.min(requests.length, steps.length - 1)];
    requests.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    request.resume();
    step?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl,
    requests,
    headers,
    client: (options) => createVitrine({ baseUrl, apiKey: "vk_test", ...options }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };

export const refusal = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Step =>
  json(status, { message: code.toLowerCase(), code, request_id: "7f0c" }, headers);

/** Ends the connection without a response. */
export const hangUp: Step = (request) => request.socket.destroy();

/** Never answers. */
export const silence: Step = () => undefined;

/** A part of an event stream, which then ends. */
export const stream =
  (...chunks: readonly string[]): Step =>
  async (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of chunks) {
      response.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
