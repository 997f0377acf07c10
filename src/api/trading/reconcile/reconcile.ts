/** Compares indexed locks with the contract's own, one page of tokens at a time. Read-only. */

import { setTimeout as sleep } from "node:timers/promises";
import {
  type LockStandardName,
  lockStandardNames,
  switchWithDefault,
} from "../../../domain/lock-standards.ts";
import { type ContractRef, UINT256_MAX } from "../../../domain/token-ref.ts";
import { keepsBoolean } from "../../chain/index/lock-sql.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { ChainClients } from "../../chain/rpc/clients.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { ApiError } from "../../http/errors.ts";
import { type Comparison, compareLocks, type LockReader, type Suspect } from "./lock-compare.ts";
import { type DriftCause, explainDrift, isMissingLocks } from "./lock-drift.ts";
import { createLockReader, type LocksOnChain, type OfferedView } from "./lock-reader.ts";
import {
  type IndexedLocks,
  type IndexedToken,
  readIndexedLocks,
  readLivingTokens,
  readLockOddities,
  type TokenChoice,
} from "./reconcile-store.ts";

// Two polls of Ponder: by then the chain index has followed a reorg that the node has already seen.
const SETTLE_MS = 2_000;
const PROBED_TOKENS_MAX = 3;

export interface LockDrift {
  readonly tokenId: string;
  readonly standard: LockStandardName;
  /** The block of both sides. */
  readonly block: number;
  readonly indexed: number;
  readonly onChain: LocksOnChain;
  readonly cause: DriftCause;
  readonly explanation: string;
}

export interface ReconciledPage {
  /** The block the page was read at. */
  readonly block: number;
  /** The views compared with; if empty, nothing was compared. */
  readonly offers: readonly OfferedView[];
  /** Tokens compared by at least one view. */
  readonly checked: number;
  /** Tokens for which no view returns a value, as with burned tokens in some contracts. */
  readonly unreadable: number;
  /** Ascending by token id. */
  readonly drift: readonly LockDrift[];
  /** The id to continue after; null at the end of the collection, or if there is nothing to compare with. */
  readonly nextAfter: string | null;
}

export interface ReconcileDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly clients: ChainClients;
  /** The chain index's first block. */
  readonly firstBlock: (chainId: number) => number;
  /** Known tokens, from events or from the contract: ascending, above `after`, at most `limit`. */
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
  /** Waits between the two comparisons that a drift must survive. */
  readonly settle?: () => Promise<unknown>;
}

export function createReconcile(deps: ReconcileDeps) {
  const { database, tables, clients, firstBlock, knownInRange, settle = () => sleep(SETTLE_MS) } = deps;

  /** Rows that are valid for their block. Throws UNAVAILABLE while they are not. */
  const readIndex = async (collection: ContractRef, choice: TokenChoice): Promise<IndexedLocks> => {
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

  /** A page of tokens known to the chain index or to Vitrine; `unseen` lists those without a row. */
  const readPage = async (
    collection: ContractRef,
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
    // Each side has its lowest ids, so the merged list is complete up to the limit but not beyond.
    const tokens = withUnseen(index, known).tokens.slice(0, page.limit);
    return { ...index, tokens, unseen: unseenOf(index, known) };
  };

  /** The tokens that differ at the chain index's own block, and the number that could be read. */
  const compare = async (
    reader: LockReader,
    offers: readonly OfferedView[],
    collection: ContractRef,
    { tokens, block }: IndexedLocks,
  ): Promise<Comparison> => {
    const isBoolean = keepsBoolean(tables, collection.chainId, collection.address);
    const compared = await compareLocks(reader, offers, tokens, { block, isBoolean });
    if (!compared) throw nodeIsAway(offers.map(({ view }) => view.name).join(" and "), block);
    return compared;
  };

  /** The contract's state before the chain index began, for tokens with a missing lock or their default. */
  const readBefore = async (reader: LockReader, block: number, suspects: readonly Suspect[]) => {
    const reads = suspects.map(async ({ token, offered, indexed, onChain }) => {
      if (!isMissingLocks(indexed, onChain) || block < 0) return undefined;
      const [read] = await reader.readAll(offered.view, [token.tokenId], block);
      const byDefault = offered.defaults.get(indexed.standard);
      const isUnknown = read?.kind === "unreadable" && token.own[indexed.standard] === null;
      return isUnknown && byDefault ? reader.readDefault(byDefault, block) : read;
    });
    return Promise.all(reads);
  };

  const explain = async (
    reader: LockReader,
    collection: ContractRef,
    block: number,
    suspects: readonly Suspect[],
  ): Promise<LockDrift[]> => {
    const first = firstBlock(collection.chainId);
    const ids = [...new Set(suspects.map(({ token }) => token.tokenId))];
    const [oddities, before] = await Promise.all([
      readLockOddities(database, tables, collection, ids),
      readBefore(reader, first - 1, suspects),
    ]);
    return suspects.map(({ token: { tokenId, own }, indexed, onChain }, at) => ({
      tokenId,
      standard: indexed.standard,
      block,
      indexed: indexed.lockCount,
      onChain,
      ...explainDrift({
        indexed,
        flag: own.erc721x === true,
        onChain,
        firstBlock: first,
        before: before[at],
        oddities: oddities.get(tokenId),
      }),
    }));
  };

  return {
    /**
     * Compares up to `limit` tokens above `after` (null: from the first) at the chain index's block. A known token
     * without indexed events counts as unlocked there, unless the collection locks by default. Compares differing
     * tokens a second time, because the node may see a reorg before the chain index does. Throws UNAVAILABLE while the
     * chain index or the node is unavailable.
     */
    async comparePage(
      collection: ContractRef,
      page: { readonly after: string | null; readonly limit: number },
    ): Promise<ReconciledPage> {
      const client = clients.get(collection.chainId);
      if (!client) throw unavailable(`chain ${collection.chainId} has no RPC endpoint`);
      const reader = createLockReader(client, collection.address);
      const index = await readPage(collection, page);
      const { block, tokens, unseen } = index;

      const living = await readLivingTokens(database, tables, collection, PROBED_TOKENS_MAX);
      // If all indexed tokens are burned, an unseen one may still exist.
      const probed = [...living, ...unseen, ...tokens.map(({ tokenId }) => tokenId)].slice(
        0,
        PROBED_TOKENS_MAX,
      );
      const offers = await reader.findOffered(probed, block);
      if (offers === "unavailable") throw nodeIsAway("its lock functions", block);
      if (offers.length === 0)
        return { block, offers, checked: 0, unreadable: 0, drift: [], nextAfter: null };

      const { suspects, checked } = await compare(reader, offers, collection, index);
      const drift: LockDrift[] = [];
      if (suspects.length > 0) {
        await settle();
        const ids = [...new Set(suspects.map(({ token }) => token.tokenId))];
        const again = withUnseen(await readIndex(collection, { ids }), ids);
        const confirmed = (await compare(reader, offers, collection, again)).suspects;
        drift.push(...(await explain(reader, collection, again.block, confirmed)));
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

/** The ids without a row. */
function unseenOf({ tokens }: IndexedLocks, ids: readonly string[]): string[] {
  const seen = new Set(tokens.map(({ tokenId }) => tokenId));
  return ids.filter((id) => !seen.has(id));
}

/** Adds a row for each missing id, without events. Ascending by token id. */
function withUnseen(index: IndexedLocks, ids: readonly string[]): IndexedLocks {
  const unseen = unseenOf(index, ids).map((tokenId) => unseenToken(tokenId, index.isDefaultLocked));
  const tokens = [...index.tokens, ...unseen];
  return { ...index, tokens: tokens.sort((a, b) => (BigInt(a.tokenId) < BigInt(b.tokenId) ? -1 : 1)) };
}

const unseenToken = (tokenId: string, isDefaultLocked: boolean): IndexedToken => ({
  tokenId,
  locks: {
    ...ofEachStandard(0),
    [switchWithDefault]: Number(isDefaultLocked),
  },
  own: ofEachStandard(null),
});

const ofEachStandard = <Value>(value: Value) =>
  Object.fromEntries(lockStandardNames.map((name) => [name, value])) as Record<LockStandardName, Value>;

const unavailable = (message: string): ApiError =>
  new ApiError("UNAVAILABLE", [{ path: "collection", message }]);

const nodeIsAway = (asked: string, block: number): ApiError =>
  unavailable(
    `the chain's RPC endpoint did not answer ${asked} for block ${block}; try again, with a smaller limit if it refuses large batches`,
  );
