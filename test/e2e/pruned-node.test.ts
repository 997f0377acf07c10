/** A node that has deleted the logs of early blocks (EIP-4444), with a collection that begins later. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startChain } from "../../demo/chain.ts";
import { createSite, untilIndexed } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { startRpcProxy } from "../support/servers/rpc-proxy.ts";

const OLDEST_KEPT = 40;
const START_BLOCK = 45;

it("without a delegate registry, nothing is asked of blocks before the first collection's", async () => {
  const chain = await startChain();
  const node = await startRpcProxy(chain.rpcUrl);
  const asked: number[] = [];
  node.reset(({ calls: [call] }, response) => {
    if (call?.method !== "eth_getLogs") return false;
    const { fromBlock } = call.params[0] as { fromBlock?: string };
    if (fromBlock === undefined) return false;
    asked.push(Number(fromBlock));
    if (Number(fromBlock) >= OLDEST_KEPT) return false;
    const error = { code: 4444, message: "pruned history unavailable" };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, error }));
    return true;
  });
  await chain.mine(START_BLOCK + 5);
  const heroes = await chain.deploy("VitrineHeroes", ["http://127.0.0.1:9/"]);
  await chain.write(heroes, "mint", [chain.account(1).address, 1n]);
  // Logs are asked for by range up to the finalized block.
  await chain.mine(START_BLOCK + 5);
  const site = await createSite([{ chain: { ...chain, rpcUrl: node.url }, collections: [lower(heroes)] }]);
  onTestFinished(async () => {
    await site.close();
    await node.close();
  });
  const collection = { chainId: chain.chainId, address: lower(heroes), startBlock: START_BLOCK };
  writeFileSync(join(site.folder, "collections.json"), JSON.stringify([collection]));

  await untilIndexed(await site.start("pruned"), chain);

  expect(await site.query("select token_id from pruned.token_state")).toEqual([{ token_id: "1" }]);
  expect(Math.min(...asked)).toBe(START_BLOCK);
});
