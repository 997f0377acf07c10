/** Waits for the nodes that the indexer needs, while a replica serves. */

import { setTimeout as sleep } from "node:timers/promises";
import { readIndexAtStart } from "../src/api/chain/index/index-at-start.ts";
import { chainsWithoutNode } from "../src/api/chain/index/require-nodes.ts";
import { databaseUrl } from "../src/api/postgres/database-url.ts";
import { BootError } from "../src/boot-error.ts";
import { loadIndexConfig } from "../src/config.ts";

const PROBE_EVERY_MS = 2_000;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns what resolves once each chain that the schema has an index of has a node again, or when `ended` is aborted. It
 * also resolves when the configuration can't be read any more: then the indexer says why. Never rejects.
 */
export const createNodeWatch =
  (environment: Environment, schema: string) =>
  async (ended: AbortSignal): Promise<void> => {
    while (!ended.aborted && (await isNodeLacking(environment, schema))) {
      await sleep(PROBE_EVERY_MS, undefined, { signal: ended }).catch(() => undefined);
    }
  };

async function isNodeLacking(environment: Environment, schema: string): Promise<boolean> {
  try {
    const { chains } = loadIndexConfig(environment);
    const { finalized } = await readIndexAtStart(await databaseUrl(environment), schema);
    return (await chainsWithoutNode(finalized, chains)).length > 0;
  } catch (error) {
    // Without its database, the indexer can't start either.
    return !(error instanceof BootError);
  }
}
