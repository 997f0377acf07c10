/** How long a refresh is remembered (design: "Refresh"). */

import { type DailyJob, deleteInBatches } from "../store/daily.ts";

const RECEIPTS_KEPT = "interval '30 days'";

const oldReceipts = `
  delete from vitrine.receipt where id in (
    select id from vitrine.receipt where created_at < now() - ${RECEIPTS_KEPT} limit $1)
  returning 1`;

const oldSweeps = `
  delete from vitrine.sweep where id in (
    select id from vitrine.sweep where finished_at < now() - ${RECEIPTS_KEPT} limit $1)
  returning 1`;

export const forgetOldReceipts: DailyJob = {
  name: "forget old receipts",
  run: (database) => deleteInBatches(database, oldReceipts),
};

export const forgetOldSweeps: DailyJob = {
  name: "forget old sweeps",
  run: (database) => deleteInBatches(database, oldSweeps),
};
