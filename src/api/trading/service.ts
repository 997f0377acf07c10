/** The trading service: the chain state of tokens, who locks them, and whether they may be traded now. */

import { isLocked } from "../../domain/lock-count.ts";
import { keepsBoolean } from "../chain/index/lock-sql.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import type { HeadWitness } from "../chain/rpc/head-witness.ts";
import type { Database } from "../db/database.ts";
import { confirmHeads, refusalFor } from "./checks/guard.ts";
import { lockHolders } from "./lock-holders.ts";
import { type ChainState, type LockEntry, readChainStates, readOpenLocks } from "./store.ts";

// Pages and lists read tokens constantly, so they share recent confirmations; trade checks always ask again.
const WITNESS_MAX_AGE_MS = 250;

export interface TokenOnChain extends ChainState {
  readonly approvedContracts: readonly string[];
  /** Fails closed: false while the chain index can't be trusted (design: "Guard"). */
  readonly tradable: boolean;
}

export function createTrading(deps: {
  database: Database;
  tables: ChainTables;
  witness: HeadWitness;
  maxAgeSeconds: number;
}) {
  const { database, tables, witness, maxAgeSeconds } = deps;
  return {
    /** The tokens of one collection that the chain index knows, by token id. */
    async readTokens(
      chainId: number,
      collection: string,
      tokenIds: readonly string[],
    ): Promise<ReadonlyMap<string, TokenOnChain>> {
      const states = await readChainStates(database, tables, {
        chainId,
        collection,
        tokenIds,
        maxAgeSeconds,
      });
      const confirmed = await confirmHeads(
        witness,
        [...states.values()].map((state) => ({ chainId, ...state })),
        WITNESS_MAX_AGE_MS,
      );
      const locked = [...states.values()]
        .filter((state) => isLocked(state.lockCount))
        .map((state) => state.tokenId);
      const locks =
        locked.length > 0 ? await readOpenLocks(database, tables, chainId, collection, locked) : [];
      const byToken = groupByToken(locks);
      const isBoolean = keepsBoolean(tables, chainId, collection);
      return new Map(
        [...states].map(([tokenId, state]) => {
          const fresh = state.fresh && confirmed.has(chainId);
          return [
            tokenId,
            {
              ...state,
              fresh,
              approvedContracts: lockHolders(byToken.get(tokenId) ?? [], isBoolean),
              tradable: refusalFor({ ...state, fresh, entitled: true }) === null,
            },
          ];
        }),
      );
    },
  };
}

function groupByToken(entries: readonly LockEntry[]): ReadonlyMap<string, LockEntry[]> {
  const groups = new Map<string, LockEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.tokenId);
    if (group) group.push(entry);
    else groups.set(entry.tokenId, [entry]);
  }
  return groups;
}

export type TradingService = ReturnType<typeof createTrading>;
