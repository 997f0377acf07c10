/** Retention of a token's history: served versions, and 90 days. */

import { lookUp } from "../../db/look-up.ts";
import { type DailyJob, repeatInBatches } from "../../jobs/daily.ts";
import { walkInPages } from "../../jobs/walk-in-pages.ts";
import { forgetUnusedValues } from "../traits/value-retention.ts";
import { fillImageKeys } from "./image-key-store.ts";

const VERSIONS_KEPT = "interval '90 days'";
// Safe: a running transaction marks every document it refers to as newly stored.
const UNUSED_DOCUMENTS_KEPT = "interval '1 day'";

const tokenKey = "(chain_id, collection, token_id) = (v.chain_id, v.collection, v.token_id)";

// The served version is the last good one. A recently confirmed version is the history of that period.
const oldVersions = `
  with page as materialized (
    select v.id, v.chain_id, v.collection, v.token_id, v.fetched_at, v.confirmed_at from vitrine.version v
     where (v.fetched_at, v.id) > ($2::timestamptz, $3::bigint) and v.fetched_at < now() - ${VERSIONS_KEPT}
     order by v.fetched_at, v.id limit $1
  ), gone as (
    delete from vitrine.version where id = any(array(
      select v.id from page v left join ${lookUp("served_version", "vitrine.token", tokenKey)} t on true
       where (v.confirmed_at is null or v.confirmed_at < now() - ${VERSIONS_KEPT})
         and t.served_version is distinct from v.id))
    returning 1)
  select array[fetched_at::text, id::text] as place, (select count(*)::int from gone) as changed
    from page order by fetched_at desc, id desc limit 1`;

const unusedDocuments = `
  with page as materialized (
    select u.hash, u.stored_at from vitrine.document u
     where (u.stored_at, u.hash) > ($2::timestamptz, $3::text) and u.stored_at < now() - ${UNUSED_DOCUMENTS_KEPT}
     order by u.stored_at, u.hash limit $1
  ), gone as (
    delete from vitrine.document d where hash = any(array(
      select u.hash from page u left join ${lookUp("id", "vitrine.version", "content_hash = u.hash")} v on true
       where v.id is null))
       and d.stored_at < now() - ${UNUSED_DOCUMENTS_KEPT}
    returning 1)
  select array[stored_at::text, hash] as place, (select count(*)::int from gone) as changed
    from page order by stored_at desc, hash desc limit 1`;

export const forgetOldVersions: DailyJob = {
  name: "delete old versions",
  async run(database) {
    const versions = await walkInPages(database, oldVersions, ["-infinity", "0"]);
    return versions + (await walkInPages(database, unusedDocuments, ["-infinity", ""]));
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
