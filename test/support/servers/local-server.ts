/** A real HTTP server on this machine that counts requests, for what the metadata module fetches. */

import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface LocalServer {
  readonly port: number;
  /** `127.0.0.1:port`, as the allowlist spells it. */
  readonly host: string;
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly IncomingMessage[];
  /** How many connections were opened, with or without a request. */
  connections(): number;
  close(): Promise<void>;
}

/** Listens on every address of the machine, so that no refusal comes from a closed port. */
export async function startLocalServer(listener: RequestListener): Promise<LocalServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  let connections = 0;
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
