/**
 * Keeps events that wait for an earlier one of their token out of the way of claims, which would have to read them: they are
 * due at infinity until the one before has ended (see `wakeNext` in delivery-queue.ts). Contains their SQL.
 */

import type { Database } from "../db/database.ts";
import { createPageSize } from "../jobs/page-size.ts";
import { type PassLoop, startPassLoop } from "../jobs/pass-loop.ts";
import type { Logger } from "../logging/logger.ts";
import { CLAIM_SCAN } from "./delivery-queue.ts";
import { firstPending, stillPending } from "./pending.ts";

// Far below what a claim reads, so that it comes to those that wait for nothing.
const WAITING_MAX = 256;
const TOGETHER = 5_000;
const POLL_MS = 5_000;

// Parameters: the webhook, and how many of its due events are read. The first event of a token stays locked until the others
// are parked: were it to end meanwhile, nothing would wake them. No lock is waited for.
const PARK = `
  with due as materialized (
    select d.id, d.due_at, d.subject, d.event_id from vitrine.webhook_delivery d
     where d.webhook_id = $1 and d.kind = 'event' and d.status = 'pending' and d.due_at <= now() and d.claim is null
     order by d.due_at, d.id limit $2),
  waiting as materialized (
    select c.id, first.id as first from due c cross join lateral (${firstPending("$1", "c.subject")}) first
     where first.event_id < c.event_id
     order by c.due_at, c.id offset ${WAITING_MAX}),
  firsts as materialized (
    select w.ids from (select first, array_agg(id) as ids from waiting group by first) w
      join vitrine.webhook_delivery d on d.id = w.first
     where ${stillPending("true")} for share of d skip locked),
  locked as materialized (
    select d.id from (select unnest(ids) as id from firsts) f join vitrine.webhook_delivery d on d.id = f.id
     where ${stillPending("d.claim is null")} for update of d skip locked)
  update vitrine.webhook_delivery d set due_at = 'infinity' from locked l where d.id = l.id returning 1`;

/** Parks a webhook's events that wait for others, but for a few hundred. Reads little where claims have little to read. */
export async function parkFollowers(database: Pick<Database, "query">, webhookId: string): Promise<void> {
  const park = async (events: number): Promise<number> =>
    (await database.query(PARK, [webhookId, events])).length;
  const size = createPageSize(TOGETHER);
  let parked = await park(CLAIM_SCAN);
  while (parked > 0) parked = await size.run(park);
}

/** Parks followers of all active webhooks. The fault of one keeps no other from its turn. */
export function startParking(deps: {
  readonly database: Database;
  readonly isOn: boolean;
  readonly logger: Logger;
}): Pick<PassLoop, "stop"> {
  const { database } = deps;
  return startPassLoop({
    ...deps,
    task: "park webhook events that wait for others",
    pollMs: POLL_MS,
    async pass(signal) {
      const active = await database.query<{ id: string }>(
        "select id from vitrine.webhook where status = 'active'",
      );
      const faults: unknown[] = [];
      for (const { id } of active) {
        if (signal.aborted) break;
        await parkFollowers(database, id).catch((error: unknown) => faults.push(error));
      }
      if (faults.length > 0) throw faults[0];
    },
  });
}

// Parameters: the webhook, the token that the page starts after, and how many tokens it has. From token to token by the
// database index, past all that waits.
const nextToken = (after: string): string => `
  select d.subject, d.id, d.due_at from vitrine.webhook_delivery d
   where d.webhook_id = $1 and d.status = 'pending' and d.kind = 'event' and d.subject > ${after}
   order by d.subject, d.event_id limit 1`;
const WAKE = `
  with recursive first as (
    (select n.*, 1 as nth from (${nextToken("$2::text")}) n)
    union all
    select n.*, f.nth + 1 from first f cross join lateral (${nextToken("f.subject")}) n where f.nth < $3),
  woken as (
    update vitrine.webhook_delivery d set due_at = now() from first f
     where d.id = f.id and f.due_at = 'infinity' and ${stillPending("true")})
  select max(subject) as last, count(*)::int as tokens from first`;

/**
 * Makes the first event of each token of a webhook due that is parked although none is before it, as after the deletion of
 * old ones.
 */
export async function wakeParked(database: Pick<Database, "query">, webhookId: string): Promise<void> {
  const [row] = await database.query<{ isAny: boolean }>(
    `select exists (select from vitrine.webhook_delivery
                     where webhook_id = $1 and status = 'pending' and due_at = 'infinity') as "isAny"`,
    [webhookId],
  );
  if (!row?.isAny) return;
  const size = createPageSize(TOGETHER);
  for (let after: string | null = ""; after !== null; ) {
    const from: string = after;
    after = await size.run(async (limit) => {
      const [page] = await database.query<{ last: string | null; tokens: number }>(WAKE, [
        webhookId,
        from,
        limit,
      ]);
      return page && page.tokens === limit ? page.last : null;
    });
  }
}
