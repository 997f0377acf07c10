/** Reports the progress of a new chain index, and when it has caught up with the old one and with the node. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Freshness } from "../../src/api/app/health.ts";

const POLL_MS = 1_000;
const SAY_MS = 5_000;

type ChainFreshness = Freshness["chains"][number];

export interface CatchUpDeps {
  /** Every chain that the new index must have. */
  readonly chainIds: readonly number[];
  /** The new service's /freshness; rejects while the service is down. */
  readonly freshness: () => Promise<Freshness>;
  /** The old index's block on each chain. */
  readonly oldHeads: () => Promise<ReadonlyMap<number, number>>;
  /** How many database indexes for serving the new index lacks. */
  readonly missingIndexes: () => Promise<number>;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
  readonly pollMs?: number;
}

/**
 * True once the database indexes are there, and every chain is ready and has reached the block at which its node or the
 * old index was one poll earlier: on a fast chain the head itself is never reached. False if aborted first.
 */
export async function untilCaughtUp(deps: CatchUpDeps): Promise<boolean> {
  const { chainIds, freshness, onLine, signal, pollMs = POLL_MS } = deps;
  let goals: ReadonlyMap<number, number> | undefined;
  let said = "";
  let saidMissing = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const now = await freshness().catch(() => undefined);
    const chains = chainIds.map((id) => now?.chains.find(({ chain_id }) => chain_id === id));
    const text = now ? chainIds.map((id, at) => describe(id, chains[at])).join("; ") : "starting";
    if (text !== said && performance.now() - saidAt >= SAY_MS) {
      onLine(text);
      said = text;
      saidAt = performance.now();
    }

    const ready = chains.filter((chain) => chain?.ready) as ChainFreshness[];
    if (ready.length < chainIds.length) goals = undefined;
    else if (ready.every(({ chain_id, indexed }) => indexed >= (goals?.get(chain_id) ?? Infinity))) {
      const missing = await countMissing(deps);
      if (missing === 0) return true;
      if (missing !== undefined && missing !== saidMissing)
        onLine(`waiting for the database indexes of serving (${missing} missing)`);
      saidMissing = missing ?? saidMissing;
    } else goals = await goalsOf(ready, deps);
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/** No goal for a chain that the old index lacks and whose node does not answer. */
async function goalsOf(
  chains: readonly ChainFreshness[],
  { oldHeads, onLine }: CatchUpDeps,
): Promise<ReadonlyMap<number, number> | undefined> {
  try {
    const old = await oldHeads();
    return new Map(
      chains.flatMap(({ chain_id, head }): [number, number][] => {
        const heads = [head, old.get(chain_id)].filter((block) => block !== null && block !== undefined);
        return heads.length > 0 ? [[chain_id, Math.max(...heads)]] : [];
      }),
    );
  } catch (error) {
    onLine(`the old index can't be read (${(error as Error).message}); trying again`);
    return undefined;
  }
}

async function countMissing({ missingIndexes, onLine }: CatchUpDeps): Promise<number | undefined> {
  try {
    return await missingIndexes();
  } catch (error) {
    onLine(`the new index can't be read (${(error as Error).message}); trying again`);
    return undefined;
  }
}

function describe(id: number, chain: ChainFreshness | undefined): string {
  if (!chain) return `chain ${id}: no block yet`;
  const { indexed, head, lag_seconds, ready } = chain;
  const of = head === null ? ", and its node does not answer" : ` of ${head}`;
  const lag = lag_seconds > 0 ? `, ${lag_seconds} s behind` : "";
  return `chain ${id}: block ${indexed}${of}${lag}${ready ? ", ready" : ""}`;
}
