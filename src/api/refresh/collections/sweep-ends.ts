/** Ends sweeps once every token of theirs is answered, and publishes how they ended. */

import type { Database } from "../../db/database.ts";
import { type PassLoop, startPassLoop } from "../../jobs/pass-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import {
  type EndingSweep,
  endSweep,
  isAwaited,
  lockEnding,
  readEnding,
  sumReceipt,
  withdrawQueued,
} from "./collection-store.ts";

const POLL_MS = 1_000;
const SWEEPS_MAX = 100;

/** How many tokens of a collection have a problem. */
export interface IssueCount {
  readonly code: string;
  readonly kind: string;
  readonly count: number;
}

export type ReadIssueCounts = (chainId: number, collection: string) => Promise<readonly IssueCount[]>;

export interface SweepEndsDeps {
  readonly database: Database;
  readonly readIssueCounts: ReadIssueCounts;
  readonly logger: Logger;
}

export function createSweepEnds({ database, readIssueCounts, logger }: SweepEndsDeps) {
  /** A sweep ends without them if they can't be counted. */
  async function countIssues({ chainId, collection }: EndingSweep): Promise<readonly IssueCount[] | null> {
    try {
      return await readIssueCounts(chainId, collection);
    } catch (error) {
      logger.warn({ msg: "Could not count the issues of a refreshed collection", collection, error });
      return null;
    }
  }

  async function endOne(sweep: EndingSweep): Promise<boolean> {
    const { id, receiptId, requestId, total } = sweep;
    if (sweep.isCancelled) {
      await database.transaction(async (tx) => {
        if (await lockEnding(tx, id)) await withdrawQueued(tx, receiptId);
      });
    }
    if (await isAwaited(database, receiptId)) return false;
    const issues = await countIssues(sweep);
    const digest = await database.transaction(async (tx) => {
      const locked = await lockEnding(tx, id);
      if (!locked) return undefined;
      // It may have been cancelled while the issues were counted.
      const { isCancelled } = locked;
      const sums = await sumReceipt(tx, receiptId);
      const { updated = 0, unchanged = 0, failed = 0, not_found = 0 } = sums;
      const read = updated + unchanged + failed + not_found;
      const cancelled = isCancelled ? Math.max(0, total - read) : 0;
      const ended = {
        refresh_id: receiptId,
        status: isCancelled ? "cancelled" : "done",
        counts: { total: Math.max(total, read), updated, unchanged, failed, not_found, cancelled },
        issues: issues?.map(({ code, kind, count }) => ({ code, kind, count })) ?? null,
      };
      await endSweep(tx, id, ended);
      return ended;
    });
    if (digest && requestId !== null) {
      const { refresh_id, status, counts } = digest;
      logger.info({ msg: "Refresh ended", request_id: requestId, refresh_id, status, ...counts });
    }
    return digest !== undefined;
  }

  return {
    /** Ends what has nothing left to fetch; returns how many sweeps that were. */
    async endFinished(): Promise<number> {
      let ended = 0;
      for (const sweep of await readEnding(database, SWEEPS_MAX)) if (await endOne(sweep)) ended++;
      return ended;
    },
  };
}

export function startSweepEnds(deps: SweepEndsDeps): PassLoop {
  const ends = createSweepEnds(deps);
  return startPassLoop({
    task: "end sweeps",
    pollMs: POLL_MS,
    logger: deps.logger,
    async pass() {
      await ends.endFinished();
    },
  });
}
