/** The delegation room's door: delegate registry v2 answered from the index, one registry per chain. */

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
  /** An index that is being built or mended knows of grants that were revoked, and not of all that were made. */
  function complete<Value>(answer: Answer<Value>): Value {
    if (!answer.ready) throw new ApiError("UNAVAILABLE");
    return answer;
  }

  return {
    /** A wallet's standing delegations, oldest first. Throws UNAVAILABLE while the index is not complete. */
    async ofWallet(query: PageOf & { wallet: string; direction: Direction }): Promise<RecordPage> {
      return complete(await readOfWallet(database, tables, { after: undefined, ...query }));
    },

    /** Those from one wallet to another, of any type; with rights, those that count for them. */
    async between(
      query: PageOf & { from: string; to: string; rights?: string | undefined },
    ): Promise<RecordPage> {
      return complete(await readBetween(database, tables, { after: undefined, rights: undefined, ...query }));
    },

    /** What the contract's own check answers; an amount is a uint256, its maximum standing for everything. */
    async check(query: CheckQuery): Promise<{ readonly granted: boolean; readonly amount: string }> {
      return complete(await readCheck(database, tables, query));
    },
  };
}

export type Registry = ReturnType<typeof createRegistry>;
