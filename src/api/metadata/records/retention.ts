/** Retention of a token's history: served versions, and 90 days (design: "Refresh"). */

import { type DailyJob, repeatInBatches } from "../../jobs/daily.ts";
import { forgetUnusedValues } from "../traits/value-retention.ts";
import { fillImageKeys } from "./image-key-store.ts";

const VERSIONS_KEPT = "interval '90 days'";
// Safe: a running transaction marks every document it refers to as newly stored.
const UNUSED_DOCUMENTS_KEPT = "interval '1 day'";

// The served version is the last good one. A recently confirmed version is the history of that period.
const oldVersions = `
  delete from vitrine.version where id in (
    select v.id from vitrine.version v
     where v.fetched_at < now() - ${VERSIONS_KEPT}
       and (v.confirmed_at is null or v.confirmed_at < now() - ${VERSIONS_KEPT})
       and not exists (select from vitrine.token t where t.served_version = v.id
                         and (t.chain_id, t.collection, t.token_id) = (v.chain_id, v.collection, v.token_id))
     order by v.fetched_at limit $1)
  returning 1`;

const unusedDocuments = `
  delete from vitrine.document d where hash in (
    select hash from vitrine.document u
     where u.stored_at < now() - ${UNUSED_DOCUMENTS_KEPT}
       and not exists (select from vitrine.version v where v.content_hash = u.hash)
     limit $1)
     and d.stored_at < now() - ${UNUSED_DOCUMENTS_KEPT}
  returning 1`;

export const forgetOldVersions: DailyJob = {
  name: "delete old versions",
  async run(database) {
    const versions = await repeatInBatches(database, oldVersions);
    return versions + (await repeatInBatches(database, unusedDocuments));
  },
};

// Any process that keeps a copy discards it long before, if it is not requested.
const forgottenTokens = `
  delete from vitrine.forgotten_token where ctid in (
    select ctid from vitrine.forgotten_token where forgotten_at < now() - interval '7 days' limit $1)
  returning 1`;

const forgetForgottenTokens: DailyJob = {
  name: "delete old marks of deleted tokens",
  run: (database) => repeatInBatches(database, forgottenTokens),
};

export const metadataJobs: readonly DailyJob[] = [
  forgetOldVersions,
  forgetUnusedValues,
  forgetForgottenTokens,
  fillImageKeys,
];
