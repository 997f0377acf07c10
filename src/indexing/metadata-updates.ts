/** Records ERC-4906 and ERC-1155 `URI` events as refresh triggers; ranges are never expanded here. */

import { type Context, ponder } from "ponder:registry";
import { metadataUpdate } from "ponder:schema";
import { firstWords, type RawLog } from "../domain/event-log.ts";
import { type RefreshScope, refreshScope } from "../domain/refresh-scope.ts";
import { readUriToken } from "../domain/token-logs.ts";
import { recordAnomaly, unreadable } from "./anomalies.ts";
import { type ChainEvent, collectionKey, provenance, rowId } from "./event-row.ts";

type Source = (typeof metadataUpdate.$inferInsert)["source"];

/** Writes one trigger. */
export async function recordTrigger(
  event: ChainEvent,
  context: Context,
  change: { source: Source; from: bigint; to: bigint; part?: number | string | undefined },
): Promise<void> {
  await context.db.insert(metadataUpdate).values({
    id: rowId(event, change.part),
    ...collectionKey(event, context),
    source: change.source,
    fromTokenId: change.from,
    toTokenId: change.to,
    scope: scopeOf(change),
    blockHash: event.block.hash,
    ...provenance(event),
  });
}

/** Only a BatchMetadataUpdate can mean the whole collection. Elsewhere, id 2^256-1 is a token like any other. */
function scopeOf({ source, from, to }: { source: Source; from: bigint; to: bigint }): RefreshScope {
  if (source === "BatchMetadataUpdate") return refreshScope(from, to);
  return from === to ? "token" : "range";
}

type Call = { event: ChainEvent & { log: RawLog }; context: Context };

async function recordUpdate({ event, context }: Call, source: Source, idCount: 1 | 2): Promise<void> {
  const [from, to = from] = firstWords(event.log, idCount) ?? [];
  if (from !== undefined && to !== undefined) return recordTrigger(event, context, { source, from, to });
  const detail = `a ${source} log holds fewer than ${idCount} token ids`;
  await recordAnomaly(event, context, "unreadable_metadata_update", detail);
}

ponder.on("Collection:MetadataUpdate(uint256)", (call) => recordUpdate(call, "MetadataUpdate", 1));
ponder.on("Collection:BatchMetadataUpdate(uint256,uint256)", (call) =>
  recordUpdate(call, "BatchMetadataUpdate", 2),
);
// The contract says each token's URI.
ponder.on("Collection:BatchMetadataUpdate(uint256,uint256,string)", (call) =>
  recordUpdate(call, "BatchMetadataUpdate", 2),
);

ponder.on("Collection:URI(string,uint256)", async ({ event, context }) => {
  const tokenId = readUriToken(event.log);
  if (tokenId !== undefined)
    return recordTrigger(event, context, { source: "URI", from: tokenId, to: tokenId });
  await recordAnomaly(event, context, "unreadable_metadata_update", unreadable("URI", event));
});
