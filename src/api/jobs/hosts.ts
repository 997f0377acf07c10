/**
 * The hosts of documents and media, as every process sees them. A host that fails repeatedly is paused (circuit breaker
 * open). A healthy host has no row in vitrine.host.
 */

import type { Queryable } from "../db/database.ts";
import { type DailyJob, repeatInBatches } from "./daily.ts";
import type { EndLongWaits } from "./long-waits.ts";
import { hostWindow, retryPolicies } from "./retry-policies.ts";

const { attempts, firstMs, factor, maxMs, retryAfterMaxMs } = retryPolicies.hostPause;

/** SQL: the host of this row of vitrine.host is paused; false for the empty row of an outer join. */
export const isPaused = (row: string): string => `(${row}.paused_until > now()) is true`;

/**
 * SQL: the host of this row has failed often enough to be paused, and has not answered since, even if the pause is
 * over.
 */
export const isTripped = (row: string): string => `${row}.failures >= ${attempts}`;

// A row with less than this is deleted: its failures have all but left the window.
const FORGOTTEN = 0.5;

/** The outcome of a request, as far as its host is concerned. */
export type HostAnswer =
  | { readonly kind: "answered" }
  | {
      readonly kind: "failed";
      readonly reason: string;
      readonly retryAfterMs: number | undefined;
      readonly url: string;
      /** The host only asked for fewer requests, and gets them: no failure, though its Retry-After applies. */
      readonly isLoad?: boolean;
    };

/** Records answers, in order. `goodBefore`: how many good ones came shortly before these. */
export type NoteHost = (
  db: Queryable,
  host: string,
  answers: readonly HostAnswer[],
  goodBefore?: number,
) => Promise<void>;

/**
 * Notes answers. A host is paused while at least half of its last twenty answers are failures, and at least five: a few
 * among many are no fault of the whole. A good answer after a pause ends it for good. Retry-After holds for the whole host
 * once a second URL of it asks for it with no good answer in between, for five minutes at most: one URL speaks for itself.
 * `chooseProbe` is called, in the same transaction, while a host is paused without a token to probe it by.
 */
export const createNoteHost =
  (chooseProbe: (db: Queryable, host: string) => Promise<void>): NoteHost =>
  async (db, host, answers, goodBefore = 0) => {
    const answered = answers.filter(({ kind }) => kind === "answered").length;
    const faults = answers.flatMap((answer) => (answer.kind === "failed" ? answer : []));
    const failed = faults.filter(({ isLoad }) => !isLoad).length;
    const asking = askingSince(answers);
    const [url, retryAfterMs] = asking.at(-1) ?? [];
    if (answered + failed === 0 && url === undefined) return;
    const reason = faults.at(-1)?.reason;
    if (failed > 0 || url !== undefined)
      await db.query(
        "insert into vitrine.host (host, failures, reason, answered) values ($1, 0, $2, $3) on conflict do nothing",
        [host, reason, Math.min(goodBefore, hostWindow.answers)],
      );
    const [row] = await db.query<{ isPaused: boolean; hasProbe: boolean }>(NOTE, [
      host,
      answered,
      failed,
      reason ?? null,
      url ?? null,
      retryAfterMs ?? null,
      asking.length > 1,
    ]);
    if (row?.isPaused && !row.hasProbe) await chooseProbe(db, host);
  };

/** The URLs with a Retry-After since the last good answer, each with its milliseconds. */
function askingSince(answers: readonly HostAnswer[]): readonly (readonly [string, number])[] {
  const since = answers.slice(answers.findLastIndex(({ kind }) => kind === "answered") + 1);
  const asking = new Map<string, number>();
  for (const answer of since)
    if (answer.kind === "failed" && answer.retryAfterMs !== undefined)
      asking.set(answer.url, answer.retryAfterMs);
  return [...asking];
}

const PAUSED = isPaused("h");
// Answers to requests that had started before the pause say nothing new.
const IS_BACK = `(${isTripped("h")} and not ${PAUSED} and $2::real > 0)`;
// The share of the old counts that stays in the window beside the new answers.
const KEPT = `case when ${IS_BACK} then 0
                   else coalesce(least(1, greatest(0, ${hostWindow.answers} - $2::real - $3::real) / nullif(h.answered + h.failed, 0)), 0) end`;
const FAILED = `(h.failed * ${KEPT} + $3::real)`;
const ANSWERED = `(h.answered * ${KEPT} + $2::real)`;
const OPENS = `(not ${PAUSED} and $3::real > 0
                and ((${isTripped("h")} and $2::real = 0)
                     or (${FAILED} >= ${attempts} and ${FAILED} >= ${hostWindow.failedShare} * (${FAILED} + ${ANSWERED}))))`;
const FAILURES = `case when ${OPENS} then greatest(case when ${IS_BACK} then 0 else h.failures end, ${attempts - 1}) + 1
                       when ${IS_BACK} then 0 else h.failures end`;
const ASKED_AGAIN = `($7::boolean or (($2::real = 0 or ${PAUSED}) and h.retry_by <> md5($5::text)))`;

// Parameters: the host, its good answers, its failures, the last reason, the last URL with a Retry-After and its
// milliseconds, and whether another URL had one.
const NOTE = `
  with gone as (
    delete from vitrine.host h
     where h.host = $1 and not ${PAUSED} and $2::real > 0 and $3::real = 0 and $5::text is null
       and (${isTripped("h")} or ${FAILED} < ${FORGOTTEN})
    returning 1
  )
  update vitrine.host h
     set reason = coalesce($4, h.reason),
         retry_by = case when $5::text is not null then md5($5) when $2::real = 0 or ${PAUSED} then h.retry_by end,
         answered = case when ${PAUSED} then h.answered when ${OPENS} then 0 else ${ANSWERED} end,
         failed = case when ${PAUSED} then h.failed when ${OPENS} then 0 else ${FAILED} end,
         failures = ${FAILURES},
         paused_until = greatest(
           h.paused_until,
           case when ${ASKED_AGAIN}
                then now() + least($6::float8, ${retryAfterMaxMs}) * interval '1 millisecond' end,
           case when ${OPENS}
                then now() + interval '1 millisecond' *
                     -- Bounded, or the power overflows.
                     least(${firstMs} * ${factor} ^ least(${FAILURES} - ${attempts}, 16), ${maxMs}) end)
   where h.host = $1 and not exists (select from gone)
  returning ${PAUSED} as "isPaused", probe_token_id is not null as "hasProbe"`;

/** Ends pauses that are longer than any: each host is then probed. */
export const endLongPauses: EndLongWaits = async (db, limit) => {
  const rows = await db.query(
    `update vitrine.host set paused_until = now()
      where host = any(array(
        select h.host from vitrine.host h
         where h.paused_until > now() + ${Math.max(maxMs, retryAfterMaxMs)} * interval '1 millisecond'
         order by h.host limit $1 for update skip locked))
     returning 1`,
    [limit],
  );
  return rows.length;
};

// Media whose host fails is tried again once a day at least, and each failure of a host that was paused pauses it again.
const UNASKED = "paused_until < now() - interval '7 days'";

/** Deletes hosts that nothing names any more: whoever publishes documents chooses how many there are. */
export const forgetUnaskedHosts: DailyJob = {
  name: "delete hosts that are asked for nothing",
  run: (database) =>
    repeatInBatches(
      database,
      `delete from vitrine.host where ${UNASKED}
          and host in (select host from vitrine.host where ${UNASKED} order by host limit $1) returning 1`,
    ),
};

// As many hosts may be paused as strangers name, for years: none of these reads them all.
const isFaultyRow = (row: string): string => `(${isPaused(row)} or ${isTripped(row)})`;

/** SQL: this host, an expression, is paused, or was and has not answered since. */
export const isFaulty = (host: string): string =>
  `exists (select from vitrine.host f where f.host = ${host} and ${isFaultyRow("f")})`;

/** Of a host that is paused, or was and has not answered since. */
export interface HostFault {
  readonly isPaused: boolean;
}

/** The faults of these hosts, where there are any. */
export async function readFaulty(
  db: Queryable,
  hosts: readonly string[],
): Promise<ReadonlyMap<string, HostFault>> {
  const rows = await db.query<{ host: string; isPaused: boolean }>(
    `select host, ${isPaused("h")} as "isPaused" from vitrine.host h where h.host = any($1) and ${isFaultyRow("h")}`,
    [hosts],
    "faulty hosts",
  );
  return new Map(rows.map(({ host, isPaused }) => [host, { isPaused }]));
}
