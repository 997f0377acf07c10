/**
 * Work that is due once a day, done by one of the processes that share the database. Nobody waits for it, and it may read
 * every token: it takes a fifth of the time, and requests the rest.
 */

import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import type { Logger } from "../logging/logger.ts";
import { backgroundRest } from "./background-rest.ts";
import { createPageSize } from "./page-size.ts";
import { type PassLoop, startPassLoop } from "./pass-loop.ts";

const POLL_MS = 600_000;
// A job may be unable to run yet, for example while an index is being built.
const WAITING_MS = 5_000;
// Until it has ended, a claim is renewed, and counts as one of a day ago less this much: the job of a process that was killed
// is due again after an hour.
const CLAIMED_FOR = "interval '1 hour'";
const CLAIMED_AT = `now() - interval '1 day' + ${CLAIMED_FOR}`;
const RENEW_MS = 600_000;

export interface DailyJob {
  readonly name: string;
  /**
   * Works in steps short enough for the statement timeout, and returns how many rows it deleted. Undefined if it can't
   * run yet: then it stays due. Before each statement and transaction but the first it rests; they reject once the process
   * stops.
   */
  run(database: Database): Promise<number | undefined>;
}

export interface Daily {
  /**
   * Runs the jobs that are due. A job that fails, or that the signal stops, is due again at the next poll. True while a job
   * can't run yet.
   */
  runDue(signal?: AbortSignal): Promise<boolean>;
}

type Rest = (ms: number, signal: AbortSignal) => Promise<unknown>;

/**
 * The database for a job, which rests before each next step for a multiple of what it has taken since the last rest, and calls
 * `beforeStep` after it.
 */
function throttled(
  database: Database,
  signal: AbortSignal,
  rest: Rest,
  beforeStep: () => Promise<void>,
): Database {
  let resumedAt: number | undefined;
  async function step<Result>(work: () => Promise<Result>): Promise<Result> {
    if (resumedAt !== undefined) await rest(backgroundRest(performance.now() - resumedAt), signal);
    signal.throwIfAborted();
    await beforeStep();
    resumedAt = performance.now();
    return work();
  }
  return {
    ...database,
    query: (...statement) => step(() => database.query(...statement)),
    transaction: (...transaction) => step(() => database.transaction(...transaction)),
  };
}

export function createDaily(deps: {
  readonly database: Database;
  readonly jobs: readonly DailyJob[];
  readonly logger: Logger;
  /** Replaces the time between steps in tests; it rejects once the signal is aborted. */
  readonly rest?: Rest;
}): Daily {
  const { database, jobs, logger, rest = (ms, signal) => wait(ms, undefined, { signal }) } = deps;

  /** For one process per day, the time that marks its claim: the row is the claim. */
  async function claim(name: string): Promise<string | undefined> {
    const [row] = await database.query<{ at: string }>(
      `insert into vitrine.daily_job as j (name, ran_at) values ($1, ${CLAIMED_AT})
       on conflict (name) do update set ran_at = excluded.ran_at
        where j.ran_at < now() - interval '1 day'
           -- Of a clock that has stepped back since. Another process may have claimed it a moment after this statement began.
           or j.ran_at > now() + interval '1 minute'
       returning ran_at::text as at`,
      [name],
    );
    return row?.at;
  }

  /** Moves the claim's mark, if it is still this one; the new mark. */
  async function mark(name: string, at: string, to: string): Promise<string | undefined> {
    const [row] = await database.query<{ at: string }>(
      `update vitrine.daily_job set ran_at = ${to} where name = $1 and ran_at = $2::timestamptz returning ran_at::text as at`,
      [name, at],
    );
    return row?.at;
  }

  /** Claims that could not be released, as while the database is away: nobody else takes them for an hour. */
  const unreleased = new Map<string, string>();

  /** Not the claim of another process, which has taken a job over that takes longer than a day. */
  async function release(name: string, at: string): Promise<void> {
    unreleased.set(name, at);
    await database.query("delete from vitrine.daily_job where name = $1 and ran_at = $2::timestamptz", [
      name,
      at,
    ]);
    unreleased.delete(name);
  }

  /** True if the job can't run yet. */
  async function runIfDue({ name, run }: DailyJob, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const left = unreleased.get(name);
    if (left !== undefined) await release(name, left);
    const claimed = await claim(name);
    if (claimed === undefined) return false;
    let claimedAt = claimed;
    let renewedAt = performance.now();
    const renew = async (): Promise<void> => {
      if (performance.now() - renewedAt < RENEW_MS) return;
      renewedAt = performance.now();
      claimedAt = (await mark(name, claimedAt, CLAIMED_AT)) ?? claimedAt;
    };
    let rows: number | undefined;
    try {
      rows = await run(throttled(database, signal, rest, renew));
    } catch (error) {
      await release(name, claimedAt);
      throw error;
    }
    if (rows === undefined) await release(name, claimedAt);
    else {
      logger.info({ msg: "Daily job done", job: name, rows });
      // If it fails, the job runs again in an hour.
      await mark(name, claimedAt, "now()");
    }
    return rows === undefined;
  }

  return {
    async runDue(signal = new AbortController().signal) {
      let isAnyWaiting = false;
      for (const job of jobs) {
        const isWaiting = await runIfDue(job, signal).catch((error: Error) => {
          if (signal.aborted) return false;
          logger.warn({ msg: "Daily job failed", job: job.name, reason: error.message });
          return false;
        });
        isAnyWaiting ||= isWaiting;
      }
      return isAnyWaiting;
    },
  };
}

/** Runs due jobs immediately and every ten minutes; every five seconds while a job can't run yet. */
export function startDaily(deps: Parameters<typeof createDaily>[0]): Pick<PassLoop, "stop"> {
  const daily = createDaily(deps);
  return startPassLoop({
    task: "run daily jobs",
    pollMs: POLL_MS,
    logger: deps.logger,
    pass: async (signal) => ((await daily.runDue(signal)) ? { inMs: WAITING_MS } : undefined),
  });
}

/**
 * Repeats a statement, whose only parameter is the maximum number of rows that it deletes or changes, until it finds
 * fewer. Returns how many rows it changed. A batch that takes too long is done in smaller ones.
 */
export async function repeatInBatches(database: Pick<Database, "query">, sql: string): Promise<number> {
  const size = createPageSize(BATCH_ROWS);
  let total = 0;
  for (let isLast = false; !isLast; ) {
    total += await size.run(async (limit) => {
      const { length } = await database.query(sql, [limit]);
      isLast = length < limit;
      return length;
    });
  }
  return total;
}

const BATCH_ROWS = 2_000;
