/** Trade checks with `verify: "chain"`: real contracts on a real chain, behind a proxy that records all calls. */

import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Chain, type Contract, startChain } from "../../../demo/chain.ts";
import { createCollections } from "../../../src/api/catalog/collections.ts";
import { createChainClients } from "../../../src/api/chain/rpc/clients.ts";
import { createTradeChecks } from "../../../src/api/trading/checks/checks.ts";
import { RECIPIENT } from "../../../src/api/trading/checks/transfer-trial.ts";
import { lower } from "../../support/chain/contract-answers.ts";
import { createDelegationSetup } from "../../support/chain/delegations.ts";
import { indexContract } from "../../support/chain/index-contract.ts";
import { deployTestContract } from "../../support/chain/test-contracts.ts";
import { type CastToken, createTradeCast, type TradeCast } from "../../support/chain/trade-cast.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, trustingWitness } from "../../support/processes/app.ts";
import {
  type Obstacle,
  type RpcCall,
  type RpcProxy,
  type RpcRequest,
  startRpcProxy,
} from "../../support/servers/rpc-proxy.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const delegations = createDelegationSetup(test);
const DELEGATE = "0x00000000000000000000000000000000000000d1";
const CROWD = 200;

let chain: Chain;
let cast: TradeCast;
let proxy: RpcProxy;
let api: ReturnType<typeof createTestApp>;
let tradeChecks: ReturnType<typeof createTradeChecks>;
let key: string;

/** Checks through these endpoints. */
const checksOver = (rpcUrls: readonly string[]) =>
  createTradeChecks({
    witness: trustingWitness,
    database,
    tables,
    clients: createChainClients([{ id: chain.chainId, rpcUrls }]),
    tradeMaxAgeSeconds: 60,
  });

beforeAll(async () => {
  chain = await startChain();
  cast = await createTradeCast(chain);
  for (const contract of cast.contracts) await indexContract(test, chain, contract);
  proxy = await startRpcProxy(chain.rpcUrl);
  tradeChecks = checksOver([proxy.url]);
  const collections = createCollections({
    chains: [{ id: chain.chainId, rpcUrls: [proxy.url] }],
    collections: cast.collections.map((address) => ({ chainId: chain.chainId, address, startBlock: 0 })),
  });
  api = createTestApp(test, { collections, tradeChecks });
  key = await api.createKey();
});
afterAll(() => Promise.all([chain.close(), proxy.close()]));

beforeEach(async () => {
  proxy.reset();
  await delegations.clear();
  await test.setHead({ chainId: chain.chainId, block: Number(await chain.blockNumber()) });
});

interface Check {
  readonly allowed: boolean;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly as_of_block: number;
  readonly verified_at_block: number | null;
}

type Named = Pick<CastToken, "contract" | "id">;
const item = ({ contract, id }: Named) => ({ collection_address: lower(contract), token_id: String(id) });
const send = (tokens: readonly Named[], more: object = {}, by = key) =>
  api.call("/market/trade_checks", { key: by, body: { action: "trade", items: tokens.map(item), ...more } });
async function check(tokens: readonly Named[], more: object = { verify: "chain" }): Promise<Check[]> {
  const { status, body } = await send(tokens, more);
  expect(status).toBe(200);
  return body.items;
}
const plain = (): Named => ({ contract: cast.open, id: 0n });
type Call = readonly [
  { readonly from?: string; readonly to: string; readonly data: string; readonly gas: string },
  string,
];
const allCallsOf = (requests: readonly RpcRequest[]) =>
  requests
    .flatMap(({ calls }) => calls)
    .filter(({ method }) => method === "eth_call")
    .map(({ params }) => params as unknown as Call);
/** Nobody sends a plain read. */
const isRead = ([{ from }]: Call): boolean => from === undefined;
/** The simulated transfers. */
const callsOf = (requests: readonly RpcRequest[]) => allCallsOf(requests).filter((call) => !isRead(call));
const readsOf = (requests: readonly RpcRequest[]) => allCallsOf(requests).filter(isRead);

describe("what is tried at the node", () => {
  it("is what a real transfer does, token by token, with the contract's reason", async () => {
    const checks = await check(cast.tokens);
    const head = Number(await chain.blockNumber());
    const snapshot = await chain.snapshot();
    const moved: boolean[] = [];
    for (const token of cast.tokens) moved.push(await cast.move(token));
    await chain.revert(snapshot);

    for (const [index, token] of cast.tokens.entries()) {
      const expected = { allowed: token.detail === null, detail: token.detail };
      expect(checks[index], token.what).toMatchObject({
        allowed: expected.allowed,
        reason: expected.allowed ? null : "transfer_reverts",
        detail: token.detail instanceof RegExp ? expect.stringMatching(token.detail) : token.detail,
        verified_at_block: head,
      });
      expect(moved[index], token.what).toBe(expected.allowed);
    }
  });

  it("is not seen without `verify`, which goes by events alone and asks no node", async () => {
    const checks = await check(cast.tokens, {});

    for (const each of checks)
      expect(each).toMatchObject({ allowed: true, reason: null, detail: null, verified_at_block: null });
    expect(proxy.rpcRequests).toEqual([]);
  });

  it("says no more of a stranger's reason than fits a line, without a control in it", async () => {
    const [checked] = await check([{ contract: cast.hostile, id: 2n }]);

    expect(checked?.detail).toHaveLength(201);
    expect(checked?.detail).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("is not read to its end where it has none", async () => {
    const checks = await check([9n, 10n].map((id) => ({ contract: cast.hostile, id })));

    for (const each of checks)
      expect(each).toMatchObject({
        allowed: false,
        reason: "not_verified",
        detail: `the RPC endpoint of chain ${chain.chainId} refused to run the transfer`,
        verified_at_block: null,
      });
  });

  it("follows the contract from one block to the next", async () => {
    const reason = async () => (await check([plain()]))[0]?.reason;
    expect(await reason()).toBe(null);
    const snapshot = await chain.snapshot();
    await chain.write(cast.open, "pause");

    // The chain index has not seen the block yet, and need not.
    expect(await reason()).toBe("transfer_reverts");
    await chain.write(cast.open, "unpause");
    expect(await reason()).toBe(null);
    await chain.revert(snapshot);
  });

  it("is a transfer to a wallet that is nobody's, by the token's owner, with the gas that a transaction has", async () => {
    const [vaulted] = cast.tokens.filter(({ holder }) => holder === cast.vault.address);
    await check([vaulted as CastToken]);

    const head = `0x${(await chain.blockNumber()).toString(16)}`;
    const [[call, block] = []] = callsOf(proxy.rpcRequests);
    expect([call?.from, call?.to, call?.gas, block]).toEqual([
      lower(cast.vault),
      lower(cast.open),
      "0x1000000",
      head,
    ]);
    expect(call?.data).toContain(RECIPIENT.slice(2));
    expect(await chain.publicClient.getCode({ address: RECIPIENT })).toBe(undefined);
    expect(readFileSync("docs/trading.md", "utf8")).toContain(RECIPIENT);
    expect(BigInt(RECIPIENT)).toBeGreaterThan(2n ** 150n);
  });

  it("is nothing where the contract has destroyed itself, which takes every call", async () => {
    const snapshot = await chain.snapshot();
    await chain.rpc("anvil_setCode", [cast.open.address, "0x"]);

    expect(await check([plain(), { contract: cast.open, id: 1n }])).toMatchObject([
      { allowed: false, reason: "transfer_reverts", detail: "the contract is gone" },
      { allowed: false, reason: "transfer_reverts", detail: "the contract is gone" },
    ]);
    await chain.revert(snapshot);
  });

  it("is nothing where a proxy's implementation is gone, until there is one again", async () => {
    const token = { contract: cast.proxied, id: 1n };
    const snapshot = await chain.snapshot();
    const implementation = await deployTestContract(chain, "PausableHeroes");
    await chain.write(cast.proxied, "upgradeTo", ["0x00000000000000000000000000000000000c0de0"]);

    expect(await check([token])).toMatchObject([
      { allowed: false, reason: "transfer_reverts", detail: "the contract is gone" },
    ]);
    await chain.write(cast.proxied, "upgradeTo", [implementation.address]);
    expect(await check([token])).toMatchObject([{ allowed: true }]);
    await chain.revert(snapshot);
  });

  it.each([1n, 0n, 2n ** 256n - 1n])(
    "is nothing where the contract answers every call with %d, and so names nobody's wallet",
    async (word) => {
      const snapshot = await chain.snapshot();
      const parrot = await deployTestContract(chain, "Parrot", [word]);
      await chain.write(cast.proxied, "upgradeTo", [parrot.address]);

      expect(await check([{ contract: cast.proxied, id: 1n }])).toMatchObject([
        {
          allowed: false,
          reason: "transfer_reverts",
          detail: "the contract says that the sender doesn't hold it",
        },
      ]);
      await chain.revert(snapshot);
    },
  );

  it("is confirmed by one read of a contract that names the holder, however many of its tokens there are", async () => {
    const tokens = [0n, 1n].map((id) => ({ contract: cast.open, id }));

    expect(await check([...tokens, { contract: cast.openItems, id: 7n }])).toMatchObject([
      { allowed: true },
      { allowed: true },
      { allowed: true },
    ]);
    expect(readsOf(proxy.rpcRequests)).toHaveLength(2);
    expect(callsOf(proxy.rpcRequests)).toHaveLength(3);
  });

  it("is tried once for a token that is named often, and never for one that the index refuses", async () => {
    await database.query(
      `update ${tables.tokenState} set lock_count = 1, locked_since_block = 1 where collection_address = $1`,
      [lower(cast.paused)],
    );

    const checks = await check([
      plain(),
      { contract: cast.paused, id: 2n ** 256n - 1n },
      plain(),
      { contract: cast.open, id: 77n },
    ]);

    expect(checks.map(({ reason }) => reason)).toEqual([null, "locked", null, "unknown_token"]);
    expect(callsOf(proxy.rpcRequests)).toHaveLength(1);
    proxy.reset();
    await check([{ contract: cast.paused, id: 2n ** 256n - 1n }]);
    expect(proxy.rpcRequests).toEqual([]);
    await database.query(`update ${tables.tokenState} set lock_count = 0, locked_since_block = null`);
  });
});

describe("a token of a draft of ERC-721, whose owner moves it by `transfer`", () => {
  /** A token of Ada's that is frozen: a transaction can't move it. */
  async function freeze(name: string): Promise<Contract> {
    const contract = await deployTestContract(chain, name);
    await chain.write(contract, "mint", [cast.ada, 1n]);
    await chain.write(contract, "freeze", [1n]);
    return contract;
  }
  const checkIn = async (contract: Contract) => {
    await indexContract(test, chain, contract);
    const checked = { chainId: chain.chainId, collection: lower(contract), tokenId: "1" };
    return (await tradeChecks.check([checked], { verify: true }))[0];
  };
  const refused = {
    allowed: false,
    reason: "transfer_reverts",
    detail: "the contract gave no reason",
    verifiedAtBlock: expect.any(Number),
  };

  it.each([
    ["refuses its owner's `transfer`", "DraftHeroes"],
    ["accepts every call", "DraftWithFallback"],
    ["does nothing where it may not", "DraftThatIgnores"],
    ["answers whether it did anything", "DraftThatReturns"],
    ["claims the final standard, which has no `transfer`", "DraftThatIsFinal"],
  ])("is refused while it is frozen and its contract %s", async (_what, name) => {
    expect(await checkIn(await freeze(name))).toMatchObject(refused);
  });

  it("is refused where `transfer` moves an amount of a coin", async () => {
    const contract = await freeze("DraftWithCoin");
    await chain.write(contract, "pay", [cast.ada, 5n]);

    expect(await checkIn(contract)).toMatchObject(refused);
  });

  it("is refused where the events are those of the final standard", async () => {
    const contract = await deployTestContract(chain, "IndexedDraft");
    await chain.write(contract, "mint", [cast.ada, 1n]);
    await chain.write(contract, "announce", [cast.ada, 1n]);

    expect(await checkIn(contract)).toMatchObject(refused);
  });

  it("is refused where the contract names another owner", async () => {
    const contract = await deployTestContract(chain, "DraftHeroes");
    await chain.write(contract, "mint", [cast.ada, 1n]);
    await indexContract(test, chain, contract);
    await chain.write(contract, "transfer", [cast.ben, 1n], chain.account(1));
    const checked = { chainId: chain.chainId, collection: lower(contract), tokenId: "1" };

    expect((await tradeChecks.check([checked], { verify: true }))[0]).toMatchObject(refused);
  });

  it("is not verified while the node doesn't answer one of the questions", async () => {
    const draft = cast.tokens.find(({ isDraft }) => isDraft) as CastToken;
    const calls = 6;
    for (let failing = 1; failing <= calls; failing++) {
      let left = failing;
      proxy.reset(({ calls: [call] }, response) => {
        if (call?.method !== "eth_call" || --left > 0) return false;
        const error = { code: -32000, message: "execution aborted (timeout = 5s)" };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, error }));
        return true;
      });
      expect(await check([draft]), `call ${failing}`).toMatchObject([
        { allowed: false, reason: "not_verified" },
      ]);
    }
    proxy.reset();
    expect(await check([draft])).toMatchObject([{ allowed: true }]);
    expect(allCallsOf(proxy.rpcRequests)).toHaveLength(calls);
  });
});

describe("who transfers", () => {
  const senders = () => callsOf(proxy.rpcRequests).map(([{ from }]) => from);
  const ada = () => cast.ada.toLowerCase();
  const ben = () => cast.ben.toLowerCase();
  const items = (): Named => ({ contract: cast.openItems, id: 7n });
  const alsoAda = () =>
    test.insert("tokenBalance", {
      chainId: chain.chainId,
      collectionAddress: lower(cast.openItems),
      tokenId: 7n,
      holder: ada(),
      balance: 1n,
    });

  it("is the owner of an ERC-721 token, whoever acts for it", async () => {
    await delegations.add({ type: "ALL", from: ada(), to: DELEGATE });

    expect(await check([plain()], { verify: "chain", wallet: DELEGATE })).toMatchObject([{ allowed: true }]);
    expect(senders()).toEqual([ada()]);
  });

  it("is of an ERC-1155 token the wallet, else one that it acts for, and anybody where none is named", async () => {
    await alsoAda();
    await check([items()], { verify: "chain", wallet: ben() });
    await check([items()], { verify: "chain", wallet: ada() });
    await delegations.add({ type: "CONTRACT", from: ben(), to: DELEGATE, contract: lower(cast.openItems) });
    await check([items()], { verify: "chain", wallet: DELEGATE });
    await check([items()]);

    expect(senders()).toEqual([ben(), ada(), ben(), [ada(), ben()].toSorted()[0]]);
    await database.query(`delete from ${tables.tokenBalance} where holder = $1`, [ada()]);
  });

  it("is nobody for a wallet that has no part in it", async () => {
    expect(await check([items()], { verify: "chain", wallet: DELEGATE })).toMatchObject([
      { allowed: false, reason: "not_owner", verified_at_block: null },
    ]);
    expect(proxy.rpcRequests).toEqual([]);
  });

  it("must hold it by the node's head: what the index has not seen yet counts", async () => {
    const snapshot = await chain.snapshot();
    await chain.write(cast.open, "transferFrom", [cast.ada, cast.ben, 0n], chain.account(1));

    const [checked] = await check([plain()]);

    expect(checked).toMatchObject({
      allowed: false,
      reason: "transfer_reverts",
      detail: `ERC721InsufficientApproval(${cast.ada}, 0)`,
    });
    await chain.revert(snapshot);
  });
});

describe("a node that does not answer", () => {
  const answerWith =
    (body: unknown, status = 200, method = "eth_call"): Obstacle =>
    ({ calls: [call] }, response) => {
      if (call?.method !== method) return false;
      const { id } = call as unknown as { id: number };
      const text =
        typeof body === "string" ? body : JSON.stringify({ jsonrpc: "2.0", id, ...(body as object) });
      response.writeHead(status, { "content-type": "application/json" }).end(text);
      return true;
    };
  const hang: Obstacle = () => true;
  const hangOnReads: Obstacle = (request) => readsOf([request]).length > 0;
  /** Only the reader's own timeout ends it. */
  const halfAnAnswerTo =
    (method: string): Obstacle =>
    ({ calls }, response) => {
      if (calls.every((call) => call.method !== method)) return false;
      response
        .writeHead(200, { "content-type": "application/json", "content-length": "1000" })
        .write('{"jsonrpc"');
      return true;
    };
  const endpoint = () => `the RPC endpoint of chain ${chain.chainId}`;
  const none = () => `no RPC endpoint of chain ${chain.chainId} answered in time`;

  it.each<[string, Obstacle, () => string]>([
    ["that stops in the middle of an answer", halfAnAnswerTo("eth_blockNumber"), none],
    [
      "that stops in the middle of a transfer",
      halfAnAnswerTo("eth_call"),
      () => `${endpoint()} did not answer in time`,
    ],
    ["that answers garbage", answerWith("<html>", 200, "eth_blockNumber"), none],
    ["whose head is no number", answerWith({ result: null }, 200, "eth_blockNumber"), none],
    ["that hangs on the token's holder", hangOnReads, () => `${endpoint()} did not answer in time`],
    [
      "that answers a transfer with a page",
      answerWith("<html>", 502),
      () => `${endpoint()} did not answer in time`,
    ],
    [
      "that limits requests",
      answerWith({ error: { code: -32005, message: "daily request limit reached" } }, 429),
      () => `${endpoint()} can't serve block`,
    ],
    [
      "that gives up on the transfer",
      answerWith({ error: { code: -32000, message: "execution aborted (timeout = 5s)" } }),
      () => `${endpoint()} refused to run the transfer`,
    ],
    ["that answers no bytes", answerWith({ result: null }), () => `${endpoint()} did not answer in time`],
  ])(
    "%s allows nothing, and what the index refuses stays refused for its own reason",
    async (_what, obstacle, detail) => {
      proxy.reset(obstacle);

      const checks = await check([plain(), { contract: cast.open, id: 77n }]);

      expect(checks).toMatchObject([
        {
          allowed: false,
          reason: "not_verified",
          detail: expect.stringContaining(detail()),
          verified_at_block: null,
        },
        { allowed: false, reason: "unknown_token", detail: null },
      ]);
    },
  );

  it("that nobody listens at allows nothing", async () => {
    const [checked] = await checksOver(["http://127.0.0.1:1"]).check(
      [{ chainId: chain.chainId, collection: lower(cast.open), tokenId: "0" }],
      { verify: true },
    );

    expect(checked).toMatchObject({ allowed: false, reason: "not_verified", detail: none() });
  });

  it("makes way for the next endpoint", async () => {
    proxy.reset(hang);

    const [checked] = await checksOver([proxy.url, "http://127.0.0.1:1", chain.rpcUrl]).check(
      [{ chainId: chain.chainId, collection: lower(cast.open), tokenId: "0" }],
      { verify: true },
    );

    expect(checked).toMatchObject({ allowed: true, verifiedAtBlock: Number(await chain.blockNumber()) });
  });

  it("that is behind the index makes way for one that is not", async () => {
    const head = Number(await chain.blockNumber());
    const behind = answerWith({ result: `0x${(head - 3).toString(16)}` }, 200, "eth_blockNumber");
    const unseen = answerWith({ error: { code: -32000, message: "header not found" } });
    proxy.reset((request, response) => behind(request, response) || unseen(request, response));

    const [checked] = await checksOver([proxy.url, chain.rpcUrl]).check(
      [{ chainId: chain.chainId, collection: lower(cast.open), tokenId: "0" }],
      { verify: true },
    );

    expect(checked).toMatchObject({ allowed: true, verifiedAtBlock: head });
  });

  it("of a block that the index has seen is asked for it all the same, and again when it is about to see it", async () => {
    const head = Number(await chain.blockNumber());
    let isBehind = true;
    const behind = answerWith({ result: `0x${(head - 3).toString(16)}` }, 200, "eth_blockNumber");
    const unseen = answerWith({ error: { code: -32000, message: "header not found" } });
    proxy.reset((request, response) => {
      if (behind(request, response)) return true;
      if (!isBehind) return false;
      isBehind = false;
      return unseen(request, response);
    });

    expect(await check([plain()])).toMatchObject([
      { allowed: true, verified_at_block: head, as_of_block: head },
    ]);

    proxy.reset((request, response) => behind(request, response) || unseen(request, response));
    expect(await check([plain()])).toMatchObject([
      { allowed: false, reason: "not_verified", detail: `${endpoint()} can't serve block ${head} now` },
    ]);
  });

  it.each([
    ["geth", { code: 3, message: "execution reverted: paused", data: error("paused") }, "paused"],
    [
      "Nethermind",
      { code: -32015, message: "VM execution error.", data: `Reverted ${error("paused")}` },
      "paused",
    ],
    [
      "Hardhat",
      {
        code: -32603,
        message: "VM Exception while processing transaction: reverted",
        data: { data: error("paused") },
      },
      "paused",
    ],
    ["a node that hands on no data", { code: -32000, message: "execution reverted: paused" }, "paused"],
    [
      "a node that hands on words",
      { code: 3, message: "execution reverted", data: "paused" },
      "the contract gave no reason",
    ],
    ["geth without gas", { code: -32000, message: "out of gas" }, "out of gas"],
  ])("in full is understood as %s reports a revert", async (_node, error, detail) => {
    proxy.reset(answerWith({ error }));

    expect(await check([plain()])).toMatchObject([{ allowed: false, reason: "transfer_reverts", detail }]);
  });

  it("holds no connection to the database", async () => {
    proxy.reset(hang);
    const tokens = [{ chainId: chain.chainId, collection: lower(cast.open), tokenId: "0" }];
    let ended = 0;
    // Twice as many as the pool has connections.
    const waiting = Array.from({ length: 20 }, () =>
      tradeChecks.check(tokens, { verify: true }).finally(() => ended++),
    );
    while (proxy.count("eth_blockNumber") < waiting.length) await database.query("select 1");

    expect(ended).toBe(0);
    for (const [checked] of await Promise.all(waiting)) expect(checked?.reason).toBe("not_verified");
  });
});

describe("a request", () => {
  it.each([
    ["Chain", 'must be "chain" or left out; it is "Chain"'],
    ["none", 'must be "chain" or left out; it is "none"'],
    [true, 'must be "chain" or left out; it is true'],
    [null, 'must be "chain" or left out; it is null'],
    ["x".repeat(1_000), `must be "chain" or left out; it is "${"x".repeat(80)}…"`],
  ])("with verify %j is refused by name", async (verify, message) => {
    const { status, body } = await send([plain()], { verify });

    expect([status, body.details]).toEqual([400, [{ path: "verify", message }]]);
  });

  /** Tokens that the index alone has. */
  const crowd = Array.from({ length: CROWD }, (_, index) => 1_000n + BigInt(index));
  beforeAll(async () => {
    for (const id of crowd)
      await test.insert("tokenState", {
        chainId: chain.chainId,
        collectionAddress: lower(cast.open),
        tokenId: id,
        standard: "erc721",
        owner: cast.ada.toLowerCase(),
        burned: false,
        lockCount: 0,
      });
  });

  /** Any transfer passes, and Ada holds every token. */
  const pass = (call: RpcCall, response: ServerResponse): void => {
    const result = isRead(call.params as unknown as Call) ? `0x${cast.ada.slice(2).padStart(64, "0")}` : "0x";
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, result }));
  };

  it("of 100 tokens asks the node for no more than 32 at once, together with all others", async () => {
    // A call that is given up in time frees its place while the node still runs it, and a busy machine needs that long.
    const noLimit = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
    onTestFinished(() => noLimit.mockRestore());
    let running = 0;
    let most = 0;
    proxy.reset(({ calls: [call] }, response: ServerResponse) => {
      if (call?.method !== "eth_call") return false;
      most = Math.max(most, ++running);
      setTimeout(() => {
        running--;
        pass(call, response);
        // Long enough for all admitted requests to overlap.
      }, 60);
      return true;
    });

    const tokens = crowd.map((id) => ({ contract: cast.open, id }));
    const [first, second] = await Promise.all([check(tokens.slice(0, 100)), check(tokens.slice(100))]);

    expect([...first, ...second].filter(({ allowed }) => allowed)).toHaveLength(CROWD);
    expect(callsOf(proxy.rpcRequests)).toHaveLength(CROWD);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(32);
  });

  it("waits for no app that has more than its share of the node: they take turns", async () => {
    const other = await api.createKey(["market"], "Other");
    const held: (() => void)[] = [];
    proxy.reset(({ calls: [call] }, response: ServerResponse) => {
      if (call?.method !== "eth_call") return false;
      // Of 200 transfers of one app, 32 are under way and none ends; then two do.
      if (isRead(call.params as unknown as Call)) pass(call, response);
      else held.push(() => pass(call, response));
      return true;
    });
    const many = [0, 100].map((from) =>
      send(
        crowd.slice(from, from + 100).map((id) => ({ contract: cast.open, id })),
        { verify: "chain" },
      ),
    );
    while (held.length < 32) await database.query("select 1");

    const one = send([plain()], { verify: "chain" }, other);
    while (proxy.count("eth_blockNumber") < 3) await database.query("select 1");
    await database.query("select pg_sleep(0.1)");
    // One of the app's own is next, and then the other app's.
    for (const answer of held.splice(0, 2)) answer();
    while (held.length < 32) await database.query("select 1");
    held.pop()?.();

    expect((await one).body.items).toMatchObject([{ allowed: true }]);
    const items = (await Promise.all(many)).flatMap(({ body }) => body.items as Check[]);
    expect(new Set(items.map(({ reason }) => reason))).toEqual(new Set([null, "not_verified"]));
    expect(new Set(items.map(({ detail }) => detail))).toEqual(
      new Set([
        null,
        `the RPC endpoint of chain ${chain.chainId} did not answer in time`,
        "timed out behind other verifications",
      ]),
    );
  });

  it("is one of four at most that an app has verified at once; others, and plain checks, are not held up", async () => {
    const other = await api.createKey(["market"], "Other");
    proxy.reset(() => true);
    const waiting = Array.from({ length: 4 }, () => send([plain()], { verify: "chain" }));
    while (proxy.count("eth_blockNumber") < waiting.length) await database.query("select 1");

    const fifth = await send([plain()], { verify: "chain" });
    expect([fifth.status, fifth.body.code, fifth.headers.get("retry-after")]).toEqual([
      429,
      "RATE_LIMITED",
      "1",
    ]);
    expect((await send([plain()])).body.items).toMatchObject([{ allowed: true }]);
    expect((await send([plain()], { verify: "chain" }, other)).status).toBe(200);
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
    proxy.reset();
    expect((await send([plain()], { verify: "chain" })).status).toBe(200);
  });
});

/** What `require(false, text)` reverts with. */
function error(text: string): string {
  const word = (value: number): string => value.toString(16).padStart(64, "0");
  return `0x08c379a0${word(32)}${word(text.length)}${Buffer.from(text).toString("hex").padEnd(64, "0")}`;
}
