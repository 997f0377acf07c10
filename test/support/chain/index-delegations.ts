/** A chain index of a real registry's events, built by the real handlers, in the table that serving reads. */

import { parseEventLogs } from "viem";
import { delegateRegistryAbi } from "../../../abis/delegate-registry.ts";
import type { Chain, Contract } from "../../../demo/chain.ts";
import { delegation } from "../../../ponder.schema.ts";
import "../../../src/indexing/delegations.ts";
import type { TestDatabase } from "../database/database.ts";
import { createEventSource, createFakeChainStore, lowerCased } from "./fake-chain-store.ts";

/** Indexes all delegations of the chain up to its head, replacing earlier rows. */
export async function indexDelegations(test: TestDatabase, chain: Chain, registry: Contract): Promise<void> {
  const head = await chain.blockNumber();
  const { address } = registry;
  const logs = await chain.publicClient.getLogs({ address, fromBlock: 0n, toBlock: head });
  const store = createFakeChainStore();
  const source = createEventSource(store, chain.chainId);
  for (const { eventName, args, blockNumber, logIndex } of parseEventLogs({
    abi: delegateRegistryAbi,
    logs,
  })) {
    await source.emit(`DelegateRegistry:${eventName}`, lowerCased(args), {
      block: Number(blockNumber),
      log: logIndex,
      address: address.toLowerCase(),
    });
  }
  await test.database.query(`truncate ${test.tables.delegation}`);
  for (const row of store.rows(delegation)) await test.insert("delegation", row);
  await test.setHead({ chainId: chain.chainId, block: Number(head) });
}
