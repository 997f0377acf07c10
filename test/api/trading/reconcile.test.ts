import { type Hex, keccak256, pad, toHex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Chain, type Contract, startChain } from "../../../demo/chain.ts";
import { createCollections } from "../../../src/api/catalog/collections.ts";
import { raiseHeads } from "../../../src/api/chain/index/head-mark.ts";
import { createChainClients } from "../../../src/api/chain/rpc/clients.ts";
import { addKnownTokens } from "../../../src/api/metadata/listing/listing-store.ts";
import { knownInRange } from "../../../src/api/metadata/listing/range-store.ts";
import { createReconcile } from "../../../src/api/trading/reconcile/reconcile.ts";
import { MAX } from "../../support/chain/chain-story.ts";
import { indexContract } from "../../support/chain/index-contract.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { startLocalServer } from "../../support/servers/local-server.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
const { database, tables } = test;

let chain: Chain;
beforeAll(async () => {
  chain = await startChain();
});
afterAll(() => chain.close());
beforeEach(() =>
  database.query(
    `truncate ${tables.tokenState}, ${tables.lockEvent}, ${tables.checkpoint}, ${tables.meta}, vitrine.chain_head, vitrine.audit`,
  ),
);

interface Setting {
  readonly startBlock?: number;
  readonly rpcUrl?: string;
  /** Runs between the two reads. */
  readonly settle?: () => Promise<unknown>;
}

/** The service over these contracts, connected directly to its chain. */
function serve(contracts: readonly Contract[], { startBlock = 0, rpcUrl, settle }: Setting = {}) {
  const chains = [{ id: chain.chainId, rpcUrls: [rpcUrl ?? chain.rpcUrl] }];
  const collections = createCollections({
    chains,
    collections: contracts.map(({ address }, index) => ({
      chainId: chain.chainId,
      address: address.toLowerCase(),
      // The lowest one applies to the chain.
      startBlock: startBlock + index,
    })),
  });
  const reconcile = createReconcile({
    database,
    tables,
    clients: createChainClients(chains),
    firstBlock: collections.firstBlock,
    knownInRange,
    settle: settle ?? (async () => undefined),
  });
  const api = createTestApp(test, { collections, reconcile });
  return (body: Record<string, unknown> = {}) =>
    api.call("/admin/locks/reconcile", { body, headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } });
}

const tracker = () => chain.account(9);
const head = async (): Promise<number> => Number(await chain.blockNumber());
const keyOf = ({ address }: Contract): string => `${chain.chainId}:${address.toLowerCase()}`;

/** Heroes with these ids, in a contract where `tracker` may lock them. */
async function deployHeroes(...ids: bigint[]): Promise<Contract> {
  const heroes = await chain.deploy("VitrineHeroes", ["http://127.0.0.1:1/"]);
  await chain.write(heroes, "updateApprovedContracts", [[tracker().address], [true]]);
  for (const id of ids) await chain.write(heroes, "mint", [chain.account(1).address, id]);
  return heroes;
}

/** Heroes of a contract that has only locked and unlocked. */
async function deployWildHeroes(...ids: bigint[]): Promise<Contract> {
  const heroes = await chain.deploy("WildHeroes");
  for (const id of ids) await chain.write(heroes, "mint", [chain.account(1).address, id]);
  return heroes;
}

/** Adds tokens as a refresh of tokens that the chain index never saw does. */
const know = ({ address }: Contract, ...ids: bigint[]) =>
  addKnownTokens(
    database,
    tables,
    chain.chainId,
    address.toLowerCase(),
    new Map(ids.map((id) => [String(id), 1])),
  );

const lock = (heroes: Contract, id: bigint) => chain.write(heroes, "lockId", [id], tracker());

describe("a contract that counts its locks", () => {
  it("agrees with the index that saw it all: free, locked, burned while locked, the highest id", async () => {
    const heroes = await deployHeroes(0n, 1n, 2n, MAX);
    for (const id of [1n, 2n, MAX]) await lock(heroes, id);
    await chain.write(heroes, "burn", [2n]);
    await indexContract(test, chain, heroes);

    const { status, body } = await serve([heroes])();

    expect(status).toBe(200);
    expect(body).toEqual({
      collection: keyOf(heroes),
      block: await head(),
      offers: "lockCount",
      compared_with: [{ function: "lockCount", standards: ["erc721x"] }],
      checked: 4,
      unreadable: 0,
      drift: [],
      next_after: null,
      next_collection: null,
    });
  });

  it("is read at the block that the index is as of, not at the chain's head", async () => {
    const heroes = await deployHeroes(1n);
    await indexContract(test, chain, heroes);
    const indexed = await head();
    await lock(heroes, 1n);

    const { body } = await serve([heroes])();

    expect(body).toMatchObject({ block: indexed, checked: 1, drift: [] });
  });

  it("differs where it locked before the start block, and that is named as the cause", async () => {
    const heroes = await deployHeroes(1n, 2n);
    await lock(heroes, 1n);
    const startBlock = (await head()) + 1;
    await lock(heroes, 2n);
    await chain.write(heroes, "emitRawUnlock", [1n, tracker().address]);
    await indexContract(test, chain, heroes, BigInt(startBlock));

    const { body } = await serve([heroes], { startBlock })();

    expect(body.drift).toEqual([
      {
        token_id: "1",
        standard: "erc721x",
        block: await head(),
        indexed: { lock_count: "0", locked: false },
        on_chain: { lock_count: "1", locked: true },
        likely_cause: "start_block",
        explanation: expect.stringMatching(
          new RegExp(`in block ${startBlock - 1}, but the chain index starts with block ${startBlock};`),
        ),
      },
    ]);
  });

  it("differs where it locked a known token before the start block and was silent since", async () => {
    const heroes = await deployHeroes(1n, 2n);
    await lock(heroes, 1n);
    const startBlock = (await head()) + 1;
    await chain.write(heroes, "mint", [chain.account(1).address, 3n]);
    await indexContract(test, chain, heroes, BigInt(startBlock));
    await know(heroes, 1n, 2n, 3n);

    const { body } = await serve([heroes], { startBlock })();

    expect(body).toMatchObject({
      checked: 3,
      drift: [
        {
          token_id: "1",
          indexed: { lock_count: "0", locked: false },
          on_chain: { lock_count: "1", locked: true },
          likely_cause: "start_block",
        },
      ],
    });
  });

  it("differs for another reason where the token was free when the index began", async () => {
    const heroes = await deployWildHeroes(1n);
    const startBlock = await head();
    await chain.write(heroes, "lockSilently", [1n]);
    await indexContract(test, chain, heroes, BigInt(startBlock));

    const { body } = await serve([heroes], { startBlock })();

    expect(body.drift).toMatchObject([{ token_id: "1", likely_cause: "unknown" }]);
  });

  it("is judged by the lowest start block of its chain, from which the index has all of its collections", async () => {
    const [first, heroes] = [await deployHeroes(), await deployWildHeroes(1n)];
    await chain.write(heroes, "lockSilently", [1n]);
    const startBlock = await head();
    await indexContract(test, chain, heroes);

    const { body } = await serve([first, heroes], { startBlock })({ collection: keyOf(heroes) });

    // The contract's own start block is one later, when it was already locked.
    expect(body.drift).toMatchObject([{ likely_cause: "unknown" }]);
  });

  it("differs after unlocks that no lock came before, which are counted", async () => {
    const heroes = await deployHeroes(1n);
    for (let count = 0; count < 2; count++)
      await chain.write(heroes, "emitRawUnlock", [1n, tracker().address]);
    const last = await head();
    await chain.write(heroes, "emitRawLock", [1n, tracker().address]);
    await indexContract(test, chain, heroes);

    const { body } = await serve([heroes])();

    expect(body.drift).toMatchObject([
      {
        indexed: { lock_count: "1", locked: true },
        on_chain: { lock_count: "0", locked: false },
        likely_cause: "surplus_unlocks",
        explanation: expect.stringContaining(
          `2 times when the chain index held no lock, last in block ${last}`,
        ),
      },
    ]);
  });

  it("is not said to lock again where an unlock was between, or where the token was free since", async () => {
    const heroes = await deployHeroes(1n, 2n);
    const [ada, ben] = [chain.account(1).address, chain.account(2).address];
    const answer = async (id: bigint, ...steps: ["Lock" | "Unlock", string][]) => {
      for (const [what, who] of steps) await chain.write(heroes, `emitRaw${what}`, [id, who]);
    };
    await answer(1n, ["Lock", ada], ["Lock", ben], ["Unlock", ben], ["Lock", ada]);
    await answer(2n, ["Lock", ada], ["Lock", ada], ["Unlock", ada], ["Unlock", ada], ["Lock", ben]);
    await indexContract(test, chain, heroes);

    const { body } = await serve([heroes])();

    expect(body.drift).toMatchObject([
      { indexed: { lock_count: "2" }, likely_cause: "unknown" },
      { indexed: { lock_count: "1" }, likely_cause: "unknown" },
    ]);
  });

  it("may count up to 2^256-1", async () => {
    const heroes = await deployHeroes(1n);
    await setLockCount(heroes, 1n, MAX);
    expect(await chain.read(heroes, "lockCount", [1n])).toBe(MAX);
    await indexContract(test, chain, heroes);

    const { body } = await serve([heroes])();

    expect(body.drift).toMatchObject([
      { on_chain: { lock_count: String(MAX), locked: true }, likely_cause: "unknown" },
    ]);
  });
});

describe("a contract that only returns whether a token is locked", () => {
  it("agrees whatever the index counts, and a token that it does not know spoils no page", async () => {
    const heroes = await deployWildHeroes(1n, 2n, 3n);
    for (const id of [1n, 1n, 2n]) await chain.write(heroes, "lock", [id]);
    await chain.write(heroes, "burn", [2n]);
    await indexContract(test, chain, heroes);

    const { body } = await serve([heroes])();

    expect(body).toMatchObject({ offers: "isUnlocked", checked: 2, unreadable: 1, drift: [] });
  });

  it("differs where a tracker locked again with no unlock between, and the tracker is named", async () => {
    const heroes = await deployWildHeroes(1n, 2n, 3n);
    for (const name of ["lock", "lock", "unlock"]) await chain.write(heroes, name, [1n]);
    // Locked again after somebody else's unlock, and locked without an event.
    await chain.write(heroes, "lock", [2n]);
    await chain.write(heroes, "unlock", [2n], tracker());
    await chain.write(heroes, "lock", [2n]);
    await chain.write(heroes, "lockSilently", [3n]);
    await indexContract(test, chain, heroes);

    const { body } = await serve([heroes])();

    expect(body.drift).toMatchObject([
      {
        token_id: "1",
        indexed: { lock_count: "1", locked: true },
        on_chain: { lock_count: null, locked: false },
        likely_cause: "repeated_locks",
        explanation: expect.stringContaining(chain.account(0).address.toLowerCase()),
      },
      {
        token_id: "3",
        indexed: { lock_count: "0", locked: false },
        on_chain: { lock_count: null, locked: true },
        likely_cause: "unknown",
      },
    ]);
  });

  it("is found by a known token where the index only saw burned ones", async () => {
    const heroes = await deployWildHeroes(1n, 2n, 3n, 4n);
    await chain.write(heroes, "lock", [4n]);
    const startBlock = (await head()) + 1;
    for (const id of [1n, 2n, 3n]) await chain.write(heroes, "burn", [id]);
    await indexContract(test, chain, heroes, BigInt(startBlock));
    await know(heroes, 4n);

    expect((await serve([heroes], { startBlock })()).body).toMatchObject({
      offers: "isUnlocked",
      checked: 1,
      unreadable: 3,
      drift: [{ token_id: "4", likely_cause: "start_block" }],
    });
  });

  it("is found when the first tokens are burned and it knows them no longer", async () => {
    const heroes = await deployWildHeroes(1n, 2n, 3n, 4n, 5n);
    for (const id of [1n, 2n, 3n, 4n]) await chain.write(heroes, "burn", [id]);
    await indexContract(test, chain, heroes);

    expect((await serve([heroes])({ limit: 2 })).body).toMatchObject({
      offers: "isUnlocked",
      checked: 0,
      unreadable: 2,
      next_after: "2",
    });
  });
});

describe("nothing is compared with", () => {
  const nothing = { offers: null, checked: 0, unreadable: 0, drift: [], next_after: null };

  it("a contract that offers neither function", async () => {
    const items = await chain.deploy("VitrineItems", ["http://127.0.0.1:1/"]);
    await chain.write(items, "mint", [chain.account(1).address, 1n, 5n]);
    await indexContract(test, chain, items);

    expect((await serve([items])()).body).toMatchObject(nothing);
  });

  it.each([
    ["whose fallback function answers nothing", "0x00"],
    ["whose fallback function answers one, in a word", "0x600160005260206000f3"],
    ["whose fallback function answers another word to each call", "0x3660006000373660002060005260206000f3"],
    ["whose fallback function answers what it was asked", "0x366000600037366000f3"],
    ["whose fallback function answers less than a word", "0x600160005260016000f3"],
    ["whose lockCount answers two words", "0x60003560e01c63650b00f61460145760006000fd5b60406000f3"],
  ])("a contract %s", async (_what, code) => {
    const heroes = await deployHeroes(1n);
    await indexContract(test, chain, heroes);
    await chain.rpc("anvil_setCode", [heroes.address, code]);
    await chain.mine();
    await test.setHead({ chainId: chain.chainId, block: await head() });

    expect((await serve([heroes])()).body).toMatchObject(nothing);
  });

  it("a collection without tokens", async () => {
    const heroes = await deployHeroes();
    await indexContract(test, chain, heroes);

    expect((await serve([heroes])()).body).toMatchObject(nothing);
  });
});

describe("pages", () => {
  it("cover each token once, in the order of their ids, whatever their size", async () => {
    const ids = [3n, 20n, 100n, 2n ** 255n, MAX];
    const heroes = await deployHeroes(...ids);
    for (const id of ids) await chain.write(heroes, "emitRawLock", [id, tracker().address]);
    await indexContract(test, chain, heroes);
    const ask = serve([heroes]);

    const pages = [];
    for (
      let after: string | null = null;
      pages.length === 0 || after !== null;
      after = pages.at(-1).next_after
    )
      pages.push((await ask({ after_token_id: after, limit: 2 })).body);

    expect(pages.map(({ checked }) => checked)).toEqual([2, 2, 1]);
    const seen = pages.flatMap(({ drift }) => drift.map((each: { token_id: string }) => each.token_id));
    expect(seen).toEqual(ids.map(String));
    expect(pages.map(({ next_after }) => next_after)).toEqual(["20", String(2n ** 255n), null]);
  });

  it("cover the index's tokens and the known ones once each, in one order, whatever their size", async () => {
    const heroes = await deployHeroes(1n, 9n, 10n, 2n ** 255n);
    for (const id of [1n, 9n, 10n, 2n ** 255n]) await lock(heroes, id);
    const startBlock = (await head()) + 1;
    for (const id of [2n, 3n, 20n, 100n, MAX]) {
      await chain.write(heroes, "mint", [chain.account(1).address, id]);
      await chain.write(heroes, "emitRawLock", [id, tracker().address]);
    }
    await indexContract(test, chain, heroes, BigInt(startBlock));
    await know(heroes, 1n, 2n, 9n, 10n, 20n, 2n ** 255n, MAX);
    const ask = serve([heroes], { startBlock });
    const ids = [1n, 2n, 3n, 9n, 10n, 20n, 100n, 2n ** 255n, MAX].map(String);

    for (const limit of [1, 2, 3, 4, 9, 10]) {
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const { body } = await ask({ after_token_id: after, limit });
        expect(body.checked).toBeLessThanOrEqual(limit);
        seen.push(...body.drift.map((each: { token_id: string }) => each.token_id));
        after = body.next_after;
      } while (after !== null);
      expect(seen).toEqual(ids);
    }
  });

  it("end where the collection does, also when its last page is full", async () => {
    const heroes = await deployHeroes(1n, 2n);
    await indexContract(test, chain, heroes);
    const ask = serve([heroes]);

    const first = (await ask({ limit: 2 })).body;
    const second = (await ask({ limit: 2, after_token_id: first.next_after })).body;

    expect([first, second]).toMatchObject([
      { checked: 2, next_after: "2" },
      { offers: "lockCount", checked: 0, next_after: null },
    ]);
  });

  it("lead through all collections in the operator's order", async () => {
    const [first, second] = [await deployHeroes(1n), await deployHeroes(1n)];
    await indexContract(test, chain, first);
    const ask = serve([first, second]);

    expect((await ask()).body).toMatchObject({
      collection: keyOf(first),
      next_collection: keyOf(second),
    });
    expect((await ask({ collection: second.address })).body).toMatchObject({
      collection: keyOf(second),
      next_collection: null,
    });
  });
});

describe("what only looks like drift", () => {
  it("is not reported when a second comparison finds the index caught up", async () => {
    const heroes = await deployHeroes(1n, 2n);
    await chain.write(heroes, "emitRawLock", [2n, tracker().address]);
    await indexContract(test, chain, heroes);
    await lock(heroes, 1n);
    // The earlier rows under the current head, as between a reorg and the next block.
    await test.setHead({ chainId: chain.chainId, block: await head() });
    const settle = () => indexContract(test, chain, heroes);

    const { body } = await serve([heroes], { settle })();

    expect(body.checked).toBe(2);
    expect(body.drift).toMatchObject([{ token_id: "2", indexed: { lock_count: "1" } }]);
  });
});

describe("nothing is said", () => {
  it.each([
    ["during a backfill", () => test.setHead({ chainId: chain.chainId, block: 1, ready: false }), "backfill"],
    ["before the first checkpoint", () => database.query(`truncate ${tables.checkpoint}`), "backfill"],
    [
      "while the index is behind what was seen of it before, as after a restart",
      async () => {
        await raiseHeads(database, tables);
        await test.setHead({ chainId: chain.chainId, block: 1, age: 1_000 });
      },
      "caught up",
    ],
  ])("%s", async (_when, disturb, reason) => {
    const heroes = await deployHeroes(1n);
    await indexContract(test, chain, heroes);
    await disturb();

    const { status, body } = await serve([heroes])();

    expect(status).toBe(503);
    expect(body).toMatchObject({
      code: "UNAVAILABLE",
      details: [{ path: "collection", message: expect.stringContaining(reason) }],
    });
  });

  it("while the chain's node is away", async () => {
    const heroes = await deployHeroes(1n);
    await indexContract(test, chain, heroes);

    const { status, body, text } = await serve([heroes], { rpcUrl: "http://127.0.0.1:1/my-key" })();

    expect(status).toBe(503);
    expect(body.details).toEqual([
      { path: "collection", message: expect.stringContaining(`for block ${await head()}`) },
    ]);
    expect(text).not.toContain("my-key");
  });

  it("when the node leaves a single token open", async () => {
    const heroes = await deployHeroes(1n, 2n, 3n, 4n, 5n);
    await indexContract(test, chain, heroes);
    const fifth = pad(toHex(5n)).slice(2);
    const node = await startMoodyNode(([{ data }]) => data.endsWith(fifth), "request limit exceeded");
    onTestFinished(() => node.close());

    expect((await serve([heroes], { rpcUrl: node.url })({ limit: 4 })).body).toMatchObject({ checked: 4 });
    expect((await serve([heroes], { rpcUrl: node.url })()).status).toBe(503);
  });

  it("of a collection that nobody configured, nor of a body that is wrong", async () => {
    const heroes = await deployHeroes(1n);
    const ask = serve([heroes]);

    expect((await ask({ collection: "0x0000000000000000000000000000000000000001" })).status).toBe(404);
    const wrong = { collection: "0x7", after_token_id: String(MAX + 1n), limit: 501 };
    const { status, body } = await ask(wrong);
    expect(status).toBe(400);
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual(Object.keys(wrong));
    expect((await ask({ limit: 0 })).status).toBe(400);
    expect(await database.query("select from vitrine.audit")).toEqual([]);
  });
});

it("a node that keeps no old state leaves the start block unjudged, and says so", async () => {
  const heroes = await deployHeroes(1n, 2n);
  for (const id of [1n, 2n]) await lock(heroes, id);
  const startBlock = (await head()) + 1;
  await chain.write(heroes, "emitRawUnlock", [1n, tracker().address]);
  for (const name of ["emitRawLock", "emitRawUnlock"])
    await chain.write(heroes, name, [2n, tracker().address]);
  await indexContract(test, chain, heroes, BigInt(startBlock));
  const node = await startMoodyNode(([, block]) => Number(block) < startBlock, "missing trie node 1234");
  onTestFinished(() => node.close());

  const { body } = await serve([heroes], { startBlock, rpcUrl: node.url })();

  const explanation = expect.stringContaining(`did not answer for block ${startBlock - 1}`);
  expect(body.drift).toMatchObject([
    { token_id: "1", likely_cause: "surplus_unlocks", explanation },
    { token_id: "2", likely_cause: "unknown", explanation },
  ]);
});

it("every page leaves a row in the audit, with its outcome", async () => {
  const heroes = await deployHeroes(1n, 2n);
  await chain.write(heroes, "emitRawLock", [1n, tracker().address]);
  await indexContract(test, chain, heroes);

  await serve([heroes])({ limit: 1 });

  expect(await database.query("select actor, action, subject, detail from vitrine.audit")).toEqual([
    {
      actor: "operator",
      action: "locks.reconcile",
      subject: keyOf(heroes),
      detail: {
        after_token_id: null,
        block: await head(),
        offers: "lockCount",
        checked: 1,
        unreadable: 0,
        drift: 1,
      },
    },
  ]);
});

// Where the compiler puts the mapping `lockCount`; the test that uses it reads it back.
const LOCK_COUNT_SLOT = 8n;

async function setLockCount({ address }: Contract, id: bigint, count: bigint): Promise<void> {
  const key = `${pad(toHex(id))}${pad(toHex(LOCK_COUNT_SLOT)).slice(2)}` as Hex;
  await chain.rpc("anvil_setStorageAt", [address, keccak256(key), pad(toHex(count))]);
  await chain.mine();
}

type CallParams = [call: { to: string; data: Hex }, block: Hex];

/** The chain's node, except for calls that it refuses. */
async function startMoodyNode(refuses: (params: CallParams) => boolean, message: string) {
  return startLocalServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const answers = [body].flat().map(async (call) => {
      if (refuses(call.params)) return { jsonrpc: "2.0", id: call.id, error: { code: -32000, message } };
      const headers = { "content-type": "application/json" };
      const answer = await fetch(chain.rpcUrl, { method: "POST", headers, body: JSON.stringify(call) });
      return answer.json();
    });
    const sent = await Promise.all(answers);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(body) ? sent : sent[0]));
  });
}
