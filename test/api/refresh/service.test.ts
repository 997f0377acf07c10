import { beforeEach, describe, expect, it } from "vitest";
import type { LatestBlock } from "../../../src/api/chain/contract/read-block.ts";
import { createRateLimiter } from "../../../src/api/http/limits/rate-limiter.ts";
import { anonymousTokensLimit } from "../../../src/api/http/limits/tiers.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import type { ReadUri, UriRead } from "../../../src/api/metadata/uri/read-uri.ts";
import { createRefreshModule } from "../../../src/api/refresh/module.ts";
import type { CollectionConfig } from "../../../src/config.ts";
import { createFakeCalls, ownerOfOnly } from "../../support/chain/fake-contract.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
  readQueue,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const APP = { appId: "00000000-0000-4000-8000-000000000001" };
const OTHER_APP = { appId: "00000000-0000-4000-8000-000000000002" };
const collection: CollectionConfig = { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 };

const reverted: UriRead = { kind: "reverted", message: "tokenURI(1) reverted" };
const read = (standard: "erc721" | "erc1155"): UriRead => ({
  kind: "read",
  uri: "https://meta.example/1",
  standard,
});

type Contract = (tokenId: string) => UriRead;
interface Node {
  readonly latestBlock?: LatestBlock;
  readonly readUri?: ReadUri;
  readonly answers?: Parameters<typeof createFakeCalls>[1];
}

/** By default an ERC-721 contract that has exactly the tokens for which it has a URI. */
function createService(contract: Contract, { latestBlock, readUri, answers }: Node = {}) {
  const isOwned = (tokenId: string): boolean => {
    const uri = contract(tokenId);
    return uri.kind === "read" && uri.standard === "erc721";
  };
  const { calls, asked } = createFakeCalls(CHAIN_ID, answers ?? ownerOfOnly(isOwned));
  const { refresh: service } = createRefreshModule({
    database,
    metadata: createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables }),
    calls,
    readUri: readUri ?? (async ({ tokenId }) => contract(tokenId)),
    latestBlock: latestBlock ?? (async () => 500),
    tokenLimiter: createRateLimiter(database, anonymousTokensLimit),
  });
  return { service, asked };
}

const insertState = (tokenId: bigint, more: Record<string, unknown> = {}) =>
  test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId,
    standard: "erc721",
    burned: false,
    lockCount: 0,
    ...more,
  });

const known = async (): Promise<string[]> =>
  (
    await database.query<{ id: string }>("select token_id::text as id from vitrine.token order by token_id")
  ).map(({ id }) => id);

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate ${tables.tokenState}`);
});

describe("which tokens exist", () => {
  it("is known for those the chain has announced, without asking the contract", async () => {
    await insertState(1n);
    await database.query("insert into vitrine.token (chain_id, collection, token_id) values ($1, $2, 2)", [
      CHAIN_ID,
      COLLECTION,
    ]);
    const { service, asked } = createService(() => reverted);

    const { tokens } = await service.request(collection, ["1", "2"], { trigger: "rest", receiptFor: APP });

    expect(tokens).toEqual([
      { token_id: "1", status: "queued" },
      { token_id: "2", status: "queued" },
    ]);
    expect(asked).toEqual([]);
  });

  it("is asked of the contract for the rest, at the node's own head", async () => {
    const { service, asked } = createService((id) => (id === "1" ? read("erc721") : reverted));

    const { tokens, receiptId } = await service.request(collection, ["1", "2"], {
      trigger: "rest",
      receiptFor: APP,
    });

    expect(tokens.map(({ status }) => status)).toEqual(["queued", "not_found"]);
    expect(new Set(asked)).toEqual(
      new Set(["ownerOf(1)", "ownerOf(2)", "exists(2)", "nobody(2)", "totalSupply(2)"]),
    );
    expect(await readQueue(database)).toMatchObject([{ tokenId: "1", minBlock: 500 }]);
    expect((await service.findReceipt(receiptId ?? "", APP))?.tokens).toMatchObject([
      { token_id: "1", status: "queued", reason: null },
      { token_id: "2", status: "not_found", reason: "the contract has no such token" },
    ]);
  });

  it("is settled by an ERC-721 contract's answer, and not by an ERC-1155 one's, which answers for any id", async () => {
    const { service } = createService((id) => read(id === "1" ? "erc721" : "erc1155"));

    await service.request(collection, ["1", "2"], { trigger: "rest", receiptFor: APP });

    expect(await known()).toEqual(["1"]);
  });

  it.each([
    ["does not answer", { latestBlock: () => Promise.reject(new Error("no node")) }],
    [
      "fails",
      { readUri: async () => ({ kind: "unavailable" as const, message: "no answer", answered: false }) },
    ],
    ["breaks", { readUri: () => Promise.reject(new Error("no node")) }],
  ])("is left open while the node %s: the tokens are queued", async (_how, overrides) => {
    const { service } = createService(() => reverted, overrides);

    const { tokens } = await service.request(collection, ["1"], { trigger: "rest", receiptFor: APP });

    expect(tokens).toEqual([{ token_id: "1", status: "queued" }]);
    expect(await known()).toEqual([]);
  });
});

describe("a request", () => {
  it("for tokens that don't exist writes nothing", async () => {
    const { service } = createService(() => reverted);

    const { receiptId } = await service.request(collection, ["1", "2"], { trigger: "rest", receiptFor: APP });

    expect(receiptId).toBeUndefined();
    expect(await readQueue(database)).toEqual([]);
    expect(await database.query("select from vitrine.receipt")).toEqual([]);
    expect(await known()).toEqual([]);
  });

  it("is kept whole or not at all: no queue row without its receipt", async () => {
    const { service } = createService(() => read("erc721"));

    const failing = service.request(collection, ["1"], { trigger: "rest", receiptFor: { appId: "no uuid" } });

    await expect(failing).rejects.toThrow();
    expect(await readQueue(database)).toEqual([]);
  });

  it("leaves a receipt in request order that only its app can read", async () => {
    const { service } = createService(() => read("erc721"));

    const { receiptId } = await service.request(collection, ["9", "10", "1"], {
      trigger: "rest",
      receiptFor: APP,
    });

    const receipt = await service.findReceipt(receiptId ?? "", APP);
    expect(receipt?.tokens.map(({ token_id }) => token_id)).toEqual(["9", "10", "1"]);
    expect(receipt?.done).toBe(false);
    expect(await service.findReceipt(receiptId ?? "", OTHER_APP)).toBeUndefined();
  });

  it("of an anonymous caller needs no receipt", async () => {
    await insertState(1n);
    const { service } = createService(() => reverted);

    await service.request(collection, ["1"], { trigger: "graphql", client: "192.0.2.1" });

    expect(await database.query("select anonymous from vitrine.refresh")).toEqual([{ anonymous: true }]);
    expect(await database.query("select from vitrine.receipt")).toEqual([]);
  });

  it("that waits is answered when it is done, or as it stands when the time is over", async () => {
    await insertState(1n);
    const { service } = createService(() => reverted);
    const { receiptId = "" } = await service.request(collection, ["1"], { trigger: "rest", receiptFor: APP });

    expect((await service.waits.wait(receiptId, APP, 0.2))?.done).toBe(false);

    const waiting = service.waits.wait(receiptId, APP, 30);
    await database.query("update vitrine.receipt_token set status = 'updated'");
    expect((await waiting)?.tokens).toMatchObject([{ status: "updated" }]);
  });
});
