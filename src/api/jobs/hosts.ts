/**
 * The hosts of documents and media, as every process sees them. A host that fails repeatedly is paused (circuit breaker
 * open). A healthy host has no row in vitrine.host.
 */

import type { Queryable } from "../db/database.ts";
import { retryPolicies } from "./retry-policies.ts";

const { attempts, firstMs, factor, maxMs, retryAfterMaxMs } = retryPolicies.hostPause;

/** SQL: the host of this row of vitrine.host is paused; false for the empty row of an outer join. */
export const isPaused = (row: string): string => `(${row}.paused_until > now()) is true`;

/**
 * SQL: the host of this row has failed often enough to be paused, and has not answered since, even if the pause is
 * over.
 */
export const isTripped = (row: string): string => `${row}.failures >= ${attempts}`;

/** The outcome of a request, as far as its host is concerned. */
export type HostAnswer =
  | { readonly kind: "answered" }
  | {
      readonly kind: "failed";
      readonly reason: string;
      readonly retryAfterMs: number | undefined;
      readonly url: string;
    };

export type NoteHost = (db: Queryable, host: string, answer: HostAnswer) => Promise<void>;

/**
 * Notes an answer. A good one ends the row of failures, and no pause. Retry-After holds for the whole host once a second
 * URL of it asks for it, for five minutes at most: one URL speaks for itself. `chooseProbe` is called, in the same
 * transaction, while a host is paused without a token to probe it by.
 */
export const createNoteHost =
  (chooseProbe: (db: Queryable, host: string) => Promise<void>): NoteHost =>
  async (db, host, answer) => {
    if (answer.kind === "answered") {
      await db.query(`delete from vitrine.host h where h.host = $1 and not ${isPaused("h")}`, [host]);
      return;
    }
    const [row] = await db.query<{ isPaused: boolean; hasProbe: boolean }>(
      `insert into vitrine.host as h (host, failures, reason, retry_by)
       values ($1, 1, $2, case when $3::float8 is not null then md5($4) end)
       on conflict (host) do update set
         reason = excluded.reason,
         retry_by = coalesce(excluded.retry_by, h.retry_by),
         -- What was under way when the pause began says nothing new.
         failures = h.failures + case when ${isPaused("h")} then 0 else 1 end,
         paused_until = greatest(
           h.paused_until,
           case when h.retry_by <> excluded.retry_by
                then now() + least($3, ${retryAfterMaxMs}) * interval '1 millisecond' end,
           case when not ${isPaused("h")} and h.failures + 1 >= ${attempts}
                then now() + interval '1 millisecond' *
                     -- Bounded, or the power overflows.
                     least(${firstMs} * ${factor} ^ least(h.failures + 1 - ${attempts}, 16), ${maxMs}) end)
       returning ${isPaused("h")} as "isPaused", probe_token_id is not null as "hasProbe"`,
      [host, answer.reason, answer.retryAfterMs ?? null, answer.url],
    );
    if (row?.isPaused && !row.hasProbe) await chooseProbe(db, host);
  };

/** The hosts that are paused now. */
export async function readPaused(db: Queryable): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ host: string }>(`select host from vitrine.host h where ${isPaused("h")}`);
  return new Set(rows.map(({ host }) => host));
}
