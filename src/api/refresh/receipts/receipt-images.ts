/** What became of the images of a receipt's tokens. Contains their SQL. */

import type { Queryable } from "../../db/database.ts";
import type { ImageProbed } from "../../media/probes/worker.ts";
import type { ImageFate } from "../../media/service.ts";
import { noteChanged } from "./receipts.ts";

export const imageOutcomes = ["updated", "unchanged", "rejected", "pending", "none"] as const;
export type ImageOutcome = (typeof imageOutcomes)[number];

/** The columns of a receipt's token that say what becomes of its image. */
export interface ImageColumns {
  readonly image: ImageOutcome | null;
  readonly reason: string | null;
  readonly urlHash: string | null;
  readonly probe: string | null;
}

const nothing: ImageColumns = { image: null, reason: null, urlHash: null, probe: null };

/** What becomes of the image of a document that is served. */
export interface ServedImage {
  readonly fate: ImageFate | undefined;
  /** The picture that the token showed before. */
  readonly before: string | null;
}

export function imageColumns({ fate }: Pick<ServedImage, "fate">): ImageColumns {
  if (!fate) return nothing;
  if (fate.status === "none") return { ...nothing, image: "none" };
  if (fate.status === "rejected") return { ...nothing, image: "rejected", reason: fate.reason };
  const { urlHash = null, probe = null } = fate.mark ?? {};
  return { ...nothing, image: "pending", urlHash, probe };
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
