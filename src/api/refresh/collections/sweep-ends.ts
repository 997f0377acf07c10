/** Ends sweeps once every token of theirs is answered and cancelled ones are counted, and publishes how they ended. */

import type { Database } from "../../db/database.ts";
import { createFaultIsolation } from "../../jobs/fault-isolation.ts";
import { type PassLoop, startPassLoop } from "../../jobs/pass-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import type { MetadataService } from "../../metadata/service.ts";
import { countOn } from "../triggers/sweeps.ts";
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
  readonly metadata: Pick<MetadataService, "listedInRange">;
  readonly readIssueCounts: ReadIssueCounts;
  readonly logger: Logger;
}

/** `counting`: more of its tokens may be left to count. */
type Step = "ended" | "counting" | "waiting";

export function createSweepEnds({ database, metadata, readIssueCounts, logger }: SweepEndsDeps) {
  const isolation = createFaultIsolation("end a sweep", logger);
  /** A sweep ends without them if they can't be counted. */
  async function countIssues({ chainId, collection }: EndingSweep): Promise<readonly IssueCount[] | null> {
    try {
      return await readIssueCounts(chainId, collection);
    } catch (error) {
      logger.warn({ msg: "Could not count the issues of a refreshed collection", collection, error });
      return null;
    }
  }

  async function endOne(sweep: EndingSweep): Promise<Step> {
    const { id, receiptId, requestId, total } = sweep;
    if (sweep.isCancelled) {
      const isLocked = await stopOne(sweep);
      if (!sweep.isCounted) return isLocked ? "counting" : "waiting";
    }
    if (await isAwaited(database, receiptId)) return "waiting";
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
    return digest === undefined ? "waiting" : "ended";
  }

  /** Withdraws what a cancelled sweep has queued, and counts more of its tokens. False while another process does. */
  function stopOne({ id, receiptId }: EndingSweep): Promise<boolean> {
    return database.transaction(async (tx) => {
      const sweep = await lockEnding(tx, id);
      if (!sweep) return false;
      // First: the rows of the queue stay locked until the end.
      await countOn(tx, metadata, sweep);
      await withdrawQueued(tx, receiptId);
      return true;
    });
  }

  return {
    /**
     * Ends what has nothing left to fetch, once cancelled sweeps are counted; returns how many sweeps that were. An
     * aborted signal leaves the rest of the count to others. A sweep that fails keeps no other from its end.
     */
    async endFinished(signal?: AbortSignal): Promise<number> {
      let ended = 0;
      let isCounting = true;
      while (isCounting) {
        const steps: (Step | undefined)[] = [];
        for (const sweep of await readEnding(database, SWEEPS_MAX)) {
          const { id, chainId, collection } = sweep;
          steps.push(await isolation.run({ chain_id: chainId, collection, sweep: id }, () => endOne(sweep)));
        }
        ended += steps.filter((step) => step === "ended").length;
        isCounting = steps.includes("counting") && !signal?.aborted;
      }
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
    async pass(signal) {
      await ends.endFinished(signal);
    },
  });
}
