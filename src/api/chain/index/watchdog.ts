/** Detects a chain index that is stalled while its node advances: Ponder keeps reporting itself ready. */

import { startPassLoop } from "../../jobs/pass-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import type { LatestBlock } from "../contract/read-block.ts";
import type { IndexHeads } from "./index-heads.ts";

const CHECK_EVERY_MS = 10_000;
// A call waits 60 seconds for an endpoint and then recovers by itself.
const STALLED_MS = 90_000;

export interface WatchdogDeps {
  readonly heads: IndexHeads;
  readonly latestBlock: LatestBlock;
  /** Called once per stall, and again after the same time if it continues. */
  readonly onStall: (reason: string) => void;
  readonly logger: Logger;
  /** False while nobody indexes, on purpose: nothing is checked then. */
  readonly isIndexed?: boolean;
  /** Logs the logs that could not be indexed in full, at every check. */
  readonly logAnomalies?: () => Promise<void>;
  /** In milliseconds; a monotonic clock by default: a step of the clock is no time that has passed. */
  readonly now?: () => number;
}

/** Checks every chain; `startWatchdog` does so every ten seconds. An unavailable node is no stall. */
export function createWatchdog({
  heads,
  latestBlock,
  onStall,
  isIndexed = true,
  now = () => performance.now(),
}: WatchdogDeps) {
  // Since when an index has been at a block while its node was ahead, as far as the checks show.
  const seen = new Map<number, { readonly block: number; readonly since: number }>();
  const stalled = new Set<number>();
  return {
    /** The chains whose index was stalled at the last check. */
    stalled: stalled as ReadonlySet<number>,

    async check(): Promise<void> {
      if (!isIndexed) return;
      for (const { chainId, block, ready } of await heads.read()) {
        const last = seen.get(chainId);
        // A backfill may take any time; a reorg may lower the head.
        if (!ready || !last || last.block !== block) {
          seen.set(chainId, { block, since: now() });
          stalled.delete(chainId);
          continue;
        }
        const latest = await latestBlock(chainId).catch(() => block);
        const isAhead = latest > block;
        const isStalled = isAhead && now() - last.since >= STALLED_MS;
        // A block that the node made just now is about to be indexed.
        if (!isAhead || isStalled) seen.set(chainId, { block, since: now() });
        if (isStalled) {
          stalled.add(chainId);
          onStall(
            `The index of chain ${chainId} has stood at block ${block} for ${STALLED_MS / 1000} seconds, and its node is at ${latest}.`,
          );
        }
      }
    },
  };
}

export type Watchdog = ReturnType<typeof createWatchdog>;

export function startWatchdog(deps: WatchdogDeps): Pick<Watchdog, "stalled"> & { stop(): void } {
  const watchdog = createWatchdog(deps);
  const loop = startPassLoop({
    task: "watch the index",
    firstMs: CHECK_EVERY_MS,
    pollMs: CHECK_EVERY_MS,
    logger: deps.logger,
    async pass() {
      await Promise.all([watchdog.check(), deps.logAnomalies?.()]);
    },
  });
  // Not awaited: an unavailable node may delay a check.
  return { stalled: watchdog.stalled, stop: () => void loop.stop() };
}
