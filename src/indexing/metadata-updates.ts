/** ERC-4906 and ERC-1155 `URI` events become causes to read metadata again; ranges are never expanded here. */

import { type Context, ponder } from "ponder:registry";
import { metadataUpdate } from "ponder:schema";
import { refreshScope } from "../domain/refresh-scope.ts";
import { type ChainEvent, collectionKey, provenance } from "./event-row.ts";

type Source = (typeof metadataUpdate.$inferInsert)["source"];

/** Writes one cause. `part` tells apart the causes of one event, such as the ids of a batch transfer. */
export async function recordCause(
  event: ChainEvent,
  context: Context,
  cause: { source: Source; from: bigint; to: bigint; part?: number },
): Promise<void> {
  await context.db
    .insert(metadataUpdate)
    .values({
      id: cause.part === undefined ? event.id : `${event.id}-${cause.part}`,
      ...collectionKey(event, context),
      source: cause.source,
      fromTokenId: cause.from,
      toTokenId: cause.to,
      scope: refreshScope(cause.from, cause.to),
      blockHash: event.block.hash,
      ...provenance(event),
    })
    .onConflictDoNothing();
}

ponder.on("Collection:MetadataUpdate", async ({ event, context }) => {
  const { _tokenId } = event.args;
  await recordCause(event, context, { source: "MetadataUpdate", from: _tokenId, to: _tokenId });
});

ponder.on("Collection:BatchMetadataUpdate", async ({ event, context }) => {
  const { _fromTokenId, _toTokenId } = event.args;
  await recordCause(event, context, { source: "BatchMetadataUpdate", from: _fromTokenId, to: _toTokenId });
});

ponder.on("Collection:URI", async ({ event, context }) => {
  const { _id } = event.args;
  await recordCause(event, context, { source: "URI", from: _id, to: _id });
});
