/** Why nothing is indexed of a collection, where its entry in the collections file is at fault. */

import { type Address, toHex } from "viem";
import type { CollectionConfig } from "../../../config.ts";
import { type ContractRef, collectionKey } from "../../../domain/token-ref.ts";
import type { ChainClients } from "../../chain/rpc/clients.ts";
import type { Logger } from "../../logging/logger.ts";

/** Warns of a collection without tokens, once in a process, if the chain says why it can have none. Rejects if the node is away. */
export type ExplainEmpty = (collection: ContractRef, block: number) => Promise<void>;

export function createExplainEmpty(deps: {
  readonly clients: ChainClients;
  readonly collections: readonly CollectionConfig[];
  readonly logger: Logger;
}): ExplainEmpty {
  const { clients, collections, logger } = deps;
  const explained = new Set<string>();

  /** Undefined if the entry seems right: the contract may simply have minted nothing yet. */
  async function faultOf({ chainId, address, startBlock }: CollectionConfig, block: number) {
    if (startBlock > block) return `its startBlock, ${startBlock}, is above the chain's head, ${block}`;
    const params: [Address, `0x${string}`] = [address as Address, toHex(block)];
    const code = await clients.get(chainId)?.request({ method: "eth_getCode", params });
    return code === "0x" ? "there is no contract at its address" : undefined;
  }

  return async ({ chainId, address }, block) => {
    const collection = collections.find((each) => each.chainId === chainId && each.address === address);
    if (!collection || explained.has(collectionKey(collection))) return;
    const reason = await faultOf(collection, block);
    if (reason === undefined) return;
    explained.add(collectionKey(collection));
    logger.warn({ msg: "A collection has no tokens", collection: collectionKey(collection), reason });
  };
}
