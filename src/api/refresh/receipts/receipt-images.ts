/** What became of the images of a receipt's tokens. Contains their SQL. */

import type { Queryable } from "../../db/database.ts";
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

/** Answers every open entry that this probe covers, and notes the reason while it will be tried again. */
export async function settleImages(tx: Queryable, probed: ImageProbed): Promise<void> {
  const { urlHash, started, status, reason, file } = probed;
  const settled = await tx.query<{ receiptId: string }>(
    `update vitrine.receipt_token
        set image_reason = $4,
            image = case when $3 <> 'shown' then $3 when image_before is distinct from $5 then 'updated' else 'unchanged' end
      where image = 'pending' and image_hash = decode($1, 'hex') and image_probe <= $2
     returning receipt_id as "receiptId"`,
    [urlHash, started, status, reason, file],
  );
  if (status !== "pending") await noteChanged(tx, settled);
}
