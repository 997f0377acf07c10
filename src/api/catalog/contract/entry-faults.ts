/** What in a collection's entry in the collections file, or in its chain's settings, is at fault, as far as the chain shows it. */

import type { CollectionConfig, RegistryConfig } from "../../../config.ts";
import { type ContractRef, collectionKey } from "../../../domain/token-ref.ts";
import { hasCode } from "../../chain/contract/contract-call.ts";
import type { ChainClients } from "../../chain/rpc/clients.ts";
import type { Logger } from "../../logging/logger.ts";
import { firstBlockOf } from "../collections.ts";

/** Neither rejects: a node that is away says nothing. */
export interface EntryFaults {
  /** Warns of a collection without tokens, once in a process, if the chain says why it can have none. */
  explainEmpty(collection: ContractRef, block: number): Promise<void>;
  /**
   * Warns of a contract, and of the delegate registry of its chain, that existed before the first block that is indexed of
   * it. Looks for each once in a process, and says nothing without an archive node, which alone has the state of that block.
   */
  warnOfLateStart(collection: ContractRef): Promise<void>;
}

export function createEntryFaults(deps: {
  readonly clients: ChainClients;
  readonly collections: readonly CollectionConfig[];
  readonly registries: readonly RegistryConfig[];
  readonly logger: Logger;
}): EntryFaults {
  const { clients, collections, registries, logger } = deps;
  const explained = new Set<string>();
  const lookedFor = new Set<string>();

  /** Undefined if the node doesn't say. */
  async function isThere({ chainId, address }: ContractRef, block: number): Promise<boolean | undefined> {
    const client = clients.get(chainId);
    return client && hasCode(client, address, block);
  }

  /** Undefined if the entry seems right: the contract may simply have minted nothing yet. */
  async function faultOf(collection: CollectionConfig, block: number): Promise<string | undefined> {
    const { startBlock } = collection;
    if (startBlock > block) return `its startBlock, ${startBlock}, is above the chain's head, ${block}`;
    return (await isThere(collection, block)) === false ? "there is no contract at its address" : undefined;
  }

  const entryOf = ({ chainId, address }: ContractRef): CollectionConfig | undefined =>
    collections.find((each) => each.chainId === chainId && each.address === address);

  async function warnIfOlder(
    contract: ContractRef,
    firstBlock: number,
    { msg, advice }: { readonly msg: string; readonly advice: string },
  ): Promise<void> {
    const key = collectionKey(contract);
    const before = firstBlock - 1;
    if (lookedFor.has(key) || before < 0) return;
    lookedFor.add(key);
    if (!(await isThere(contract, before))) return;
    const reason = `it existed in block ${before}, and is indexed from block ${firstBlock}: what it emitted before is missing; ${advice}`;
    logger.warn({ msg, contract: key, reason });
  }

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
      const { chainId } = contract;
      const registry = registries.find((each) => each.chainId === chainId);
      await Promise.all([
        warnIfOlder(contract, firstBlockOf(collections, chainId), {
          msg: "A collection is older than its index",
          advice: "set its startBlock to the block of its deployment",
        }),
        registry &&
          warnIfOlder(registry, registry.startBlock, {
            msg: "A delegate registry is older than its index",
            advice: `name the block of its deployment in DELEGATE_REGISTRY_${chainId}, as in ${registry.address}@${registry.startBlock}`,
          }),
      ]);
    },
  };
}
