/** What became of the images of a receipt's tokens. Contains their SQL. */

import type { Database, Queryable } from "../../db/database.ts";
import { createPageSize } from "../../jobs/page-size.ts";
import { type PassLoop, startPassLoop } from "../../jobs/pass-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import type { ImageProbed } from "../../media/probes/worker.ts";
import type { ImageFate } from "../../media/service.ts";
import { noteChanged } from "./receipts.ts";

export const imageOutcomes = ["updated", "unchanged", "rejected", "pending", "none"] as const;
export type ImageOutcome = (typeof imageOutcomes)[number];

/** What becomes of the image of a document that is served. */
export interface ServedImage {
  readonly fate: ImageFate;
  /** The picture that the token showed before, if it is not that of the image's URL. */
  readonly before: "of its URL" | { readonly file: string | null };
}

/** What is written of an image; the rest is found by its URL. */
export interface ImageColumns {
  readonly image: ImageOutcome | null;
  readonly reason: string | null;
  readonly url: string | null;
  readonly before: string | null;
  readonly isBeforeOfUrl: boolean;
}

export function imageColumns(served: ServedImage | undefined): ImageColumns {
  const { fate, before } = served ?? {};
  return {
    image: fate?.status ?? null,
    reason: fate?.status === "rejected" ? fate.reason : null,
    url: fate?.status === "pending" ? fate.url : null,
    before: typeof before === "object" ? before.file : null,
    isBeforeOfUrl: before === "of its URL",
  };
}

/**
 * SQL: the image of a receipt's token `t`. It waits with its document, and stays as it was where no document was
 * served.
 */
export const imageOutcome = `coalesce(t.image, case when t.status is null then 'pending' when t.status = 'not_found' then 'none' else 'unchanged' end)`;

// The first within the transaction that records the probe, which must not take long.
const AT_ONCE = 1_000;
const TOGETHER = 10_000;
const POLL_MS = 1_000;

type ImageEnd = Omit<ImageProbed, "isFirst">;

/**
 * Answers the open entries that this probe covers, and notes the reason while it will be tried again. Of more than `limit`,
 * the rest is left to `settleMore`, whatever happens to this process.
 */
export async function settleImages(tx: Queryable, probed: ImageProbed, limit = AT_ONCE): Promise<void> {
  const { urlHash, started, status, reason, file } = probed;
  // In the order in which `settleMore` locks.
  await tx.query("select from vitrine.image_outcome where url_hash = decode($1, 'hex') for update", [
    urlHash,
  ]);
  if ((await settleSome(tx, probed, limit)) < limit) return;
  // An earlier probe's result stays that of those who waited for it while a later probe will be tried again.
  await tx.query(
    `insert into vitrine.image_outcome as o (url_hash, started, status, reason, file)
     values (decode($1, 'hex'), $2, $3, $4, $5)
     on conflict (url_hash) do update
        set started = excluded.started, status = excluded.status, reason = excluded.reason, file = excluded.file
      where excluded.status <> 'pending' or o.status = 'pending'`,
    [urlHash, started, status, reason, file],
  );
}

/** Returns how many entries it has answered, or noted the reason of; at most `limit`. */
async function settleSome(tx: Queryable, end: ImageEnd, limit: number): Promise<number> {
  const { urlHash, started, status, reason, file } = end;
  const settled = await tx.query<{ receiptId: string }>(
    `with open as materialized (
       select receipt_id, position from vitrine.receipt_token
        where image = 'pending' and image_hash = decode($1, 'hex') and image_probe <= $2
          and ($3 <> 'pending' or image_reason is distinct from $4)
        limit $6 for update)
     update vitrine.receipt_token t
        set image_reason = $4,
            image = case when $3 <> 'shown' then $3 when t.image_before is distinct from $5 then 'updated' else 'unchanged' end
       from open o where (t.receipt_id, t.position) = (o.receipt_id, o.position)
     returning t.receipt_id as "receiptId"`,
    [urlHash, started, status, reason, file, limit],
  );
  if (status !== "pending") await noteChanged(tx, settled);
  return settled.length;
}

/** Answers up to `limit` entries that `settleImages` has left; returns whether there may be more. */
export function settleMore(database: Database, limit: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [end] = await tx.query<ImageEnd>(
      `select encode(url_hash, 'hex') as "urlHash", started, status, reason, file from vitrine.image_outcome
        limit 1 for update skip locked`,
    );
    if (!end) return false;
    if ((await settleSome(tx, end, limit)) < limit)
      await tx.query("delete from vitrine.image_outcome where url_hash = decode($1, 'hex')", [end.urlHash]);
    return true;
  });
}

/** Answers what `settleImages` leaves, of whichever process. */
export function startImageSettling(database: Database, logger: Logger): Pick<PassLoop, "stop"> {
  const size = createPageSize(TOGETHER);
  return startPassLoop({
    task: "answer those who wait for an image",
    pollMs: POLL_MS,
    logger,
    async pass() {
      const [row] = await database.query<{ isAny: boolean }>(
        `select exists (select from vitrine.image_outcome) as "isAny"`,
      );
      const isMore = row?.isAny && (await size.run((limit) => settleMore(database, limit)));
      return isMore ? { inMs: 0 } : undefined;
    },
  });
}
