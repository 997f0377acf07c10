/** Refresh workers that fetch from real hosts on local sockets. */

import type { RequestListener } from "node:http";
import { onTestFinished } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import type { ReadUri } from "../../../src/api/metadata/uri/read-uri.ts";
import { createResolve } from "../../../src/api/metadata/uri/resolve.ts";
import { startRefreshWorker, type WorkerDeps } from "../../../src/api/refresh/worker/worker.ts";
import type { TestDatabase } from "../database/database.ts";
import { CHAIN_ID } from "../refresh/refresh.ts";
import { startLocalServer } from "../servers/local-server.ts";
import { createMemoryLogger, noteHost } from "./worker.ts";

export const answerHero: RequestListener = (_request, response) => {
  response.end(JSON.stringify({ name: "Hero", image: "https://img.example/1.png" }));
};
export const silence: RequestListener = () => {};
export const refuse =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end();
  };

/** A host that counts its requests, in total and concurrently. */
export async function startHost(listener: RequestListener) {
  let most = 0;
  let now = 0;
  const host = {
    listener,
    /** The most requests at once. */
    most: () => most,
    now: () => now,
    ...(await startLocalServer((request, response) => {
      most = Math.max(most, ++now);
      response.on("close", () => now--);
      host.listener(request, response);
    })),
  };
  onTestFinished(() => host.close());
  return host;
}

export type Host = Awaited<ReturnType<typeof startHost>>;

/** Starts replicas whose token ids select hosts: hundreds the first, thousands the second. */
export function createReplicas({ database, tables }: TestDatabase) {
  return (hosts: readonly Host[], concurrency = 4, overrides: Partial<WorkerDeps> = {}) => {
    const hostOf = (tokenId: string): Host | undefined => hosts[tokenId.length - 3];
    const fetch = createGuardedFetch(new Set(hosts.map(({ host }) => host)), "test");
    const { logger } = createMemoryLogger();
    const readUri: ReadUri = async ({ tokenId }) => ({
      kind: "read",
      uri: `${hostOf(tokenId)?.url}/${tokenId}`,
      standard: "erc721",
    });
    const worker = startRefreshWorker({
      database,
      tables,
      metadata: createMetadata({
        tables,
        resolve: createResolve({ readUri, fetch, fetchFromGateway: fetch, gateways: [] }),
      }),
      noteHost,
      readBlock: async () => 1,
      chainIds: [CHAIN_ID],
      concurrency,
      logger,
      ...overrides,
    });
    onTestFinished(() => worker.stop());
    return worker;
  };
}
