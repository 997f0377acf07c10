/** How long refreshes are kept. */

import { type DailyJob, repeatInBatches } from "../../jobs/daily.ts";

const RECEIPTS_KEPT = "interval '30 days'";

const oldReceipts = `
  delete from vitrine.receipt where id in (
    select p.id from vitrine.receipt p where p.created_at < now() - ${RECEIPTS_KEPT}
       -- A sweep that takes longer still writes to its receipt.
       and not exists (select from vitrine.sweep s where s.receipt_id = p.id and s.finished_at is null) limit $1)
  returning 1`;

const oldSweeps = `
  delete from vitrine.sweep where id in (
    select id from vitrine.sweep where finished_at < now() - ${RECEIPTS_KEPT} limit $1)
  returning 1`;

export const forgetOldReceipts: DailyJob = {
  name: "delete old receipts",
  run: (database) => repeatInBatches(database, oldReceipts),
};

export const forgetOldSweeps: DailyJob = {
  name: "delete old sweeps",
  run: (database) => repeatInBatches(database, oldSweeps),
};
