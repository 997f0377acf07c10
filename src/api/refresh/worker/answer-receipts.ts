/** Answers receipts when fetches are recorded: the outcome of the metadata, and what becomes of the image. */

import { tokenKey } from "../../../domain/token-ref.ts";
import type { Queryable } from "../../db/database.ts";
import type { MetadataService, Served } from "../../metadata/service.ts";
import type { Resolution } from "../../metadata/uri/resolve.ts";
import type { Lease } from "../queue/leases.ts";
import type { ServedImage } from "../receipts/receipt-images.ts";
import { settle } from "../receipts/receipts.ts";
import type { EnqueueMedia } from "../triggers/seen-tokens.ts";

interface Fetched {
  readonly lease: Lease;
  readonly resolution: Resolution;
}

/**
 * The picture that each token shows, to be read before the new documents are recorded. A token whose document names the
 * same image as before costs no read.
 */
export async function readShown(
  tx: Queryable,
  metadata: MetadataService,
  media: EnqueueMedia,
  fetched: readonly Fetched[],
  served: Served,
): Promise<(lease: Lease) => ServedImage["before"]> {
  const none = { file: null };
  const before = new Map<Lease, ServedImage["before"]>();
  const others: Lease[] = [];
  for (const { lease, resolution } of fetched) {
    const version = served.get(tokenKey(lease));
    if (!version?.versionId || resolution.kind !== "document") continue;
    if (metadata.hasImage(version, resolution.document.metadata.image)) before.set(lease, "of its URL");
    else others.push(lease);
  }
  if (others.length > 0) {
    const images = await metadata.readServedImages(tx, others);
    const files = await media.readFiles(tx, [...new Set(images.values())]);
    for (const lease of others)
      before.set(lease, { file: files.get(images.get(tokenKey(lease)) ?? "") ?? null });
  }
  return (lease) => before.get(lease) ?? none;
}

/**
 * Answers the receipts that wait for these fetches. After the media rows, which a worker that records a probe locks
 * before the receipts.
 */
export async function answerReceipts(
  tx: Queryable,
  media: EnqueueMedia,
  answers: readonly Parameters<typeof settle>[1][number][],
  served: readonly { readonly lease: Lease; readonly metadata: { readonly image: string | null } }[],
  shownBefore: (lease: Lease) => ServedImage["before"],
): Promise<void> {
  if (answers.length === 0) return;
  const images = new Map(served.map(({ lease, metadata }) => [lease, metadata.image]));
  await settle(
    tx,
    answers.map((each) => {
      const image = images.get(each.lease);
      if (image === undefined) return each;
      return { ...each, served: { fate: media.fateOf(image), before: shownBefore(each.lease) } };
    }),
  );
}
