/**
 * How requests ended: counts by status and hour, and the last requests of each app. Collected in memory and written in
 * batches, so that a request costs no query.
 */

import type { Database, Queryable } from "../../db/database.ts";
import { apiNames } from "../../http/api-names.ts";
import type { ErrorDetail } from "../../http/errors.ts";
import { KEY_PARAMETER } from "../../http/key.ts";
import { repeatInBatches } from "../../jobs/daily.ts";
import { redactText } from "../../logging/redact.ts";
import { storableExcerpt } from "../../text/storable.ts";

const HOUR_MS = 3_600_000;
const CLOCK_STEP_MS = 1_000;

/** Requests of an app that are kept: its newest, and none older than `LOGGED_DAYS`. */
export const LOGGED_MAX = 500;
export const LOGGED_DAYS = 7;
/** Requests of an app between two writes that are logged: its newest. All are counted. */
const UNWRITTEN_MAX = 100;
const PATH_MAX = 300;
const ERROR_MAX = 500;
/** The first parts of the paths that take a key. A closed list, because callers choose their paths and each value is a row. */
const API_PATHS: ReadonlySet<string> = new Set([...apiNames, "registry", "graphql"]);
const OTHER = "other";

/** An answered request with a key. */
export interface EndedRequest {
  readonly appId: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
  /** Decoded, as routes match it. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly error?:
    | { readonly code: string; readonly message: string; readonly details?: readonly ErrorDetail[] }
    | undefined;
}

export interface LoggedRequest {
  readonly at: Date;
  readonly requestId: string;
  /** The first characters of the key. */
  readonly key: string | null;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly code: string | null;
  readonly error: string | null;
}

export interface StatusRow {
  readonly hour: Date;
  readonly api: string;
  readonly status: number;
  readonly requests: number;
}

export interface RequestLog {
  /** Notes a request. Costs no query. */
  record(request: EndedRequest): void;
  /** Writes what was noted. Rejects if it can't be written; it is then kept for the next call, up to the newest of each app. */
  flush(): Promise<void>;
  /** An app's hours since `since`, oldest first, as of the last flush of every process. */
  readStatuses(appId: string, since: Date): Promise<StatusRow[]>;
  /**
   * An app's newest requests, up to `limit`, newest first. With a text, those that contain it in their id, path, status,
   * code, error or key, in any case.
   */
  read(appId: string, text: string, limit: number): Promise<LoggedRequest[]>;
}

interface Unwritten {
  readonly at: number;
  readonly request: EndedRequest;
}

export function createRequestLog(database: Database, now: () => number = Date.now): RequestLog {
  /** By app, hour, API and status. */
  let counts = new Map<string, number>();
  let requests = new Map<string, Unwritten[]>();
  let lastAt = 0;

  const add = (key: string, more: number): void => void counts.set(key, (counts.get(key) ?? 0) + more);

  function keep(unwritten: Unwritten): void {
    const { appId } = unwritten.request;
    const kept = requests.get(appId);
    if (!kept) {
      requests.set(appId, [unwritten]);
      return;
    }
    kept.push(unwritten);
    // Cut rarely, because each cut moves all that stays.
    if (kept.length >= 2 * UNWRITTEN_MAX) kept.splice(0, kept.length - UNWRITTEN_MAX);
  }

  async function flushCounts(): Promise<void> {
    if (counts.size === 0) return;
    const written = counts;
    counts = new Map();
    try {
      await writeCounts(database, written);
    } catch (error) {
      for (const [key, more] of written) add(key, more);
      throw error;
    }
  }

  async function flushRequests(): Promise<void> {
    if (requests.size === 0) return;
    const written = requests;
    requests = new Map();
    try {
      await writeRequests(
        database,
        [...written.values()].flatMap((own) => own.slice(-UNWRITTEN_MAX)),
      );
    } catch (error) {
      const newer = requests;
      requests = written;
      for (const own of newer.values()) for (const unwritten of own) keep(unwritten);
      throw error;
    }
    await cutLogs(database, [...written.keys()]);
  }

  return {
    record(request) {
      // A microsecond apart at least, as PostgreSQL keeps them, so that the newest of a millisecond stays the newest. A
      // clock that was set back is followed.
      const read = now();
      const at = lastAt - read < CLOCK_STEP_MS ? Math.max(read, lastAt + 0.001) : read;
      lastAt = at;
      add(`${request.appId} ${Math.floor(at / HOUR_MS)} ${apiOf(request.path)} ${request.status}`, 1);
      keep({ at, request });
    },
    async flush() {
      await flushCounts();
      await flushRequests();
    },
    async readStatuses(appId, since) {
      const rows = await database.query<Omit<StatusRow, "requests"> & { requests: string }>(
        `select hour, api, status, requests::text from vitrine.app_status
          where app_id = $1 and hour >= $2 order by hour, api, status`,
        [appId, since],
      );
      return rows.map((row) => ({ ...row, requests: Number(row.requests) }));
    },
    read: (appId, text, limit) =>
      database.query<LoggedRequest>(
        `select r.at, r.request_id as "requestId", k.start as key, r.method, r.path, r.status,
                r.duration_ms as "durationMs", r.code, r.error
           from vitrine.request_log r left join vitrine.api_key k on k.id = r.key_id
          where r.app_id = $1
            and strpos(lower(concat_ws(' ', r.request_id, r.method, r.path, r.status, r.code, r.error, k.start)), lower($2)) > 0
          order by r.at desc, r.request_id limit $3`,
        [appId, text, limit],
      ),
  };
}

/** The path of an absolute URL, with its query. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  return start < 0 ? "/" : url.slice(start);
}

/** The first part of a path, such as `market`. */
function apiOf(path: string): string {
  const [, first = ""] = path.split("/", 2);
  return API_PATHS.has(first) ? first : OTHER;
}

/** The path and query of a URL without keys, which anyone who sees the log could use. */
function loggedPath(url: string): string {
  const path = pathOf(url);
  const [before = "", query] = path.split("?", 2);
  if (query === undefined) return redactText(before).slice(0, PATH_MAX);
  const parameters = new URLSearchParams(query);
  for (const name of new Set(parameters.keys()))
    if (name.toLowerCase() === KEY_PARAMETER.toLowerCase()) parameters.delete(name);
  const rest = parameters.toString();
  return redactText(rest ? `${before}?${rest}` : before).slice(0, PATH_MAX);
}

function errorText({ error }: EndedRequest): string | null {
  if (!error) return null;
  const details = (error.details ?? []).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return storableExcerpt(redactText([error.message, ...details].join("; "))).slice(0, ERROR_MAX);
}

async function writeCounts(db: Queryable, counts: ReadonlyMap<string, number>): Promise<void> {
  const rows = [...counts].map(([key, requests]) => [...key.split(" "), requests]);
  const column = (at: number): unknown[] => rows.map((row) => row[at]);
  await db.query(
    `insert into vitrine.app_status as s (app_id, hour, api, status, requests)
     select app_id, to_timestamp(hour * 3600), api, status, requests
       from unnest($1::uuid[], $2::float8[], $3::text[], $4::smallint[], $5::bigint[])
            as c (app_id, hour, api, status, requests)
      order by 1, 2, 3, 4
     on conflict (app_id, hour, api, status) do update set requests = s.requests + excluded.requests`,
    [column(0), column(1), column(2), column(3), column(4)],
  );
}

async function writeRequests(db: Queryable, requests: readonly Unwritten[]): Promise<void> {
  const column = (pick: (request: EndedRequest) => unknown): unknown[] =>
    requests.map(({ request }) => pick(request));
  await db.query(
    `insert into vitrine.request_log
       (app_id, at, request_id, key_id, method, path, status, duration_ms, code, error)
     select app_id, to_timestamp(at / 1000), request_id, key_id, method, path, status, duration_ms, code, error
       from unnest($1::uuid[], $2::float8[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::smallint[],
                   $8::integer[], $9::text[], $10::text[])
            as r (app_id, at, request_id, key_id, method, path, status, duration_ms, code, error)
     on conflict do nothing`,
    [
      column(({ appId }) => appId),
      requests.map(({ at }) => at),
      column(({ requestId }) => requestId),
      column(({ keyId }) => keyId),
      column(({ method }) => method),
      column(({ url }) => loggedPath(url)),
      column(({ status }) => status),
      column(({ durationMs }) => Math.round(durationMs)),
      column(({ error }) => error?.code ?? null),
      column(errorText),
    ],
  );
}

/** Deletes what exceeds `LOGGED_MAX` of each app: one step down an index per app. */
async function cutLogs(db: Queryable, appIds: readonly string[]): Promise<void> {
  await db.query(
    `delete from vitrine.request_log r
      using unnest($1::uuid[]) as cut (app_id),
            lateral (select at from vitrine.request_log o where o.app_id = cut.app_id
                      order by at desc offset $2 limit 1) as oldest
      where r.app_id = cut.app_id and r.at <= oldest.at`,
    [appIds, LOGGED_MAX],
  );
}

/** Deletes what is too old, and returns how many rows that were. */
export async function deleteOldRequests(database: Database, countedDays: number): Promise<number> {
  const counts = await repeatInBatches(
    database,
    `delete from vitrine.app_status where ctid in (
       select ctid from vitrine.app_status where hour < now() - interval '${countedDays} days' limit $1) returning 1`,
  );
  const requests = await repeatInBatches(
    database,
    `delete from vitrine.request_log where ctid in (
       select ctid from vitrine.request_log where at < now() - interval '${LOGGED_DAYS} days' limit $1) returning 1`,
  );
  return counts + requests;
}
