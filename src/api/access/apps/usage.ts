/** How much each app uses, by the hour. Counted in memory and written in batches, so that a request costs no query. */

import type { Database } from "../../db/database.ts";
import type { CountUsage } from "../../http/limits/count-requests.ts";
import { type DailyJob, repeatInBatches } from "../../jobs/daily.ts";
import { startPassLoop } from "../../jobs/pass-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import { createKeyUse, type KeyUse } from "../keys/key-use.ts";
import { createRequestLog, deleteOldRequests, type RequestLog } from "../requests/request-log.ts";

const FLUSH_MS = 2_000;
const HOUR_MS = 3_600_000;
const KEPT_DAYS = 90;

interface Count {
  readonly appId: string;
  readonly hour: number;
  readonly api: string;
  requests: number;
  refused: number;
}

export interface UsageRow {
  readonly hour: Date;
  readonly api: string;
  readonly requests: number;
  readonly refused: number;
}

export interface Usage {
  readonly count: CountUsage;
  /** The last use of each key, written in the same passes. */
  readonly keyUse: Pick<KeyUse, "used" | "succeeded">;
  /** How requests ended, written in the same passes. */
  readonly requestLog: Omit<RequestLog, "flush">;
  /** Writes the counts. Counts that can't be written are kept for the next attempt. */
  flush(): Promise<void>;
  /** An app's hours since `since`, oldest first, as of the last flush of every process. */
  read(appId: string, since: Date): Promise<UsageRow[]>;
  stop(): Promise<void>;
}

export function createUsage(database: Database, logger: Logger, now: () => number = Date.now): Usage {
  const keyUse = createKeyUse(database, now);
  const requestLog = createRequestLog(database, now);
  /** By app, then by API; a finished hour waits in `past`. */
  let counts = new Map<string, Map<string, Count>>();
  let past: Count[] = [];

  function add(appId: string, hour: number, api: string, requests: number, refused: number): void {
    let apis = counts.get(appId);
    if (!apis) {
      apis = new Map();
      counts.set(appId, apis);
    }
    const kept = apis.get(api);
    if (kept?.hour === hour) {
      kept.requests += requests;
      kept.refused += refused;
      return;
    }
    if (kept) past.push(kept);
    apis.set(api, { appId, hour, api, requests, refused });
  }

  async function flush(): Promise<void> {
    await Promise.all([flushCounts(), flushKeyUse(), flushRequestLog()]);
  }

  async function flushRequestLog(): Promise<void> {
    try {
      await requestLog.flush();
    } catch (error) {
      logger.warn({ msg: "Could not write requests; will retry", reason: (error as Error).message });
    }
  }

  async function flushKeyUse(): Promise<void> {
    try {
      await keyUse.flush();
    } catch (error) {
      logger.warn({
        msg: "Could not write when keys were used; will retry",
        reason: (error as Error).message,
      });
    }
  }

  async function flushCounts(): Promise<void> {
    if (counts.size === 0) return;
    const written = [...past, ...[...counts.values()].flatMap((apis) => [...apis.values()])];
    counts = new Map();
    past = [];
    const column = (pick: (count: Count) => unknown): unknown[] => written.map(pick);
    try {
      await database.query(
        `insert into vitrine.app_usage as u (app_id, hour, api, requests, refused)
         select app_id, to_timestamp(hour), api, sum(requests), sum(refused)
           from unnest($1::uuid[], $2::float8[], $3::text[], $4::bigint[], $5::bigint[])
                as c (app_id, hour, api, requests, refused)
          group by 1, 2, 3 order by 1, 2, 3
         on conflict (app_id, hour, api) do update
           set requests = u.requests + excluded.requests, refused = u.refused + excluded.refused`,
        [
          column(({ appId }) => appId),
          column(({ hour }) => (hour * HOUR_MS) / 1000),
          column(({ api }) => api),
          column(({ requests }) => requests),
          column(({ refused }) => refused),
        ],
      );
    } catch (error) {
      for (const { appId, hour, api, requests, refused } of written) add(appId, hour, api, requests, refused);
      logger.warn({
        msg: "Could not write usage; will retry",
        reason: (error as Error).message,
      });
    }
  }

  const flushing = startPassLoop({
    task: "write usage",
    firstMs: FLUSH_MS,
    pollMs: FLUSH_MS,
    logger,
    pass: flush,
  });

  return {
    count: (appId, api, isAllowed) =>
      add(appId, Math.floor(now() / HOUR_MS), api, isAllowed ? 1 : 0, isAllowed ? 0 : 1),
    keyUse,
    requestLog,
    flush,
    async read(appId, since) {
      const rows = await database.query<{ hour: Date; api: string; requests: string; refused: string }>(
        `select hour, api, requests::text, refused::text from vitrine.app_usage
          where app_id = $1 and hour >= $2 order by hour, api`,
        [appId, since],
      );
      return rows.map((row) => ({ ...row, requests: Number(row.requests), refused: Number(row.refused) }));
    },
    async stop() {
      await flushing.stop();
      await flush();
    },
  };
}

export const forgetOldUsage: DailyJob = {
  name: "delete old usage",
  async run(database) {
    const usage = await repeatInBatches(
      database,
      `delete from vitrine.app_usage where ctid in (
         select ctid from vitrine.app_usage where hour < now() - interval '${KEPT_DAYS} days' limit $1) returning 1`,
    );
    return usage + (await deleteOldRequests(database, KEPT_DAYS));
  },
};
