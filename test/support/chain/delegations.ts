/** Delegations as Ponder would write them. */

import { zeroHash } from "viem";
import type { TestDatabase } from "../database/database.ts";
import { CHAIN_ID } from "../refresh/refresh.ts";

export interface DelegationSpec {
  readonly type: "ALL" | "CONTRACT" | "ERC721" | "ERC20" | "ERC1155";
  readonly from: string;
  readonly to: string;
  readonly rights?: string;
  readonly contract?: string;
  readonly tokenId?: bigint;
  readonly amount?: bigint;
  readonly enabled?: boolean;
  readonly chainId?: number;
  readonly blockNumber?: bigint;
}

export function createDelegationSetup(test: TestDatabase) {
  let log = 0;
  return {
    /** Each in its own block, in order. */
    async add(spec: DelegationSpec): Promise<void> {
      log++;
      await test.insert("delegation", {
        chainId: CHAIN_ID,
        hash: `0x${log}`,
        rights: zeroHash,
        enabled: true,
        blockNumber: BigInt(log),
        blockTimestamp: BigInt(log),
        transactionHash: `0xt${log}`,
        logIndex: 0,
        ...spec,
      });
    },

    clear: () =>
      test.database.query(
        `truncate ${test.tables.delegation}, ${test.tables.meta}, vitrine.chain_head, vitrine.rate_limit`,
      ),
  };
}
