/** Refreshes with a receipt, for callers without a key. */

import { z } from "@hono/zod-openapi";
import { clip } from "../../../domain/printable.ts";
import { createBatch } from "../../async/batch.ts";
import type { Collections } from "../../catalog/collections.ts";
import { collectionNameField, uuidField } from "../../http/fields.ts";
import type { Receipt } from "../../refresh/receipts/receipts.ts";
import { refusalOf, tokenIdsField } from "../../refresh/rules.ts";
import type { RefreshService } from "../../refresh/service.ts";
import type { Caller } from "../routes.ts";
import { readArguments } from "./arguments.ts";

// Anyone with the unguessable id may read such a receipt. Receipts of apps and of the operator are excluded.
const OWNER = "anonymous";

const requestArguments = z.object({ tokenAddress: collectionNameField, tokenIds: tokenIdsField });
const receiptArguments = z.object({
  id: uuidField({ error: (issue) => `"${clip(String(issue.input))}" is not the id of a refresh: a UUID` }),
});

interface RequestArguments {
  readonly tokenAddress: string;
  readonly tokenIds: readonly string[];
  readonly chainId?: number | null;
}

export function createRefreshFields({
  collections,
  refresh,
}: {
  readonly collections: Collections;
  readonly refresh: RefreshService;
}) {
  return {
    /** Same as the REST route, which also takes callers without a key. */
    async requestMetadataRefresh(args: RequestArguments, { client, cure, requestId }: Caller) {
      const { tokenAddress, tokenIds } = readArguments(requestArguments, args);
      const { receiptId, tokens } = await refresh.request(
        await collections.findNamed(tokenAddress, args.chainId ?? undefined),
        [...new Set(tokenIds)],
        { trigger: "graphql", client, cure, requestId, receiptFor: OWNER },
      );
      if (!receiptId) throw refusalOf(tokens, (index) => `tokenIds[${index}]`);
      const receipt = await refresh.findReceipt(receiptId, OWNER);
      if (!receipt) throw new Error("the receipt of an accepted refresh is there");
      return viewReceipt(refresh, receipt);
    },

    async metadataRefresh(args: { readonly id: string }) {
      const receipt = await refresh.findReceipt(readArguments(receiptArguments, args).id, OWNER);
      return receipt ? viewReceipt(refresh, receipt) : null;
    },
  };
}

function viewReceipt(
  refresh: RefreshService,
  { refresh_id, chain_id, collection_address, created_at, done, tokens }: Receipt,
) {
  // Read once for all tokens, if it is selected.
  const nextRead = createBatch(() => refresh.findNextReads(refresh_id));
  return {
    id: refresh_id,
    chainId: chain_id,
    collectionAddress: collection_address,
    createdAt: created_at,
    done,
    tokens: tokens.map(({ token_id, status, reason, image, image_reason }) => ({
      tokenId: token_id,
      status,
      reason,
      image,
      imageReason: image_reason,
      nextReadAt: async () => (status === "queued" ? (await nextRead(token_id))?.toISOString() : undefined),
    })),
  };
}
