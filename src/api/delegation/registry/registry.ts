/** Delegate registry v2, answered from the chain index; one registry per chain. */

import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import { ApiError } from "../../http/errors.ts";
import type { DelegationRecord } from "./record.ts";
import {
  type Answer,
  type CheckQuery,
  type Direction,
  type Place,
  readBetween,
  readCheck,
  readOfWallet,
} from "./store.ts";

export interface RegistryDeps {
  readonly database: Database;
  readonly tables: ChainTables;
}

export interface RecordPage {
  readonly records: readonly DelegationRecord[];
  /** Where the next page starts; null on the last. */
  readonly next: Place | null;
}

interface PageOf {
  readonly chainId: number;
  readonly limit: number;
  readonly after?: Place | undefined;
}

export function createRegistry({ database, tables }: RegistryDeps) {
  /** A chain index that is still building or under repair contains revoked grants, and lacks some new ones. */
  function complete<Value>(answer: Answer<Value>): Value {
    if (!answer.ready) throw new ApiError("UNAVAILABLE");
    return answer;
  }

  return {
    /** A wallet's active delegations, oldest first. Throws UNAVAILABLE while the chain index is incomplete. */
    async ofWallet(query: PageOf & { wallet: string; direction: Direction }): Promise<RecordPage> {
      return complete(await readOfWallet(database, tables, { after: undefined, ...query }));
    },

    /** Delegations of any type from one wallet to another; with rights, only those that satisfy them. */
    async between(
      query: PageOf & { from: string; to: string; rights?: string | undefined },
    ): Promise<RecordPage> {
      return complete(await readBetween(database, tables, { after: undefined, rights: undefined, ...query }));
    },

    /** The result of the contract's own check; an amount is a uint256, whose maximum means everything. */
    async check(query: CheckQuery): Promise<{ readonly granted: boolean; readonly amount: string }> {
      return complete(await readCheck(database, tables, query));
    },
  };
}

export type Registry = ReturnType<typeof createRegistry>;
