/** Changes without an event (docs/refresh.md, "Silent changes"). */

import { beforeEach, describe, expect, it } from "vitest";
import { claimRound, findOpenRounds } from "../../../src/api/refresh/sampling/store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { ask, CHAIN_ID, COLLECTION, emptyTables, makeDue, readQueue } from "../../support/refresh/refresh.ts";
import {
  collection,
  HEAD,
  HOUR,
  ids,
  running,
  startSampledCollection,
} from "../../support/refresh/sampling.ts";

const FIRST = 4;
const DOCUMENTS_MAX = 20;

const test = await createTestDatabase();
const { database } = test;

beforeEach(async () => {
  await emptyTables(database);
  await test.setHead({ chainId: CHAIN_ID, block: 10 });
});

const start = async (tokens = 60) => {
  const sampled = await startSampledCollection(test);
  await sampled.fill(ids(tokens));
  return sampled;
};
const namesAt = (path: string, tokens: number) =>
  Object.fromEntries(ids(tokens).map((id) => [id, `Hero at ${path}/${id}`]));

describe("a collection that stays as it is", () => {
  it("costs four fetches and one reading of up to 100 URIs, leaves no version, and asks for no picture", async () => {
    const sampled = await start(250);

    const { begun, uris, documents, isSwept } = await sampled.round();

    expect(begun).toBe("waits");
    expect(uris.length).toBeGreaterThan(50);
    expect(uris.length).toBeLessThanOrEqual(100);
    expect(documents).toHaveLength(FIRST);
    expect(isSwept).toBe(false);
    expect(sampled.pictures).toEqual([]);
    const versions = await sampled.versions();
    expect(versions).toHaveLength(250);
    expect(versions.reduce((sum, { confirmations }) => sum + confirmations, 0)).toBe(FIRST);
    expect(await sampled.dueIn()).toBeGreaterThan(6 * HOUR - 60);
  });

  it("has other tokens sampled in each round, until each document had its turn", async () => {
    const sampled = await start(20);

    for (let rounds = 0; rounds < 5; rounds++) expect((await sampled.round()).documents).toHaveLength(FIRST);

    expect(new Set(sampled.requests.map(({ path }) => path)).size).toBe(20);
  });

  it("is asked for news only, where its host names documents by ETags", async () => {
    const sampled = await startSampledCollection(test);
    sampled.host.etagOf = (path) => `"of ${path}"`;
    await sampled.fill(ids(8));

    await sampled.round();

    for (const { path, headers } of sampled.requests)
      expect(headers).toMatchObject({ "if-none-match": `"of ${path}"` });
    expect(await sampled.versions()).toHaveLength(8);
    expect((await sampled.versions()).filter(({ confirmations }) => confirmations === 1)).toHaveLength(FIRST);
  });
});

it("a round ends though a sampled token left the queue, and is in it anew: its rounds go on", async () => {
  const sampled = await start(8);
  const due = await claimRound(database, [collection]);
  if (!due) throw new Error("no round is due");
  await sampled.rounds.begin(due, HEAD, running);
  const [first] = (await readQueue(database)).filter(({ requested, done }) => requested > done);
  if (!first) throw new Error("nothing is sampled");
  await sampled.rest();
  // Its mint was reverted, so that its row was deleted; it was minted again, and somebody asks for it.
  await database.query("delete from vitrine.refresh where token_id = $1", [first.tokenId]);
  await ask(database, [first.tokenId]);
  await sampled.rest();
  expect((await readQueue(database)).find(({ tokenId }) => tokenId === first.tokenId)?.done).toBe(1);

  await sampled.rounds.settle(collection);

  expect(await findOpenRounds(database, [collection])).toEqual([]);
});

it("a base URI that is changed without an event: the whole collection is swept, once, and is right", async () => {
  const sampled = await start(150);
  sampled.contract.uriOf = (id) => `${sampled.url}/b/${id}`;

  expect(await sampled.round()).toMatchObject({ begun: "changed", documents: [], isSwept: true });

  expect(await sampled.served()).toEqual(namesAt("/b", 150));
  expect(sampled.log).toContainEqual({
    level: "info",
    msg: "Sweeping a collection that changed without an event",
    chain_id: CHAIN_ID,
    collection: COLLECTION,
    changed: "token URIs",
    sampled_tokens: 75,
    changed_tokens: 75,
  });
  expect(await sampled.round()).toMatchObject({ isSwept: false });
});

it("the URI of one token that is changed without an event is found", async () => {
  const sampled = await start(60);
  sampled.contract.uriOf = (id) => `${sampled.url}/${id === "37" ? "own" : "a"}/${id}`;

  expect((await sampled.round()).isSwept).toBe(true);

  expect(await sampled.served()).toEqual({ ...namesAt("/a", 60), 37: "Hero at /own/37" });
  // No token is rechecked: there is no event that its host may lag behind.
  expect(sampled.requests).toHaveLength(60);
});

it("new URIs that lead nowhere are swept for once; what is served stays", async () => {
  const sampled = await start(30);
  sampled.contract.uriOf = (id) => `${sampled.url}/nowhere/${id}`;
  sampled.host.answer = (response) => response.writeHead(404).end();

  expect((await sampled.round()).isSwept).toBe(true);
  expect((await sampled.round()).isSwept).toBe(false);

  expect(await sampled.served()).toEqual(namesAt("/a", 30));

  sampled.host.answer = undefined;
  expect((await sampled.round()).isSwept).toBe(true);
  expect(await sampled.served()).toEqual(namesAt("/nowhere", 30));
});

describe("documents that are changed behind the same URLs", () => {
  it("are found by four samples, of which sixteen more are a proof, and all are right after a sweep", async () => {
    const sampled = await start(100);
    sampled.host.nameAt = (path) => `Changed at ${path}`;

    const { documents, isSwept } = await sampled.round();

    expect(documents).toHaveLength(DOCUMENTS_MAX);
    expect(new Set(documents).size).toBe(DOCUMENTS_MAX);
    expect(isSwept).toBe(true);
    expect(Object.values(await sampled.served()).every((name) => name.startsWith("Changed"))).toBe(true);
    const news = (await sampled.versions()).filter(({ trigger }) => trigger === "sample");
    expect(news).toHaveLength(DOCUMENTS_MAX);
    expect(news.every(({ outcome }) => outcome === "updated")).toBe(true);
    expect(await sampled.round()).toMatchObject({ isSwept: false });
  });

  it("of a few tokens are read again by themselves, without a sweep", async () => {
    const sampled = await start(60);
    // The first of the four tokens in the first round.
    sampled.host.nameAt = (path) => (path === "/a/1" ? "Changed" : `Hero at ${path}`);

    const { documents, isSwept } = await sampled.round();

    expect(documents).toContain("/a/1");
    expect(documents.length).toBeLessThanOrEqual(DOCUMENTS_MAX);
    expect(isSwept).toBe(false);
    expect(await sampled.served()).toMatchObject({ 1: "Changed", 2: "Hero at /a/2" });
  });

  it("are found under another ETag", async () => {
    const sampled = await startSampledCollection(test);
    sampled.host.etagOf = () => '"1"';
    await sampled.fill(ids(8));
    sampled.host.etagOf = () => '"2"';
    sampled.host.nameAt = (path) => `Changed at ${path}`;

    await sampled.round();

    expect(Object.values(await sampled.served()).every((name) => name.startsWith("Changed"))).toBe(true);
  });
});

describe("what changes all the time", () => {
  it("behind the same URLs is swept for once a day, and costs four fetches in every other round", async () => {
    const sampled = await start(40);
    let reads = 0;
    sampled.host.nameAt = (path) => `Read ${++reads} at ${path}`;

    expect((await sampled.round()).isSwept).toBe(true);
    for (let rounds = 0; rounds < 3; rounds++)
      expect(await sampled.round()).toMatchObject({ isSwept: false, documents: { length: FIRST } });

    await sampled.passHours(24);
    expect((await sampled.round()).isSwept).toBe(true);
  });

  it("in the URIs is swept for in two rounds, and then once a day; meanwhile some of the tokens are read", async () => {
    const sampled = await start(40);
    let reads = 0;
    sampled.contract.uriOf = (id) => `${sampled.url}/a/${id}?at=${++reads}`;

    expect((await sampled.round()).isSwept).toBe(true);
    expect((await sampled.round()).isSwept).toBe(true);
    const third = await sampled.round();
    expect(third.isSwept).toBe(false);
    expect(sampled.requests.slice(-DOCUMENTS_MAX).every(({ path }) => path.includes("?at="))).toBe(true);
    await sampled.passHours(24);
    expect((await sampled.round()).isSwept).toBe(true);
    expect((await sampled.round()).isSwept).toBe(false);

    // A round that finds nothing new ends the streak.
    const last = new Map(Object.keys(await sampled.served()).map((id) => [id, sampled.contract.uriOf(id)]));
    sampled.contract.uriOf = (id) => last.get(id) ?? "";
    await sampled.passHours(24);
    await sampled.round();
    expect((await sampled.round()).isSwept).toBe(false);
    sampled.contract.uriOf = (id) => `${sampled.url}/b/${id}`;
    expect((await sampled.round()).isSwept).toBe(true);
  });
});

describe("what can't be read is no change, and puts the round off", () => {
  it("a host that is away: no version, no failure on the token, and four requests at most", async () => {
    const sampled = await start(40);
    sampled.host.answer = (response) => response.writeHead(503).end();

    const { documents, isSwept } = await sampled.round();

    expect(documents.length).toBeLessThanOrEqual(FIRST);
    expect(isSwept).toBe(false);
    expect(await sampled.versions()).toHaveLength(40);
    const failed = await database.query("select from vitrine.token where last_outcome <> 'good'");
    expect(failed).toHaveLength(0);
    expect(await sampled.dueIn()).toBeLessThanOrEqual(600);
  });

  it("a paused host is not asked", async () => {
    const sampled = await start(40);
    await database.query(
      `insert into vitrine.host (host, failures, paused_until, reason)
       select distinct host, 5, now() + interval '1 hour', 'x' from vitrine.refresh`,
    );

    expect(await sampled.round()).toMatchObject({ begun: "postponed", documents: [], isSwept: false });
    expect((await readQueue(database)).filter(({ requested, done }) => requested > done)).toEqual([]);
    expect(await sampled.dueIn()).toBeLessThanOrEqual(600);
  });

  it("a node that is away", async () => {
    const sampled = await start(40);
    sampled.contract.answer = () => ({ kind: "unavailable", message: "away", answered: false });

    expect(await sampled.round()).toMatchObject({ begun: "node_away", documents: [], isSwept: false });
    expect(await sampled.dueIn()).toBeLessThanOrEqual(600);

    // It refuses every call, like a node without that block's state.
    sampled.contract.answer = () => ({ kind: "unavailable", message: "no", answered: true });
    expect(await sampled.round()).toMatchObject({ begun: "node_away", isSwept: false });
  });

  it("a contract that refuses for a moment", async () => {
    const sampled = await start(40);
    sampled.contract.answer = () => ({ kind: "reverted", message: "paused" });

    expect(await sampled.round()).toMatchObject({ begun: "unchanged", documents: [], isSwept: false });
    expect(await sampled.versions()).toHaveLength(40);
  });
});

describe("not sampled are", () => {
  it("tokens that are burned, that were never read, or that wait in the queue", async () => {
    const sampled = await start(10);
    const owner = "0x00000000000000000000000000000000000000aa";
    const state = { chainId: CHAIN_ID, collectionAddress: COLLECTION, standard: "erc721", lockCount: 0 };
    await test.insert("tokenState", { ...state, tokenId: 1n, burned: true });
    await test.insert("tokenState", { ...state, tokenId: 2n, owner, burned: false });
    await sampled.metadata.addKnownTokens(database, CHAIN_ID, COLLECTION, new Map([["11", 1]]));
    await ask(database, ["3"], { trigger: "mint" });
    await database.query(
      "update vitrine.refresh set not_before = now() + interval '1 hour' where token_id = 3",
    );
    sampled.contract.uriOf = (id) => `${sampled.url}/${id === "3" ? "b" : "a"}/${id}`;

    const { uris, isSwept } = await sampled.round();

    expect(uris).not.toContain("1");
    expect(uris).not.toContain("11");
    expect(uris).toContain("2");
    expect(isSwept).toBe(false);
    await database.query(`delete from ${test.tables.tokenState}`);
  });

  it("tokens that were read at a block that the index has not reached", async () => {
    const sampled = await start(10);
    await database.query("update vitrine.token set good_block = 11 where token_id > 5");

    expect((await sampled.round()).uris).toEqual(ids(5));
  });

  it("documents that their URIs name by content", async () => {
    const sampled = await startSampledCollection(test);
    const cid = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";
    sampled.contract.uriOf = (id) => `ipfs://${cid}/${id}`;
    await sampled.fill(ids(10));

    expect(await sampled.round()).toMatchObject({ begun: "unchanged", documents: [] });
    expect(await sampled.served()).toMatchObject({ 1: `Hero at /gateway/ipfs/${cid}/1` });
  });

  it("a collection that is being swept, or whose event waits to be handled", async () => {
    const sampled = await start(10);
    await test.insert("metadataUpdate", {
      id: "0".repeat(75),
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      source: "BatchMetadataUpdate",
      fromTokenId: 0n,
      toTokenId: 5n,
      scope: "range",
      blockNumber: 10n,
      blockHash: "0xa",
      blockTimestamp: 10n,
      transactionHash: "0xb",
      logIndex: 0,
    });
    sampled.contract.uriOf = (id) => `${sampled.url}/b/${id}`;

    expect(await sampled.round()).toMatchObject({ begun: "postponed", uris: [] });
    await sampled.handleTriggers();
    const swept = await sampled.round();
    expect(swept).toMatchObject({ begun: "postponed", uris: [], isSwept: false });

    await makeDue(database);
    await sampled.rest();
    expect((await sampled.round()).isSwept).toBe(true);
    await database.query(`delete from ${test.tables.metadataUpdate}`);
  });
});

it("a request for a sampled token is answered by an unconditional fetch", async () => {
  const sampled = await startSampledCollection(test);
  sampled.host.etagOf = () => '"1"';
  await sampled.fill(["1"]);

  for (const trigger of ["rest", "event", "sweep", "recheck"] as const) {
    await database.transaction(async (tx) => {
      await ask(tx, ["1"], { trigger: "sample" });
      await ask(tx, ["1"], { trigger });
    });
    await sampled.rest();
  }

  expect(sampled.requests.length).toBeGreaterThanOrEqual(4);
  for (const { headers } of sampled.requests) {
    expect(headers["if-none-match"]).toBeUndefined();
    expect(headers["cache-control"]).toBe("no-cache");
  }
});
