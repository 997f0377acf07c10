/** The whole service over Ponder's chain index of one contract, for benches over HTTP. */

import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chain, startChain } from "../demo/chain.ts";
import { freePort, type Service, startService } from "../demo/service.ts";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { CHAIN_ID } from "./catalog-data.ts";
import { joinPostgres } from "./postgres.ts";

/** Ponder treats the last thirty blocks as unfinalized: it answers before it has read them, and reads them at each start. */
export const BLOCKS_AFTER = 40;
export const SCHEMA = "vitrine_bench";

export interface Indexed {
  readonly collection: string;
  readonly url: string;
  readonly operatorToken: string;
  /** Ponder's serving half, the project's own by default. */
  serve(ponderArgs?: readonly string[], env?: Record<string, string>): Promise<Service>;
  /** Ponder as it indexes and serves. */
  index(): Promise<Service>;
}

/** Fills the chain, indexes it, stops the indexer and passes the result to `use`; nothing outlives it. */
export async function withIndexed<Result>(
  fill: (chain: Chain) => Promise<string>,
  use: (indexed: Indexed) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const operatorToken = randomBytes(24).toString("hex");
  const chain = await startChain();
  const started: Service[] = [];
  try {
    const collection = await fill(chain);
    await chain.mine(BLOCKS_AFTER);
    const url = await joinPostgres(folder);
    const env = environment(folder, { url, operatorToken, collection, rpcUrl: chain.rpcUrl });
    const start = async (ponderArgs: readonly string[], more: Record<string, string> = {}) => {
      const service = await startService({
        port: await freePort(),
        env: { ...env, ...more },
        logFile: join(folder, "service.log"),
        ponderArgs: [...ponderArgs, "--schema", SCHEMA],
      });
      started.push(service);
      return service;
    };
    await (await start(["start"])).stop();
    return await use({
      collection,
      url,
      operatorToken,
      serve: (ponderArgs = [], more) => start(["serve", ...ponderArgs], more),
      index: () => start(["start"]),
    });
  } finally {
    for (const service of started) await service.stop();
    await stopEmbeddedPostgres(folder);
    await chain.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly url: string;
  readonly operatorToken: string;
  readonly collection: string;
  readonly rpcUrl: string;
}

function environment(folder: string, { url, operatorToken, collection, rpcUrl }: Place) {
  const collectionsFile = join(folder, "collections.json");
  const collections = [{ chainId: CHAIN_ID, address: collection, startBlock: 0 }];
  writeFileSync(collectionsFile, JSON.stringify(collections));
  return {
    DATABASE_URL: url,
    VITRINE_DATA: folder,
    VITRINE_OPERATOR_TOKEN: operatorToken,
    COLLECTIONS_FILE: collectionsFile,
    [`PONDER_RPC_URL_${CHAIN_ID}`]: rpcUrl,
    [`DELEGATE_REGISTRY_${CHAIN_ID}`]: "off",
    // There is nothing to fetch from.
    REFRESH_CONCURRENCY: "0",
  };
}
