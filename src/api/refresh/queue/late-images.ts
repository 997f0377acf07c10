/** Images that come later than the documents that name them. Contains their SQL. */

import type { Queryable } from "../../db/database.ts";
import { recheckPolicy } from "../../jobs/retry-policies.ts";
import type { ImageProbed } from "../../media/probes/worker.ts";
import { codeOf } from "../../media/rules.ts";
import { priorities } from "./priorities.ts";

const [FIRST_PAUSE_MS] = recheckPolicy.pausesMs;
// Of so many tokens that share an image, one that an event named is looked for.
const SHARING_MAX = 100;

/**
 * Rechecks a token that an event or a mint left with a new image that its host does not have: the host may lag behind it.
 * Each recheck asks for the image again. One token is enough, since all that share the image share the probe, so only the
 * first probe of an image counts.
 */
export async function recheckLateImage(
  tx: Queryable,
  { urlHash, status, reason, isFirst }: ImageProbed,
): Promise<void> {
  if (!isFirst || status !== "rejected" || codeOf(reason ?? "") !== "http_status") return;
  await tx.query(
    `update vitrine.refresh q
        set wanted = q.wanted + 1, trigger = 'recheck', priority = ${priorities.recheck}, looks = 1,
            not_before = now() + interval '${FIRST_PAUSE_MS} milliseconds',
            waiting_since = now() + interval '${FIRST_PAUSE_MS} milliseconds'
       from (select r.chain_id, r.collection, r.token_id
               from (select t.chain_id, t.collection, t.token_id from vitrine.token t
                      where t.image_key = ('x' || left($1, 16))::bit(64)::bigint and not t.unseen limit ${SHARING_MAX}) t
               join vitrine.refresh r using (chain_id, collection, token_id)
              where r.wanted = r.done and r.trigger in ('event', 'mint') and r.looks is null
              -- Those who record a fetch lock its row before the image's.
              limit 1 for update of r skip locked) k
      where (q.chain_id, q.collection, q.token_id) = (k.chain_id, k.collection, k.token_id)`,
    [urlHash],
  );
}
