/** A chain index of a real contract's events, built by the real handlers, in the tables that serving reads. */

import type { Chain, Contract } from "../../../demo/chain.ts";
import { collectionState, lockDefault, lockEvent, tokenBalance, tokenState } from "../../../ponder.schema.ts";
import "../../../src/indexing/erc1155.ts";
import "../../../src/indexing/erc2309.ts";
import "../../../src/indexing/erc721.ts";
import "../../../src/indexing/locks.ts";
import type { TestDatabase } from "../database/database.ts";
import { createEventSource, createFakeChainStore } from "./fake-chain-store.ts";

/** Indexes a contract's tokens and locks from a block up to the chain's head, replacing its earlier rows. */
export async function indexContract(
  test: TestDatabase,
  chain: Chain,
  contract: Contract,
  fromBlock = 0n,
): Promise<void> {
  const { database, tables } = test;
  const address = contract.address.toLowerCase();
  const head = await chain.blockNumber();
  const logs = await chain.publicClient.getLogs({ address: contract.address, fromBlock, toBlock: head });
  const store = createFakeChainStore();
  const source = createEventSource(store, chain.chainId);
  for (const { topics, data, blockNumber, logIndex } of logs) {
    const [event, ...indexed] = topics;
    if (event === undefined) continue;
    await source.log(
      { event, topics: indexed, data },
      { block: Number(blockNumber), log: logIndex, address },
    );
  }
  for (const table of [
    tables.tokenState,
    tables.tokenBalance,
    tables.lockEvent,
    tables.lockDefault,
    tables.collectionState,
  ])
    await database.query(`delete from ${table} where collection_address = $1`, [address]);
  for (const row of store.rows(tokenState)) await test.insert("tokenState", row);
  for (const row of store.rows(tokenBalance)) await test.insert("tokenBalance", row);
  for (const row of store.rows(lockEvent)) await test.insert("lockEvent", row);
  for (const row of store.rows(lockDefault)) await test.insert("lockDefault", row);
  for (const row of store.rows(collectionState)) await test.insert("collectionState", row);
  await test.setHead({ chainId: chain.chainId, block: Number(head) });
}
