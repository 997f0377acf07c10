/**
 * ERC-4906 and ERC-1155 `URI` events become causes to read metadata again; ranges are never expanded here. ERC-4906
 * events come in two layouts, and each log fits one of the two entries.
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
  cause: { source: Source; from: bigint; to: bigint; part?: number | undefined },
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

const onUpdate = (call: { event: ChainEvent & { args: UpdateArgs }; context: Context }): Promise<void> => {
  const { _tokenId } = call.event.args;
  return recordCause(call.event, call.context, { source: "MetadataUpdate", from: _tokenId, to: _tokenId });
};

const onBatch = (call: { event: ChainEvent & { args: BatchArgs }; context: Context }): Promise<void> => {
  const { _fromTokenId, _toTokenId } = call.event.args;
  return recordCause(call.event, call.context, {
    source: "BatchMetadataUpdate",
    from: _fromTokenId,
    to: _toTokenId,
  });
};

ponder.on("Collection:MetadataUpdate", onUpdate);
ponder.on("CollectionDraft4906:MetadataUpdate", onUpdate);
ponder.on("Collection:BatchMetadataUpdate", onBatch);
ponder.on("CollectionDraft4906:BatchMetadataUpdate", onBatch);

ponder.on("Collection:URI", async ({ event, context }) => {
  const { _id } = event.args;
  await recordCause(event, context, { source: "URI", from: _id, to: _id });
});
