/** Endpoints whose blocks or logs Ponder refuses, beside one that is well. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../../demo/chain.ts";
import { createDeliveredBlocks, type RpcBlock } from "../../../src/api/chain/rpc/delivered-blocks.ts";
import { endProbes } from "../../../src/api/chain/rpc/endpoint-health.ts";
import { createEndpoints, type Endpoints } from "../../../src/api/chain/rpc/endpoints.ts";
import { createPonderRequest } from "../../../src/api/chain/rpc/ponder-transport.ts";
import { type Alteration, type Endpoint, startEndpoint } from "../../faults/support/endpoint.ts";
import { eventually } from "../../support/eventually.ts";

type Fields = Record<string, unknown>;
type Change = (fields: Fields) => unknown;

let chain: Chain;
let heroes: Contract;
let first: Endpoint;
let second: Endpoint;
let endpoints: Endpoints;
let request: ReturnType<typeof createPonderRequest>;
let nextId = 1n;
let number: string;
beforeAll(async () => {
  chain = await startChain();
  heroes = await chain.deploy("VitrineHeroes", ["http://localhost/"]);
});
afterAll(() => chain.close());
beforeEach(async () => {
  first = await startEndpoint(chain.rpcUrl);
  second = await startEndpoint(chain.rpcUrl);
  use([first, second]);
  await mint();
});
afterEach(async () => {
  endProbes();
  await Promise.all([first.close(), second.close()]);
});

function use(rpcs: readonly Endpoint[]): void {
  endpoints = createEndpoints({ id: chain.chainId, rpcUrls: rpcs.map(({ url }) => url) });
  request = createPonderRequest(endpoints, createDeliveredBlocks());
}
async function mint(): Promise<void> {
  const { blockNumber } = await chain.write(heroes, "mint", [chain.account(1).address, nextId++]);
  number = `0x${blockNumber.toString(16)}`;
}
const latest = () =>
  request({ method: "eth_getBlockByNumber", params: ["latest", true] }) as Promise<RpcBlock>;
const byNumber = (full = true) =>
  request({ method: "eth_getBlockByNumber", params: [number, full] }) as Promise<RpcBlock>;
const byHash = (hash: string) =>
  request({ method: "eth_getBlockByHash", params: [hash, false] }) as Promise<RpcBlock>;
const logsOf = ({ hash }: RpcBlock) =>
  request({ method: "eth_getLogs", params: [{ blockHash: hash }] }) as Promise<Fields[]>;
const range = () =>
  request({
    method: "eth_getLogs",
    params: [{ address: heroes.address, fromBlock: number, toBlock: number }],
  }) as Promise<Fields[]>;

/** Changes an endpoint's blocks. */
const blocks =
  (change: Change): Alteration =>
  ({ method }, result) =>
    method.startsWith("eth_getBlockBy") && result ? change(result as Fields) : result;
/** Changes each log of an endpoint. */
const logs =
  (change: Change): Alteration =>
  ({ method }, result) =>
    method === "eth_getLogs" ? (result as Fields[]).map(change) : result;
const transactions = (change: Change): Change => {
  return (block) => ({
    ...block,
    ...(Array.isArray(block.transactions) && { transactions: block.transactions.map(change) }),
  });
};
const without =
  (field: string): Change =>
  ({ [field]: _, ...others }) =>
    others;
const having =
  (field: string, value: unknown): Change =>
  (fields) => ({ ...fields, [field]: value });
const failures = () => endpoints.counts().map((counts) => counts.failures);
/** Asks until the first endpoint is seen to be down for this reason, which a probe may end at any moment. */
async function expectDown(reason: string, ask: () => Promise<unknown>): Promise<void> {
  const report = await eventually(
    () => ask().then(() => endpoints.report()),
    ([down]) => down?.reason === reason,
  );
  expect(report).toMatchObject([{ status: "down" }, { status: "used", reason: null }]);
  const [ofFirst, ofSecond] = failures();
  expect(ofFirst).toBeGreaterThan(0);
  expect(ofSecond).toBe(0);
}

describe("a block that Ponder refuses is requested from the next endpoint:", () => {
  it.each<[string, Change]>([
    ["without transactions", without("transactions")],
    ["with the hashes of its transactions alone", transactions(({ hash }) => hash)],
    ["with a transaction without its block's hash", transactions(without("blockHash"))],
    ["with a transaction without an index", transactions(having("transactionIndex", null))],
    [
      "with a transaction twice",
      (block) => ({ ...block, transactions: [block.transactions, block.transactions].flat() }),
    ],
    ["without a time", without("timestamp")],
    ["without logsBloom", without("logsBloom")],
  ])("%s", async (_, change) => {
    first.alter(blocks(change));

    const block = await latest();

    expect(block).toMatchObject({ number, timestamp: expect.any(String), logsBloom: expect.any(String) });
    expect(block.transactions).toMatchObject([{ blockHash: block.hash, transactionIndex: "0x0" }]);
    expect((await byNumber()).transactions).toEqual(block.transactions);
    await expectDown("bad_block", latest);
  });

  it("without a time, by its number or hash", async () => {
    const { parentHash } = await latest();
    first.alter(blocks(without("timestamp")));

    for (const ask of [() => byNumber(false), () => byHash(parentHash)]) {
      for (let nth = 0; nth < 4; nth++) expect(await ask()).toMatchObject({ timestamp: expect.any(String) });
    }
  });
});

describe("logs that Ponder refuses are requested from the next endpoint:", () => {
  const other = `0x${"1".repeat(64)}`;
  const refused: readonly [string, Change][] = [
    ["without an index", having("logIndex", null)],
    ["without topics", without("topics")],
    ["without a block", having("blockNumber", null)],
    ["of another transaction index than a number", having("transactionIndex", "first")],
  ];

  it.each<[string, Change]>([
    ...refused,
    ["of another block's hash", having("blockHash", other)],
    ["of another block's number", having("blockNumber", "0x1")],
  ])("of a block, %s", async (_, change) => {
    const block = await latest();
    first.alter(logs(change));

    expect(await logsOf(block)).toMatchObject([
      { blockHash: block.hash, blockNumber: number, logIndex: "0x0" },
    ]);
    await expectDown("bad_logs", () => logsOf(block));
  });

  it.each(refused)("of a range, %s", async (_, change) => {
    first.alter(logs(change));

    expect(await range()).toMatchObject([
      { blockNumber: number, logIndex: "0x0", topics: expect.any(Array) },
    ]);
    await expectDown("bad_logs", range);
  });

  it("of a range, twice the same", async () => {
    first.alter(({ method }, result) => (method === "eth_getLogs" ? [result, result].flat() : result));

    expect(await range()).toHaveLength(1);
  });
});

it("what Ponder fills in may be missing", async () => {
  use([first]);
  const leaveOut = (fields: readonly string[]): Change => {
    return (from) => fields.reduce((left, field) => without(field)(left) as Fields, from);
  };
  const ofBlocks = blocks((block) =>
    leaveOut(["miner", "size", "nonce"])(
      transactions(leaveOut(["to", "nonce", "input", "value"]))(block) as Fields,
    ),
  );
  const ofLogs = logs(leaveOut(["transactionHash", "transactionIndex", "removed"]));
  first.alter((call, result) => ofLogs(call, ofBlocks(call, result)));

  const block = await latest();

  expect(block).not.toHaveProperty("miner");
  expect(await logsOf(block)).toHaveLength(1);
  expect(await range()).toHaveLength(1);
  expect(failures()).toEqual([0]);
});

it("the only endpoint is asked again until its blocks and logs are usable, and reverts nothing", async () => {
  use([first]);
  const before = await latest();
  first.alter((call, result) => {
    const block = blocks(without("logsBloom"))(call, result);
    return logs(having("logIndex", null))(call, block);
  });
  const waiting = logsOf(before);
  await mint();

  expect(await latest()).toMatchObject({ hash: before.hash });
  first.alter();

  expect(await waiting).toHaveLength(1);
  expect(await eventually(latest, (block) => block.number === number)).toMatchObject({ number });
});
