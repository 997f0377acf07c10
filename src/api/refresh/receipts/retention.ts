/** How long refreshes are kept. */

import { type DailyJob, repeatInBatches } from "../../jobs/daily.ts";

const RECEIPTS_KEPT = "interval '30 days'";

// They need no key: anybody can have as many stored as the limit of token ids allows. They are read within minutes.
const ANONYMOUS_KEPT = "interval '1 day'";

const oldReceipts = `
  delete from vitrine.receipt where id in (
    select p.id from vitrine.receipt p where p.created_at < now() - ${RECEIPTS_KEPT}
       -- A sweep that takes longer still writes to its receipt.
       and not exists (select from vitrine.sweep s where s.receipt_id = p.id and s.finished_at is null) limit $1)
  returning 1`;

const oldAnonymous = `
  delete from vitrine.receipt where id in (
    select id from vitrine.receipt where made_by = 'anonymous' and created_at < now() - ${ANONYMOUS_KEPT} limit $1)
  returning 1`;

const oldSweeps = `
  delete from vitrine.sweep where id in (
    select id from vitrine.sweep where finished_at < now() - ${RECEIPTS_KEPT} limit $1)
  returning 1`;

export const forgetOldReceipts: DailyJob = {
  name: "delete old receipts",
  async run(database) {
    const anonymous = await repeatInBatches(database, oldAnonymous);
    return anonymous + (await repeatInBatches(database, oldReceipts));
  },
};

export const forgetOldSweeps: DailyJob = {
  name: "delete old sweeps",
  run: (database) => repeatInBatches(database, oldSweeps),
};
