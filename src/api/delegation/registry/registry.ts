/** Delegate registry v2, answered from the chain index; one registry per chain. */

import { ApiError } from "../../http/errors.ts";
import type { DelegationRecord } from "./record.ts";
import {
  type Answer,
  type CheckQuery,
  type Direction,
  type Place,
  type RegistryIndex,
  readBetween,
  readCheck,
  readOfWallet,
} from "./store.ts";

/** The time of the newest indexed block: grants and revocations since are unknown. */
interface Dated {
  readonly asOf: Date | null;
}

export interface RecordPage extends Dated {
  readonly records: readonly DelegationRecord[];
  /** Where the next page starts; null on the last. */
  readonly next: Place | null;
}

interface PageOf {
  readonly chainId: number;
  readonly limit: number;
  readonly after?: Place | undefined;
}

export function createRegistry(index: RegistryIndex) {
  /**
   * A chain index that is still building, behind what was seen of it before, or half-way through a reorg contains revoked
   * grants, and lacks some new ones.
   */
  function current<Value>(answer: Answer<Value>): Answer<Value> {
    if (!answer.isCurrent) throw new ApiError("UNAVAILABLE");
    return answer;
  }

  return {
    /** A wallet's active delegations, oldest first. Throws UNAVAILABLE while the chain index can't be trusted. */
    async ofWallet(query: PageOf & { wallet: string; direction: Direction }): Promise<RecordPage> {
      return current(await readOfWallet(index, { after: undefined, ...query }));
    },

    /** Delegations of any type from one wallet to another; with rights, only those that satisfy them. */
    async between(
      query: PageOf & { from: string; to: string; rights?: string | undefined },
    ): Promise<RecordPage> {
      return current(await readBetween(index, { after: undefined, rights: undefined, ...query }));
    },

    /** The result of the contract's own check; an amount is a uint256, whose maximum means everything. */
    async check(query: CheckQuery): Promise<Dated & { readonly granted: boolean; readonly amount: string }> {
      return current(await readCheck(index, query));
    },
  };
}

export type Registry = ReturnType<typeof createRegistry>;
