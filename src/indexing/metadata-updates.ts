/**
 * ERC-4906 and ERC-1155 `URI` events become causes to read metadata again; ranges are never expanded here. ERC-4906
 * events come in two layouts, each with an entry of its own.
 */

import { type Context, ponder } from "ponder:registry";
import { metadataUpdate } from "ponder:schema";
import { refreshScope } from "../domain/refresh-scope.ts";
import { type ChainEvent, collectionKey, provenance, rowId } from "./event-row.ts";

type Source = (typeof metadataUpdate.$inferInsert)["source"];

/** Writes one cause. */
export async function recordCause(
  event: ChainEvent,
  context: Context,
  cause: { source: Source; from: bigint; to: bigint; part?: number | string | undefined },
): Promise<void> {
  await context.db.insert(metadataUpdate).values({
    id: rowId(event, cause.part),
    ...collectionKey(event, context),
    source: cause.source,
    fromTokenId: cause.from,
    toTokenId: cause.to,
    // Only a range can mean the whole collection; the token with the highest id is one like any other.
    scope: cause.source === "BatchMetadataUpdate" ? refreshScope(cause.from, cause.to) : "token",
    blockHash: event.block.hash,
    ...provenance(event),
  });
}

type UpdateArgs = { readonly _tokenId: bigint };
type BatchArgs = { readonly _fromTokenId: bigint; readonly _toTokenId: bigint };

type Call<Args> = { event: ChainEvent & { args: Args }; context: Context };

// Ponder ignores surplus topics and data, so a hand-made log may fit both layouts. Each row has an id of its own: of
// two under one id, one is lost, or the insert fails and the indexer with it.
const DRAFT = "draft";

const recordUpdate = ({ event, context }: Call<UpdateArgs>, part?: string): Promise<void> => {
  const { _tokenId } = event.args;
  return recordCause(event, context, { source: "MetadataUpdate", from: _tokenId, to: _tokenId, part });
};

const recordBatch = ({ event, context }: Call<BatchArgs>, part?: string): Promise<void> => {
  const { _fromTokenId, _toTokenId } = event.args;
  return recordCause(event, context, {
    source: "BatchMetadataUpdate",
    from: _fromTokenId,
    to: _toTokenId,
    part,
  });
};

ponder.on("Collection:MetadataUpdate", (call) => recordUpdate(call));
ponder.on("CollectionDraft4906:MetadataUpdate", (call) => recordUpdate(call, DRAFT));
ponder.on("Collection:BatchMetadataUpdate", (call) => recordBatch(call));
ponder.on("CollectionDraft4906:BatchMetadataUpdate", (call) => recordBatch(call, DRAFT));

ponder.on("Collection:URI", async ({ event, context }) => {
  const { _id } = event.args;
  await recordCause(event, context, { source: "URI", from: _id, to: _id });
});
