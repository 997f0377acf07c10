/** Work that is due once a day, done by one of the processes that share the database. */

import type { Database } from "../db/database.ts";
import type { Logger } from "../http/logger.ts";
import { type PassLoop, startPassLoop } from "./pass-loop.ts";

const POLL_MS = 600_000;
// A job may be unable to run yet, for example while an index is being built.
const WAITING_MS = 5_000;

export interface DailyJob {
  readonly name: string;
  /**
   * Works in steps short enough for the statement timeout, and returns how many rows it deleted. Undefined if it can't
   * run yet: then it stays due.
   */
  run(database: Database): Promise<number | undefined>;
}

export interface Daily {
  /** Runs the jobs that are due. A job that fails is due again at the next poll. True while a job can't run yet. */
  runDue(): Promise<boolean>;
}

export function createDaily(deps: {
  readonly database: Database;
  readonly jobs: readonly DailyJob[];
  readonly logger: Logger;
}): Daily {
  const { database, jobs, logger } = deps;

  /** True for one process per day: the row is the claim. */
  async function claim(name: string): Promise<boolean> {
    const rows = await database.query(
      `insert into vitrine.daily_job as j (name) values ($1)
       on conflict (name) do update set ran_at = now() where j.ran_at < now() - interval '1 day'
       returning 1`,
      [name],
    );
    return rows.length > 0;
  }

  const release = (name: string) => database.query("delete from vitrine.daily_job where name = $1", [name]);

  /** True if the job can't run yet. */
  async function runIfDue({ name, run }: DailyJob): Promise<boolean> {
    if (!(await claim(name))) return false;
    try {
      const rows = await run(database);
      if (rows === undefined) await release(name);
      else logger.info({ msg: "Daily job done", job: name, rows });
      return rows === undefined;
    } catch (error) {
      await release(name);
      throw error;
    }
  }

  return {
    async runDue() {
      let isAnyWaiting = false;
      for (const job of jobs) {
        const isWaiting = await runIfDue(job).catch((error: Error) => {
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
    pass: async () => ((await daily.runDue()) ? { inMs: WAITING_MS } : undefined),
  });
}

/**
 * Repeats a deletion, whose only parameter is the maximum number of rows, until it finds fewer. Returns how many rows
 * it deleted.
 */
export async function deleteInBatches(database: Database, sql: string): Promise<number> {
  let total = 0;
  for (;;) {
    const rows = await database.query(sql, [BATCH_ROWS]);
    total += rows.length;
    if (rows.length < BATCH_ROWS) return total;
  }
}

const BATCH_ROWS = 2_000;
