/** Refreshes that the operator asks for: any number of tokens, or a whole collection, and how they come along. */

import { randomUUID } from "node:crypto";
import type { CollectionConfig } from "../../config.ts";
import { UINT256_MAX } from "../../domain/token-ref.ts";
import type { LatestBlock } from "../chain/read-block.ts";
import { within } from "../contract/within.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { Database, Queryable } from "../store/database.ts";
import { type QueueOverview, readHosts, readOpenSweeps, readQueueState } from "./overview-store.ts";
import { type ReceiptProgress, readProgress } from "./progress-store.ts";
import { want } from "./queue.ts";
import { addReceipt } from "./receipts.ts";
import { addSweep } from "./sweeps.ts";

const HEAD_MS = 3_000;
// Zero would void the blocks that waiting events have named: a block that every token is read above will do.
const ANY_BLOCK = 1;

/** Writes with the request, in its transaction: a request without its audit row is none. */
export type Note = (tx: Queryable, refreshId: string) => Promise<void>;

export function createOperatorRequests(deps: {
  readonly database: Database;
  readonly metadata: MetadataService;
  readonly latestBlock: LatestBlock;
}) {
  const { database, metadata, latestBlock } = deps;

  return {
    /**
     * Queues distinct tokens and answers the receipt's id. The contract is not asked about those that nobody has told
     * of; the fetch tells which of them do not exist. `accept` serves also what is less complete than before.
     */
    async requestTokens(
      { chainId, address }: CollectionConfig,
      tokenIds: readonly string[],
      accept: boolean,
      note: Note,
    ): Promise<string> {
      const known = await metadata.findKnown(database, chainId, address, tokenIds);
      // The index may be behind the block that made the others.
      const block = known.size < tokenIds.length ? ((await within(HEAD_MS, latestBlock(chainId))) ?? 0) : 0;
      const id = randomUUID();
      await database.transaction(async (tx) => {
        const marks = await want(tx, {
          chainId,
          collection: address,
          tokens: new Map(tokenIds.map((tokenId) => [tokenId, known.has(tokenId) ? 0 : block])),
          trigger: "operator",
          accept,
        });
        const tokens = tokenIds.map((tokenId) => ({ tokenId, mark: marks.get(tokenId) }));
        await addReceipt(tx, { id, owner: "operator", chainId, collection: address, tokens });
        await note(tx, id);
      });
      return id;
    },

    /**
     * Sweeps all known tokens of a collection, at the lowest priority, and answers the receipt's id. A request that
     * finds another one not started yet joins it.
     */
    requestCollection({ chainId, address }: CollectionConfig, accept: boolean, note: Note): Promise<string> {
      return database.transaction(async (tx) => {
        const id = randomUUID();
        const receiptId = await addSweep(tx, {
          chainId,
          collection: address,
          from: "0",
          to: UINT256_MAX.toString(),
          block: ANY_BLOCK,
          skipRead: false,
          accept,
          receiptId: id,
        });
        if (receiptId === id)
          await addReceipt(tx, { id, owner: "operator", chainId, collection: address, tokens: [] });
        await note(tx, receiptId ?? id);
        return receiptId ?? id;
      });
    },

    /** How far a refresh has come, of whomever it is; undefined for one that nobody made, or long ago. */
    progress: (id: string): Promise<ReceiptProgress | undefined> => readProgress(database, id),

    /** The queue as it is now, in bounded lists. */
    async overview(): Promise<QueueOverview> {
      const [queue, hosts, sweeps] = await Promise.all([
        readQueueState(database).catch(() => undefined),
        readHosts(database),
        readOpenSweeps(database),
      ]);
      return { queue, hosts, sweeps };
    },
  };
}

export type OperatorRequests = ReturnType<typeof createOperatorRequests>;
