/** Work that is due once a day, done by one process of all that share the database. */

import type { Logger } from "../contract/logger.ts";
import type { Database } from "./database.ts";

const LOOK_MS = 600_000;

export interface DailyJob {
  readonly name: string;
  /** Does its work in steps short enough for the statement timeout, and answers how many rows went. */
  run(database: Database): Promise<number>;
}

export interface Daily {
  /** Runs what is due. A job that fails is due again at the next look. */
  look(): Promise<void>;
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

  async function runIfDue({ name, run }: DailyJob): Promise<void> {
    if (!(await claim(name))) return;
    try {
      const rows = await run(database);
      logger.info({ msg: "Daily job done", job: name, rows });
    } catch (error) {
      await database.query("delete from vitrine.daily_job where name = $1", [name]);
      throw error;
    }
  }

  return {
    async look() {
      for (const job of jobs) {
        await runIfDue(job).catch((error: Error) =>
          logger.warn({ msg: "Daily job failed", job: job.name, reason: error.message }),
        );
      }
    },
  };
}

/** Looks at once and every ten minutes. */
export function startDaily(deps: Parameters<typeof createDaily>[0]): { stop(): Promise<void> } {
  const daily = createDaily(deps);
  let looking = daily.look();
  const timer = setInterval(() => {
    looking = looking.then(() => daily.look());
  }, LOOK_MS);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

/**
 * Runs a deletion that takes at most `BATCH_ROWS` rows as its only parameter, until it finds fewer. Answers how many
 * rows went.
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
