/** What in a collection's entry in the collections file is at fault, as far as the chain shows it. */

import { type Address, toHex } from "viem";
import type { CollectionConfig } from "../../../config.ts";
import { type ContractRef, collectionKey } from "../../../domain/token-ref.ts";
import type { ChainClients } from "../../chain/rpc/clients.ts";
import type { Logger } from "../../logging/logger.ts";
import { firstBlockOf } from "../collections.ts";

export interface EntryFaults {
  /** Warns of a collection without tokens, once in a process, if the chain says why it can have none. Rejects if the node is away. */
  explainEmpty(collection: ContractRef, block: number): Promise<void>;
  /**
   * Warns of a contract that existed before the first block that is indexed of its chain, once in a process. Rejects if the
   * node is away, or has no state of that block, which only archive nodes keep.
   */
  warnOfLateStart(collection: ContractRef): Promise<void>;
}

export function createEntryFaults(deps: {
  readonly clients: ChainClients;
  readonly collections: readonly CollectionConfig[];
  readonly logger: Logger;
}): EntryFaults {
  const { clients, collections, logger } = deps;
  const explained = new Set<string>();
  const started = new Set<string>();

  async function hasCode({ chainId, address }: ContractRef, block: number): Promise<boolean | undefined> {
    const params: [Address, `0x${string}`] = [address as Address, toHex(block)];
    const code = await clients.get(chainId)?.request({ method: "eth_getCode", params });
    return code === undefined ? undefined : code !== "0x";
  }

  /** Undefined if the entry seems right: the contract may simply have minted nothing yet. */
  async function faultOf(collection: CollectionConfig, block: number): Promise<string | undefined> {
    const { startBlock } = collection;
    if (startBlock > block) return `its startBlock, ${startBlock}, is above the chain's head, ${block}`;
    return (await hasCode(collection, block)) === false ? "there is no contract at its address" : undefined;
  }

  const entryOf = ({ chainId, address }: ContractRef): CollectionConfig | undefined =>
    collections.find((each) => each.chainId === chainId && each.address === address);

  return {
    async explainEmpty(contract, block) {
      const collection = entryOf(contract);
      if (!collection || explained.has(collectionKey(collection))) return;
      const reason = await faultOf(collection, block);
      if (reason === undefined) return;
      explained.add(collectionKey(collection));
      logger.warn({ msg: "A collection has no tokens", collection: collectionKey(collection), reason });
    },

    async warnOfLateStart(contract) {
      const key = collectionKey(contract);
      const block = firstBlockOf(collections, contract.chainId) - 1;
      if (started.has(key) || block < 0) return;
      const isLate = await hasCode(contract, block);
      started.add(key);
      if (isLate)
        logger.warn({
          msg: "A collection is older than its index",
          collection: key,
          reason: `its contract existed in block ${block}, and the chain is indexed from block ${block + 1}: what it emitted before is missing; set its startBlock to the block of its deployment`,
        });
    },
  };
}
