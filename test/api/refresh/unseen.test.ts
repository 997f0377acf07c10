/** Tokens without a transfer: which requests they accept, and when they are listed. */

import { beforeEach, describe, expect, it } from "vitest";
import { raiseHeads } from "../../../src/api/chain/index/head-mark.ts";
import { createEventWriter } from "../../../src/api/events/writer.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createRefreshModule } from "../../../src/api/refresh/module.ts";
import { createFakeCalls, type FakeAnswer } from "../../support/chain/fake-contract.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { createWorkerSetup } from "../../support/processes/worker.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
  found,
  makeDue,
  readQueue,
  ref,
} from "../../support/refresh/refresh.ts";
import { createTriggerSetup } from "../../support/refresh/triggers.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";
import { createOwnEndpoint } from "../graphql/own-endpoint.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const setup = createTriggerSetup(test);
const worker = createWorkerSetup(test);
const api = createTestApp(test);
const key = await api.createKey();
const { ask: graphql } = await createOwnEndpoint(api);
const collection = { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0, standard: "erc721" as const };
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });

const hero = (level: number | string) => ({
  name: "Hero",
  image: "https://img.example/1.png",
  attributes: [
    typeof level === "number"
      ? { trait_type: "Level", display_type: "number", value: level }
      : { trait_type: "Level", value: level },
  ],
});

beforeEach(async () => {
  await emptyTables(database);
  await setup.clear();
  await database.query(
    `truncate ${tables.tokenState}, ${tables.collectionState}, ${tables.meta}, vitrine.event, vitrine.event_due`,
  );
  await database.query("drop schema if exists next_chain cascade");
  api.existing.clear();
  await setHead(100);
});

const setHead = async (block: number, ready = true): Promise<void> => {
  await setup.setChain(block, block - 30);
  await database.query(
    `insert into ${tables.meta} values ('app', jsonb_build_object('is_ready', $1::int))
     on conflict (key) do update set value = excluded.value`,
    [ready ? 1 : 0],
  );
};

/** A token's transfer, as handlers write it. */
async function mint(tokenId: bigint, block: number): Promise<void> {
  await test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId,
    standard: "erc721",
    burned: false,
    lockCount: 0,
  });
  await setup.add({ block, log: Number(tokenId), source: "mint", token: tokenId });
}

/** Records a document that somebody requested, of a token without a transfer or a known one. */
const record = (tokenId: string, level: number | string, block = 95) =>
  database.transaction((tx) =>
    metadata.recordAll(tx, [
      { token: ref(tokenId), trigger: "rest", resolution: found(hero(level), { block }) },
    ]),
  );

const token = (id: string) =>
  api.call(`/market/collections/${COLLECTION}/tokens/${id}?chain_id=${CHAIN_ID}`, { key });
const facets = async () =>
  (await api.call(`/market/collections/${COLLECTION}/traits?chain_id=${CHAIN_ID}`, { key })).body;
const listed = async (): Promise<string[]> => {
  const { body } = await api.call(`/market/collections/${COLLECTION}/tokens?chain_id=${CHAIN_ID}`, { key });
  expect(body.total).toBe(body.items.length);
  return body.items.map((each: { token_id: string }) => each.token_id);
};
const unseen = async (): Promise<string[]> =>
  (
    await database.query<{ id: string }>(
      "select token_id::text as id from vitrine.token where unseen order by 1",
    )
  ).map(({ id }) => id);
const waiting = async () =>
  (await readQueue(database)).filter(({ requested, done }) => requested > done).map(({ tokenId }) => tokenId);

/** The row counts of all tables that strangers might fill. */
async function countRows(): Promise<Record<string, number>> {
  const names = (
    await database.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'vitrine' and tablename not in ('rate_limit', 'app_usage', 'app_status', 'request_log') order by 1",
    )
  ).map(({ name }) => name);
  const counts = await Promise.all(
    names.map(async (name) => {
      const [row] = await database.query<{ count: number }>(
        `select count(*)::int as count from vitrine.${name}`,
      );
      return [name, row?.count ?? 0] as const;
    }),
  );
  return Object.fromEntries(counts);
}

describe("callers without a key", () => {
  it.each<[string, "erc721" | "erc1155", (name: string, id: string) => FakeAnswer]>([
    ["ERC-1155 with a URI for any id", "erc1155", () => "reverts"],
    ["ERC-1155 with exists", "erc1155", (name, id) => (name === "exists" ? BigInt(id === "1") : "reverts")],
    [
      "ERC-1155 with totalSupply",
      "erc1155",
      (name, id) => (name === "totalSupply" ? BigInt(id === "1") : "reverts"),
    ],
    ["ERC-1155 that answers anything", "erc1155", () => 1n],
    [
      "ERC-721 with a URI for any id",
      "erc721",
      (name, id) => (name === "ownerOf" && id === "1" ? 1n : "reverts"),
    ],
  ])("change nothing by 10,000 requests for ids that do not exist: %s", async (_what, standard, script) => {
    await mint(1n, 90);
    await database.query(`update ${tables.tokenState} set standard = $1, supply = 1`, [standard]);
    await test.insert("collectionState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      standard,
      items: 1,
      owners: 1,
    });
    await setup.triggers().handleBatch();
    await record("1", 5);
    const { refresh } = createRefreshModule({
      database,
      metadata,
      calls: createFakeCalls(CHAIN_ID, script).calls,
      readUri: async () => ({ kind: "read", uri: "https://meta.example/any", standard }),
      latestBlock: async () => 100,
      tokenLimiter: api.rateLimits.anonymousTokens,
    });
    const before = { rows: await countRows(), facets: await facets(), token: (await token("1")).body };

    for (let first = 1_000; first < 11_000; first += 100) {
      const ids = Array.from({ length: 100 }, (_, index) => String(first + index));
      const { tokens, receiptId } = await refresh.request({ ...collection, standard }, ids, {
        trigger: "graphql",
        // Each address may name 600 ids a minute.
        client: `192.0.2.${first / 100}`,
        receiptFor: "anonymous",
      });
      expect(receiptId).toBeUndefined();
      expect(new Set(tokens.map(({ status }) => status))).toEqual(new Set(["not_found"]));
    }

    expect({ rows: await countRows(), facets: await facets(), token: (await token("1")).body }).toEqual(
      before,
    );
    expect(await listed()).toEqual(["1"]);
  });

  it("get an error while the node is unreachable, and nothing is queued for them", async () => {
    const { refresh } = createRefreshModule({
      database,
      metadata,
      calls: new Map(),
      readUri: async () => ({ kind: "reverted", message: "" }),
      latestBlock: () => Promise.reject(new Error("no node")),
      tokenLimiter: api.rateLimits.anonymousTokens,
    });
    const own = await createOwnEndpoint({ ...api, refresh });

    const { error } = await own.ask(
      `mutation { refreshMetadata(tokenAddress: "${COLLECTION}", tokenId: "9", chainId: ${CHAIN_ID}) }`,
    );

    expect(error).toMatchObject({
      extensions: { code: "UNAVAILABLE" },
      message: expect.stringContaining("the node is unreachable"),
    });
    expect(await readQueue(database)).toEqual([]);
    // A request with a key waits for the node.
    const { tokens } = await refresh.request(collection, ["9"], { trigger: "rest" });
    expect(tokens).toEqual([{ token_id: "9", status: "queued" }]);
  });
});

describe("a token whose mint is on its way", () => {
  it("is read when it is asked for, and shown with its metadata once its transfer is indexed, without another fetch", async () => {
    api.existing.add("7");
    const { tokens, receiptId = "" } = await api.refresh.request(collection, ["7"], {
      trigger: "graphql",
      client: "192.0.2.1",
      receiptFor: "anonymous",
    });
    expect(tokens).toEqual([{ token_id: "7", status: "queued" }]);
    const { calls } = worker.start(() => found(hero(3), { block: 10 }));
    await expect
      .poll(async () => (await api.refresh.findReceipt(receiptId, "anonymous"))?.tokens)
      .toMatchObject([{ token_id: "7", status: "updated", reason: null }]);
    expect((await token("7")).status).toBe(404);
    expect(
      (
        await api.call(`/market-partner/collections/${COLLECTION}/tokens/7/report?chain_id=${CHAIN_ID}`, {
          key,
        })
      ).status,
    ).toBe(404);
    expect(
      (await graphql(`{ token(tokenAddress: "${COLLECTION}", tokenId: "7", chainId: ${CHAIN_ID}) { name } }`))
        .data,
    ).toEqual({ token: null });
    expect(
      (await api.call(`/collections/${CHAIN_ID}/${COLLECTION}/7`, { headers: { accept: "text/html" } }))
        .status,
    ).toBe(404);
    expect(await listed()).toEqual([]);
    expect(await facets()).toMatchObject({ total: 0, traits: [] });

    await mint(7n, 9);
    await setup.triggers().handleBatch();

    expect((await token("7")).body).toMatchObject({
      name: "Hero",
      traits: [{ trait_type: "Level", value: 3, max_value: 3, count: 1, percentage: 100 }],
      metadata: { status: "current", version: 1 },
    });
    expect(await listed()).toEqual(["7"]);
    expect(await facets()).toMatchObject({
      total: 1,
      traits: [{ trait_type: "Level", count: 1, max_value: 3 }],
    });
    expect(await waiting()).toEqual([]);
    expect(calls).toHaveLength(1);
  });

  it("is read again where its mint is newer than what was read", async () => {
    await record("7", 3, 80);
    await mint(7n, 90);

    await setup.triggers().handleBatch();

    expect(await waiting()).toEqual(["7"]);
    expect(await listed()).toEqual(["7"]);
  });

  it("is answered as soon as its transfer is indexed, though no pass has handled it yet", async () => {
    await record("7", 3);
    await mint(7n, 90);

    expect((await token("7")).body).toMatchObject({ name: "Hero" });
    // Until the trigger loop runs, token 7 stays unseen like token 8.
    await record("8", 4);
    expect(await unseen()).toEqual(["7", "8"]);
  });

  it("counts as seen where a document is recorded after its transfer was indexed", async () => {
    await mint(7n, 90);

    await record("7", 3);

    expect(await unseen()).toEqual([]);
    expect(await listed()).toEqual(["7"]);
  });

  it("is reported by the stream of events when it is shown, and not before", async () => {
    const writer = createEventWriter({ database, tables, collections: new Map() });
    const published = async () => {
      await writer.writeDue();
      return database.query("select type, token_id::text as id, version from vitrine.event");
    };
    await record("7", 3);
    expect(await published()).toEqual([]);

    await mint(7n, 90);
    await setup.triggers().handleBatch();

    expect(await published()).toEqual([{ type: "metadata", id: "7", version: 1 }]);
  });

  it("is not part of a sweep, and a token whose burn is final is not either", async () => {
    for (const id of [1n, 2n]) await mint(id, 80);
    await database.query(
      `update ${tables.tokenState} set burned = true, burned_block = 60 where token_id = 2`,
    );
    await record("7", 3);
    await setup.triggers().handleBatch();
    await database.query("truncate vitrine.refresh");

    await setup.add({ block: 90, from: 0n, to: 100n });
    await setup.triggers().handleBatch();
    await setup.sweeps().advance();

    expect(await waiting()).toEqual(["1"]);
    expect(await database.query("select known::int, passed::int from vitrine.sweep")).toEqual([
      { known: 1, passed: 1 },
    ]);
  });

  it("on its own contract's word is read, and stays unseen", async () => {
    await setup.add({ block: 90, source: "URI", token: 7n });
    await setup.triggers().handleBatch();
    worker.start(() => found(hero(3)));

    await expect.poll(waiting).toEqual([]);

    expect(await unseen()).toEqual(["7"]);
    expect(await listed()).toEqual([]);
  });
});

describe("what a stranger's document says", () => {
  it("raises no highest value, settles no display type and makes no conflict, until a transfer of its token is indexed", async () => {
    await mint(1n, 80);
    await setup.triggers().handleBatch();
    await record("1", 5);

    await record("8", 1_000_000);
    await record("9", "a word");

    const types = () => database.query("select display_type as type, highest from vitrine.trait_type");
    expect(await types()).toEqual([{ type: "number", highest: 5 }]);
    expect(await database.query("select from vitrine.held_type")).toEqual([]);
    expect(await database.query("select from vitrine.trait_value")).toHaveLength(1);
    expect(
      await api.call("/admin/traits/pending", {
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
      }),
    ).toMatchObject({ body: { pending: [] } });

    for (const id of [8n, 9n]) await mint(id, 90);
    await setup.triggers().handleBatch();

    expect(await types()).toEqual([{ type: "number", highest: 1_000_000 }]);
    expect((await token("9")).body).toMatchObject({
      traits: [],
      metadata: { issues: [{ code: "display_type_conflict" }] },
    });
    expect(await database.query("select from vitrine.held_type")).toHaveLength(1);
  });

  it("is the first to settle a type no sooner than it is shown", async () => {
    await record("9", "a word");
    await mint(1n, 80);
    await setup.triggers().handleBatch();
    await record("1", 5);

    expect((await token("1")).body.traits).toMatchObject([{ display_type: "number", value: 5 }]);
  });
});

describe("the base of percentages", () => {
  it("is the listed tokens, in a token's answer as in the distribution", async () => {
    for (const id of [1n, 2n, 3n, 4n]) await mint(id, 80);
    await setup.triggers().handleBatch();
    await database.query(
      `update ${tables.tokenState} set burned = true, burned_block = 85 where token_id = 4`,
    );
    await record("1", 5);
    await record("2", 6);
    await record("8", 5);

    const { total, traits } = await facets();
    const { body } = await token("1");

    expect(total).toBe(3);
    expect(traits[0].values).toContainEqual({ value: 5, count: 1, percentage: (1 / 3) * 100 });
    expect(body.traits).toMatchObject([{ count: 1, percentage: (1 / 3) * 100 }]);
  });
});

describe("a reorg that reverts a mint", () => {
  /** Leaves token 1 listed with a document, while the chain index lacks its mint. */
  async function revertMint(): Promise<void> {
    await mint(1n, 90);
    await setup.triggers().handleBatch();
    await record("1", 5);
    expect(await listed()).toEqual(["1"]);
    await raiseHeads(database, tables);
    await setup.revert(85);
    await database.query(`delete from ${tables.tokenState}`);
  }

  it("hides the token until it is minted again, with what was read of it", async () => {
    await revertMint();
    await setHead(101);
    await setup.triggers().handleBatch();
    expect(await listed()).toEqual([]);
    expect((await token("1")).status).toBe(404);
    expect(await facets()).toMatchObject({ total: 0, traits: [] });

    await mint(1n, 102);
    await setHead(103);
    await setup.triggers().handleBatch();

    expect(await listed()).toEqual(["1"]);
    expect((await token("1")).body.traits).toMatchObject([{ value: 5, count: 1, percentage: 100 }]);
  });

  it("hides nothing while the index is behind what was seen of it, or not ready", async () => {
    await revertMint();
    let seconds = 0;
    const triggers = setup.triggers(tables, () => seconds * 1_000);
    await setHead(84);
    for (; seconds < 20; seconds += 4) await triggers.handleBatch();
    expect(await listed()).toEqual(["1"]);

    await setHead(110, false);
    await setup.add({ block: 108, token: 1n });
    await triggers.handleBatch();
    await setup.revert(108);
    await triggers.handleBatch();
    expect(await listed()).toEqual(["1"]);
  });
});

describe("an index that is built beside the one that serves", () => {
  it("hides nothing that was seen, whatever is asked of it, and comes to the same", async () => {
    for (const id of [1n, 2n]) await mint(id, 80);
    await setup.triggers().handleBatch();
    await record("1", 5);
    const next = await setup.reindexAs("next_chain");
    const nextMetadata = createMetadata({
      resolve: createFakeResolve(() => failed("timeout")).resolve,
      tables: next,
    });
    await database.query(`truncate ${next.tokenState}, ${next.metadataUpdate}, ${next.meta}`);

    // Requests and their results bring it tokens that it has not indexed yet.
    await nextMetadata.addUnseenTokens(
      database,
      CHAIN_ID,
      COLLECTION,
      new Map([
        ["1", 90],
        ["2", 90],
        ["3", 99],
      ]),
    );
    await setup.triggers(next).handleBatch();
    expect(await unseen()).toEqual(["3"]);
    expect(await listed()).toEqual(["1", "2"]);
    expect(await nextMetadata.findKnown(database, CHAIN_ID, COLLECTION, ["1", "2", "3"])).toEqual(
      new Map([
        ["1", { burnedBlock: null }],
        ["2", { burnedBlock: null }],
      ]),
    );

    // The serving index has the third token's mint; the other one indexes it later.
    await mint(3n, 99);
    await setup.triggers().handleBatch();
    expect(await listed()).toEqual(["1", "2", "3"]);
    await database.query(`insert into ${next.metadataUpdate} select * from ${tables.metadataUpdate}`);
    await database.query(`insert into ${next.tokenState} select * from ${tables.tokenState}`);
    await setup.triggers(next).handleBatch();
    expect(await listed()).toEqual(["1", "2", "3"]);
  });
});

describe("a burned token", () => {
  const burn = async (): Promise<void> => {
    await mint(1n, 80);
    await setup.triggers().handleBatch();
    await record("1", 5);
    await database.query("truncate vitrine.refresh");
    await database.query(`update ${tables.tokenState} set burned = true, burned_block = 95, owner = null`);
  };
  const reason = "burned: in block 95";
  const post = (ids: readonly string[]) =>
    api.call(`/market-partner/collections/${COLLECTION}/refresh_metadata?chain_id=${CHAIN_ID}`, {
      key,
      body: { token_ids: ids },
    });

  it("is answered at once over REST, with a receipt, and nothing is queued", async () => {
    await burn();

    const { status, body } = await post(["1"]);

    expect(status).toBe(200);
    expect(body.tokens).toMatchObject([{ token_id: "1", status: "not_found", reason }]);
    const receipt = await api.call(`/market-partner/refreshes/${body.refresh_id}`, { key });
    expect(receipt.body).toMatchObject({
      done: true,
      tokens: [{ token_id: "1", status: "not_found", reason }],
    });
    expect(await readQueue(database)).toEqual([]);
  });

  it("is an error for the mutation that answers true, and in the receipt of the other", async () => {
    await burn();
    const args = `tokenAddress: "${COLLECTION}", chainId: ${CHAIN_ID}`;

    const { data, error } = await graphql(`mutation { refreshMetadata(${args}, tokenId: "1") }`);
    expect(data).toBeNull();
    expect(error).toMatchObject({
      message: `Token not found; tokenId: ${reason}`,
      extensions: { code: "TOKEN_NOT_FOUND" },
    });

    const asked = await graphql(
      `mutation { requestMetadataRefresh(${args}, tokenIds: ["1"]) { done tokens { tokenId status reason } } }`,
    );
    expect(asked.data.requestMetadataRefresh).toEqual({
      done: true,
      tokens: [{ tokenId: "1", status: "not_found", reason }],
    });
    expect(await readQueue(database)).toEqual([]);
  });

  it("that burns while it waits ends so, and nothing of it is fetched", async () => {
    await mint(1n, 80);
    await setup.triggers().handleBatch();
    const { body } = await post(["1"]);
    await database.query(`update ${tables.tokenState} set burned = true, burned_block = 95, owner = null`);
    await makeDue(database);

    const { calls } = worker.start(() => failed("token_reverted"));
    // Of its mint, in case a reorg removes the burn alone.
    await expect.poll(() => readQueue(database)).toMatchObject([{ trigger: "recheck", dueIn: 30 }]);

    const receipt = await api.call(`/market-partner/refreshes/${body.refresh_id}`, { key });
    expect(receipt.body.tokens).toMatchObject([{ token_id: "1", status: "not_found", reason }]);
    expect(calls).toEqual([]);
    expect(await database.query("select from vitrine.version")).toEqual([]);
  });

  it("that comes back is read again", async () => {
    await burn();
    await database.query(`update ${tables.tokenState} set burned = false, owner = '0xa1'`);
    await setup.add({ block: 97, source: "mint", token: 1n });

    await setup.triggers().handleBatch();

    expect(await waiting()).toEqual(["1"]);
    expect((await post(["1"])).body.tokens).toEqual([{ token_id: "1", status: "queued" }]);
  });
});
