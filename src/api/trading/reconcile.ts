/** Compares the index's locks with the contract's own, one page of tokens at a time. Reports, and changes nothing. */

import { setTimeout as sleep } from "node:timers/promises";
import { UINT256_MAX } from "../../domain/token-ref.ts";
import type { ChainClients } from "../chain/clients.ts";
import type { ChainTables } from "../chain/tables.ts";
import { ApiError } from "../contract/errors.ts";
import type { Database, Queryable } from "../store/database.ts";
import { type DriftCause, explainDrift, isDrift, isMissingLocks } from "./lock-drift.ts";
import { createLockReader, type LockFunction, type LockRead, type LocksOnChain } from "./lock-reader.ts";
import {
  type CollectionRef,
  type IndexedLocks,
  readIndexedLocks,
  readLivingTokens,
  readLockOddities,
  type TokenChoice,
} from "./reconcile-store.ts";

// Two of Ponder's looks at the chain: a reorg that the node has seen and the index has not is over by then.
const SETTLE_MS = 2_000;
const PROBED_TOKENS_MAX = 3;

export interface LockDrift {
  readonly tokenId: string;
  /** The block that both sides are as of. */
  readonly block: number;
  readonly indexed: number;
  readonly onChain: LocksOnChain;
  readonly cause: DriftCause;
  readonly explanation: string;
}

export interface ReconciledPage {
  /** The block that the page was read at. */
  readonly block: number;
  /** The contract's function that was compared with; null when it has none, and nothing was compared. */
  readonly offers: LockFunction | null;
  /** Tokens that were compared. */
  readonly checked: number;
  /** Tokens for which the contract answers nothing, as some do for burned ones. */
  readonly unreadable: number;
  /** By ascending token id. */
  readonly drift: readonly LockDrift[];
  /** The id to go on after; null at the end of the collection, and where there is nothing to compare with. */
  readonly nextAfter: string | null;
}

export interface ReconcileDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly clients: ChainClients;
  /** The block that a chain's index starts with. */
  readonly firstBlock: (chainId: number) => number;
  /** Tokens that Vitrine knows of, by events or by the contract's answer: ascending, above `after`, at most `limit`. */
  readonly knownInRange: (
    db: Queryable,
    range: {
      readonly chainId: number;
      readonly collection: string;
      readonly from: string;
      readonly to: string;
    },
    after: string | null,
    limit: number,
  ) => Promise<string[]>;
  /** The time between the two looks that a drift has to stand. */
  readonly settle?: () => Promise<unknown>;
}

interface Suspect {
  readonly tokenId: string;
  readonly indexed: number;
  readonly onChain: LocksOnChain;
}

type Reader = ReturnType<typeof createLockReader>;

export function createReconcile(deps: ReconcileDeps) {
  const { database, tables, clients, firstBlock, knownInRange, settle = () => sleep(SETTLE_MS) } = deps;

  /** Rows that stand for a block. Throws UNAVAILABLE while they stand for none. */
  const readIndex = async (collection: CollectionRef, choice: TokenChoice): Promise<IndexedLocks> => {
    const index = await readIndexedLocks(database, tables, collection, choice);
    if (!index?.ready) {
      throw unavailable(`the index of chain ${collection.chainId} is not ready: its backfill is running`);
    }
    if (!index.caughtUp) {
      throw unavailable(
        `the index of chain ${collection.chainId} was started again and has not caught up with what it had seen; it does so with the next blocks`,
      );
    }
    return index;
  };

  /** A page of the tokens that the index or Vitrine knows, and known ones that its rows lack. */
  const readPage = async (
    collection: CollectionRef,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<IndexedLocks & { readonly unseen: readonly string[] }> => {
    const all = {
      chainId: collection.chainId,
      collection: collection.address,
      from: "0",
      to: String(UINT256_MAX),
    };
    const known = await knownInRange(database, all, page.after, page.limit);
    const index = await readIndex(collection, page);
    // Each side holds its lowest ids, so that the lowest of both are complete up to the limit, and not beyond it.
    const tokens = withUnseen(index, known).tokens.slice(0, page.limit);
    return { ...index, tokens, unseen: unseenOf(index, known) };
  };

  /** The tokens that differ at the index's own block, and how many could be read. */
  const compare = async (reader: Reader, offers: LockFunction, { tokens, block }: IndexedLocks) => {
    const ids = tokens.map(({ tokenId }) => tokenId);
    const reads = await reader.readAll(offers, ids, block);
    if (reads.some(({ kind }) => kind === "unavailable")) throw nodeIsAway(offers, block);
    const suspects = tokens.flatMap(({ tokenId, lockCount: indexed }, index): Suspect[] => {
      const read = reads[index];
      if (read?.kind !== "read" || !isDrift(indexed, read)) return [];
      return [{ tokenId, indexed, onChain: { lockCount: read.lockCount, locked: read.locked } }];
    });
    return { suspects, checked: reads.filter(({ kind }) => kind === "read").length };
  };

  const explain = async (
    reader: Reader,
    collection: CollectionRef,
    offers: LockFunction,
    block: number,
    suspects: readonly Suspect[],
  ): Promise<LockDrift[]> => {
    const first = firstBlock(collection.chainId);
    const missing = suspects
      .filter(({ indexed, onChain }) => isMissingLocks(indexed, onChain))
      .map(({ tokenId }) => tokenId);
    const [oddities, reads] = await Promise.all([
      readLockOddities(
        database,
        tables,
        collection,
        suspects.map(({ tokenId }) => tokenId),
      ),
      first > 0 ? reader.readAll(offers, missing, first - 1) : [],
    ]);
    const before = new Map<string, LockRead | undefined>(missing.map((id, index) => [id, reads[index]]));
    return suspects.map((suspect) => ({
      ...suspect,
      block,
      ...explainDrift({
        ...suspect,
        firstBlock: first,
        before: before.get(suspect.tokenId),
        oddities: oddities.get(suspect.tokenId),
      }),
    }));
  };

  return {
    /**
     * Compares up to `limit` tokens above `after` (null: from the first) at the block that the index is as of; a known
     * token that the index saw no event of counts as free there. What differs is looked at once more, since the node
     * may have seen a reorg before the index did. Throws UNAVAILABLE while the index or the chain's node can't be asked.
     */
    async comparePage(
      collection: CollectionRef,
      page: { readonly after: string | null; readonly limit: number },
    ): Promise<ReconciledPage> {
      const client = clients.get(collection.chainId);
      if (!client) throw unavailable(`chain ${collection.chainId} has no RPC endpoint`);
      const reader = createLockReader(client, collection.address);
      const index = await readPage(collection, page);
      const { block, tokens, unseen } = index;

      const living = await readLivingTokens(database, tables, collection, PROBED_TOKENS_MAX);
      // Where the index saw only burned tokens, those that it did not see may live.
      const probed = [...living, ...unseen, ...tokens.map(({ tokenId }) => tokenId)].slice(
        0,
        PROBED_TOKENS_MAX,
      );
      const offers = await reader.findOffered(probed, block);
      if (offers === "unavailable") throw nodeIsAway("its lock functions", block);
      if (offers === null) return { block, offers, checked: 0, unreadable: 0, drift: [], nextAfter: null };

      const { suspects, checked } = await compare(reader, offers, index);
      const drift: LockDrift[] = [];
      if (suspects.length > 0) {
        await settle();
        const ids = suspects.map(({ tokenId }) => tokenId);
        const again = withUnseen(await readIndex(collection, { ids }), ids);
        const confirmed = (await compare(reader, offers, again)).suspects;
        drift.push(...(await explain(reader, collection, offers, again.block, confirmed)));
      }
      const isLast = tokens.length < page.limit;
      return {
        block,
        offers,
        checked,
        unreadable: tokens.length - checked,
        drift,
        nextAfter: isLast ? null : (tokens.at(-1)?.tokenId ?? null),
      };
    },
  };
}

export type Reconcile = ReturnType<typeof createReconcile>;

/** Those of the ids that the rows lack. */
function unseenOf({ tokens }: IndexedLocks, ids: readonly string[]): string[] {
  const seen = new Set(tokens.map(({ tokenId }) => tokenId));
  return ids.filter((id) => !seen.has(id));
}

/** The rows, with one for each id that they lack: the index counts no lock of it. By ascending token id. */
function withUnseen(index: IndexedLocks, ids: readonly string[]): IndexedLocks {
  const unseen = unseenOf(index, ids).map((tokenId) => ({ tokenId, lockCount: 0 }));
  const tokens = [...index.tokens, ...unseen];
  return { ...index, tokens: tokens.sort((a, b) => (BigInt(a.tokenId) < BigInt(b.tokenId) ? -1 : 1)) };
}

const unavailable = (message: string): ApiError =>
  new ApiError("UNAVAILABLE", [{ path: "collection", message }]);

const nodeIsAway = (asked: string, block: number): ApiError =>
  unavailable(
    `the chain's RPC endpoint did not answer ${asked} for block ${block}; try again, with a smaller limit if it refuses large batches`,
  );
