/** Answers receipts when fetches are recorded: the outcome of the metadata, and what becomes of the image. */

import { tokenKey } from "../../../domain/token-ref.ts";
import type { Queryable } from "../../db/database.ts";
import type { MediaFields } from "../../media/display/display.ts";
import type { MetadataService } from "../../metadata/service.ts";
import type { Lease } from "../queue/leases.ts";
import { settle } from "../receipts/receipts.ts";
import type { EnqueueMedia } from "../triggers/seen-tokens.ts";

/** The picture that each token shows, if any; read before the new documents are recorded. */
export async function readShown(
  tx: Queryable,
  metadata: MetadataService,
  media: EnqueueMedia,
  leases: readonly Lease[],
): Promise<(lease: Lease) => string | null> {
  if (leases.length === 0) return () => null;
  const images = await metadata.readServedImages(tx, leases);
  const files = await media.readFiles(tx, [...new Set(images.values())]);
  return (lease) => files.get(images.get(tokenKey(lease)) ?? "") ?? null;
}

/**
 * Answers the receipts that wait for these fetches. After the media rows, which a worker that records a probe locks before the receipts.
 */
export async function answerReceipts(
  tx: Queryable,
  media: EnqueueMedia,
  answers: readonly Parameters<typeof settle>[1][number][],
  served: readonly { readonly lease: Lease; readonly metadata: MediaFields }[],
  shownBefore: (lease: Lease) => string | null,
): Promise<void> {
  if (answers.length === 0) return;
  const awaited = new Set(answers.map(({ lease }) => lease));
  const shown = served.filter(({ lease }) => awaited.has(lease));
  const fates = await media.readImageFates(
    tx,
    shown.map(({ metadata }) => metadata),
  );
  const images = new Map(
    shown.map(({ lease }, index) => [lease, { fate: fates[index], before: shownBefore(lease) }]),
  );
  await settle(
    tx,
    answers.map((each) => ({ ...each, served: images.get(each.lease) })),
  );
}
