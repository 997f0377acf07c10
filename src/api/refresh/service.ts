/** Explicit refresh requests: which tokens exist, what is queued, and the receipt. */

import { randomUUID } from "node:crypto";
import type { CollectionConfig } from "../../config.ts";
import type { LatestBlock } from "../chain/read-block.ts";
import { within } from "../contract/within.ts";
import type { ReadUri } from "../metadata/read-uri.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { Database } from "../store/database.ts";
import { type Trigger, want } from "./queue.ts";
import { addReceipt, findReceipt, type ReceiptOwner } from "./receipts.ts";
import { createReceiptWaits } from "./waits.ts";

// A caller is not kept waiting by a node that does not answer; the token is queued instead.
const EXISTENCE_MS = 3_000;

export type Existence = "queued" | "not_found";

export interface RequestedToken {
  readonly token_id: string;
  readonly status: Existence;
}

export interface RefreshDeps {
  readonly database: Database;
  readonly metadata: MetadataService;
  readonly readUri: ReadUri;
  readonly latestBlock: LatestBlock;
}

interface Existing {
  readonly existing: ReadonlyMap<string, number>;
  /** New to us, and vouched for by an ERC-721 contract. */
  readonly answered: ReadonlyMap<string, number>;
}

interface Caller {
  readonly trigger: Trigger;
  /** Who may read the receipt; without one, none is kept. */
  readonly receiptFor?: ReceiptOwner;
  readonly anonymous?: boolean;
}

export function createRefresh(deps: RefreshDeps) {
  const { database, metadata, readUri, latestBlock } = deps;

  /**
   * The tokens that exist, each with the block that is known to have it, and those of them that are new. Those the
   * index has not seen are asked of the contract at the node's own head: one that reverts does not exist, one that
   * the node can't tell of may. ERC-1155 `uri` answers for any id, so such a token is known once its document is read.
   */
  async function findExisting(collection: CollectionConfig, tokenIds: readonly string[]): Promise<Existing> {
    const { chainId, address, standard } = collection;
    const known = await metadata.findKnown(database, chainId, address, tokenIds);
    const unseen = tokenIds.filter((id) => !known.has(id));
    const existing = new Map([...known].map((tokenId) => [tokenId, 0]));
    const answered = new Map<string, number>();
    if (unseen.length === 0) return { existing, answered };

    const block = await within(EXISTENCE_MS, latestBlock(chainId));
    await Promise.all(
      unseen.map(async (tokenId) => {
        if (block === undefined) return existing.set(tokenId, 0);
        const token = { chainId, collection: address, tokenId };
        const read = await within(EXISTENCE_MS, readUri(token, standard, block));
        if (read?.kind === "read" && read.standard === "erc721") answered.set(tokenId, block);
        return read?.kind === "reverted" ? undefined : existing.set(tokenId, block);
      }),
    );
    return { existing, answered };
  }

  return {
    /**
     * Accepts a refresh of distinct tokens. Queue rows and receipt are written in one transaction, so an accepted
     * request survives a crash. The receipt is undefined when no token exists: then nothing is written.
     */
    async request(
      collection: CollectionConfig,
      tokenIds: readonly string[],
      caller: Caller,
    ): Promise<{ readonly receiptId: string | undefined; readonly tokens: readonly RequestedToken[] }> {
      const { existing, answered } = await findExisting(collection, tokenIds);
      const tokens = tokenIds.map(
        (token_id): RequestedToken => ({
          token_id,
          status: existing.has(token_id) ? "queued" : "not_found",
        }),
      );
      if (existing.size === 0) return { receiptId: undefined, tokens };

      const { chainId, address } = collection;
      const receiptId = randomUUID();
      await database.transaction(async (tx) => {
        const marks = await want(tx, {
          chainId,
          collection: address,
          tokens: existing,
          trigger: caller.trigger,
          anonymous: caller.anonymous ?? false,
        });
        // After the queue rows, in the order of a worker that records a fetch.
        if (answered.size > 0) await metadata.addKnownTokens(tx, chainId, address, answered);
        if (!caller.receiptFor) return;
        await addReceipt(tx, {
          id: receiptId,
          owner: caller.receiptFor,
          chainId,
          collection: address,
          tokens: tokenIds.map((tokenId) => ({ tokenId, mark: marks.get(tokenId) })),
        });
      });
      return { receiptId, tokens };
    },

    findReceipt: (id: string, owner: ReceiptOwner) => findReceipt(database, id, owner),

    waits: createReceiptWaits(database),
  };
}

export type RefreshService = ReturnType<typeof createRefresh>;
