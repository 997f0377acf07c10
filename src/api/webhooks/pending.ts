/** SQL that finds pending deliveries by few reads, whatever PostgreSQL's statistics say. */

/**
 * Of deliveries found by their ids, those that are pending and `also`. Says so where PostgreSQL can't see it: by statistics
 * of a quiet hour, next to nothing is pending, and it would read all that is pending now once for each id.
 */
export const stillPending = (also: string): string =>
  `case when d.status = 'pending' then ${also} else false end`;

/**
 * The first event of a token that has not ended. By the database index of that order whatever the statistics: with
 * "subject =", PostgreSQL may read all of the webhook's events in the order of their ids instead.
 */
export const firstPending = (webhook: string, token: string, after = ""): string => `
  select e.id, e.event_id from vitrine.webhook_delivery e
   where e.webhook_id = ${webhook} and e.subject between ${token} and ${token} and e.status = 'pending'
     and e.kind = 'event' ${after} order by e.subject, e.event_id limit 1`;
