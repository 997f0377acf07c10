/** LISTEN on PostgreSQL channels over a dedicated connection that reconnects when lost. */

import { hash } from "node:crypto";
import pg from "pg";
import type { Logger } from "../logging/logger.ts";
import { isDatabaseAway } from "./database-away.ts";
import { CLIENT_KEEPALIVE } from "./keepalive.ts";

// With the schema of the chain index behind it, by which `ponder db prune` knows that a process serves it (patches/): one
// that doesn't index renews no heartbeat.
const LISTENER = "vitrine listener";
const RECONNECT_MS = 1_000;
const ANSWER_TIMEOUT_MS = 5_000;

export interface Listener {
  close(): Promise<void>;
}

// PostgreSQL escapes all but printable ASCII in such a name, and then cuts it.
const schemaOrHash = (schema: string): string =>
  /^[ -~]*$/.test(schema) ? schema : hash("sha256", schema).slice(0, 32);

/**
 * Calls `onWake` with channel and payload after each notification, and without them after each (re)connection, since
 * notifications may have been missed. Notifications are only hints: callers need a slow poll as well. `schema` names the
 * chain index that the process serves.
 */
export function listen(
  connectionString: string,
  channels: readonly string[],
  onWake: (channel?: string, payload?: string) => void,
  logger: Logger,
  schema?: string,
): Listener {
  let closed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  let isLost = false;

  const reconnect = (reason: string, isAway: boolean): void => {
    if (closed || timer) return;
    // Each try says the same while the database is away.
    if (!isLost || !isAway)
      logger.warn({
        msg: "Lost the notification connection",
        reason,
        retry_ms: RECONNECT_MS,
      });
    isLost = true;
    timer = setTimeout(() => {
      timer = undefined;
      connect().catch(retry);
    }, RECONNECT_MS);
  };

  const retry = (error: Error): void => reconnect(error.message, isDatabaseAway(error));

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString,
      application_name: LISTENER,
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      ...CLIENT_KEEPALIVE,
    });
    client = next;
    next.on("error", (error) => {
      next.removeAllListeners("end");
      retry(error);
    });
    next.on("end", () => reconnect("the connection ended", true));
    next.on("notification", ({ channel, payload }) => onWake(channel, payload));
    try {
      await next.connect();
      // Not in the configuration above, which the connection string comes before.
      if (schema !== undefined)
        await next.query("select set_config('application_name', $1, false)", [
          `${LISTENER} ${schemaOrHash(schema)}`,
        ]);
      for (const channel of channels) await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      // A standby accepts the connection and refuses to listen; each try would leave one open.
      next.removeAllListeners("end");
      void next.end().catch(() => undefined);
      throw error;
    }
    if (isLost) logger.info({ msg: "The notification connection is back" });
    isLost = false;
    onWake();
  };
  connect().catch(retry);

  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}
