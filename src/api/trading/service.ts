/** The trading service: the chain state of tokens, who locks them, and whether they may be traded now. */

import { isLocked } from "../../domain/lock-count.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import type { HeadWitness } from "../chain/rpc/head-witness.ts";
import type { Database, Queryable } from "../db/database.ts";
import { confirmHeads, refusalFor } from "./checks/guard.ts";
import { readLockHolders } from "./lock-holders.ts";
import { type ChainState, readChainStates } from "./store.ts";

// Pages and lists read tokens constantly, so they share recent confirmations; trade checks always ask again.
const WITNESS_MAX_AGE_MS = 250;

/** A token's indexed state, trusted or not. */
export interface IndexedToken extends ChainState {
  /** The trackers that lock it, those of its oldest locks first (lock-holders.ts). */
  readonly approvedContracts: readonly string[];
}

export interface TokenOnChain extends IndexedToken {
  /** Fails closed: false while the chain index can't be trusted. */
  readonly tradable: boolean;
}

/** Reads what the chain index knows of tokens. */
export function createIndexedReader({
  tables,
  maxAgeSeconds,
}: {
  readonly tables: ChainTables;
  readonly maxAgeSeconds: number;
}) {
  /** The tokens of one collection that the chain index knows, by token id; a node isn't asked. */
  return async function readIndexed(
    db: Queryable,
    chainId: number,
    collection: string,
    tokenIds: readonly string[],
  ): Promise<ReadonlyMap<string, IndexedToken>> {
    const states = await readChainStates(db, tables, { chainId, collection, tokenIds, maxAgeSeconds });
    return addHolders(db, tables, chainId, collection, states);
  };
}

/** Completes tokens with the contracts that lock them. */
async function addHolders(
  db: Queryable,
  tables: ChainTables,
  chainId: number,
  collection: string,
  states: ReadonlyMap<string, ChainState>,
): Promise<ReadonlyMap<string, IndexedToken>> {
  const locked = [...states.values()].flatMap(({ lockCount, tokenId }) =>
    isLocked(lockCount) ? tokenId : [],
  );
  const holders =
    locked.length > 0 ? await readLockHolders(db, tables, chainId, collection, locked) : undefined;
  return new Map(
    [...states].map(([tokenId, state]) => [
      tokenId,
      { ...state, approvedContracts: holders?.get(tokenId) ?? [] },
    ]),
  );
}

export function createTrading(deps: {
  database: Database;
  tables: ChainTables;
  witness: HeadWitness;
  maxAgeSeconds: number;
}) {
  const { database, tables, witness } = deps;
  const readIndexed = createIndexedReader(deps);

  return {
    readIndexed,
    /** TRADE_MAX_AGE. */
    maxAgeSeconds: deps.maxAgeSeconds,

    /** Completes tokens of one collection, as a statement has just read them: who locks them, and may they be traded. */
    async completeTokens(
      chainId: number,
      collection: string,
      states: ReadonlyMap<string, ChainState>,
    ): Promise<ReadonlyMap<string, TokenOnChain>> {
      const heads = [...states.values()].map((state) => ({ chainId, ...state }));
      // At once: the longer they are apart, the more a lock may change between its count and its holders.
      const [indexed, confirmed] = await Promise.all([
        addHolders(database, tables, chainId, collection, states),
        confirmHeads(witness, heads, WITNESS_MAX_AGE_MS),
      ]);
      const isConfirmed = confirmed.has(chainId);
      return new Map(
        [...indexed].map(([tokenId, state]) => {
          const fresh = state.fresh && isConfirmed;
          return [
            tokenId,
            { ...state, fresh, tradable: refusalFor({ ...state, fresh, entitled: true }) === null },
          ];
        }),
      );
    },
  };
}

export type TradingService = ReturnType<typeof createTrading>;
