/** Waits for the nodes that the indexer needs, while a replica serves. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Checkpoint } from "../src/api/chain/index/checkpoint.ts";
import { readIndexAtStart } from "../src/api/chain/index/index-at-start.ts";
import { chainsWithoutNode } from "../src/api/chain/index/require-nodes.ts";
import { databaseUrl } from "../src/api/postgres/database-url.ts";
import { BootError } from "../src/boot-error.ts";
import { loadIndexConfig } from "../src/config.ts";

const PROBE_EVERY_MS = 2_000;
// A handover costs a start, in which nothing is served: not for a node that comes and goes.
const ANSWERS_IN_A_ROW = 6;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Resolves once each chain that the schema has an index of has had a node for ten seconds, or when `ended` is aborted. A
 * configuration that can't be read meanwhile is said to `say`, and waited for. Never rejects.
 */
export async function untilNodesAnswer(
  ended: AbortSignal,
  environment: Environment,
  schema: string,
  say: (line: string) => void,
  probeEveryMs = PROBE_EVERY_MS,
): Promise<void> {
  // Nobody indexes meanwhile, so these stay.
  let finalized: readonly Checkpoint[] | undefined;
  async function haveAllNodes(): Promise<boolean> {
    const { chains } = loadIndexConfig(environment);
    finalized ??= (await readIndexAtStart(await databaseUrl(environment), schema)).finalized;
    return (await chainsWithoutNode(finalized, chains)).length === 0;
  }

  let said = "";
  let answers = 0;
  while (!ended.aborted) {
    const haveAll = await haveAllNodes().catch((error: Error) => {
      // The replica itself says what it lacks of PostgreSQL.
      if (error instanceof BootError && error.message !== said) {
        said = error.message;
        say(`The indexer can't be started: ${said}`);
      }
      return false;
    });
    answers = haveAll ? answers + 1 : 0;
    if (answers === ANSWERS_IN_A_ROW) return;
    await sleep(probeEveryMs, undefined, { signal: ended }).catch(() => undefined);
  }
}
