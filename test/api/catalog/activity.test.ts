import { beforeEach, describe, expect, it } from "vitest";
import { readChainActivity } from "../../../src/api/catalog/activity/activity-store.ts";
import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import {
  CHAIN_SCHEMA,
  checkpoint,
  countRowsRead,
  createTestDatabase,
} from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables, found, recordOne, ref } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables, url } = test;
const api = createTestApp(test);
const key = await api.createKey();
await createServingIndexes(url, CHAIN_SCHEMA);

const ZERO = `0x${"0".repeat(40)}`;
const [ALICE, BEN] = ["a1", "b1"].map((end) => `0x${end.padStart(40, "0")}`) as [string, string];
const HASH = `0x${"ab".repeat(32)}`;
const HUGE = 2n ** 256n - 1n;
// Long before any metadata is read.
const START = 1_700_000_000;

beforeEach(async () => {
  await emptyTables(database);
  await database.query(
    `truncate ${tables.tokenState}, ${tables.tokenTransfer}, ${tables.lockEvent}, ${tables.tokenRange}`,
  );
  for (const chainId of [CHAIN_ID, FAR_CHAIN_ID]) await test.setHead({ chainId, block: 100 });
});

interface At {
  readonly block: number;
  readonly log?: number;
  readonly part?: number | string;
  readonly chainId?: number;
  readonly collection?: string;
}
const eventAt = ({ block, log = 0, part, chainId = CHAIN_ID, collection = COLLECTION }: At) => ({
  id: checkpoint({ chainId, block, log, timestamp: START + block }) + (part === undefined ? "" : `-${part}`),
  chainId,
  collectionAddress: collection,
  blockNumber: block,
  blockTimestamp: START + block,
  transactionHash: HASH,
  logIndex: log,
});
const move = (at: At, from: string, to: string, tokenId = 1n, quantity = 1n) =>
  test.insert("tokenTransfer", { ...eventAt(at), tokenId, from, to, quantity });
const lock = (
  at: At,
  direction: "lock" | "unlock",
  tokenId: bigint | null = 1n,
  holder: string | null = null,
) =>
  test.insert("lockEvent", {
    ...eventAt(at),
    tokenId,
    holder,
    standard: "erc721x",
    direction,
    countAfter: 1,
    flagCountAfter: 1,
    followsDefault: false,
    anomaly: false,
  });
const token = (tokenId = 1n) =>
  test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId,
    standard: "erc721",
    owner: ALICE,
    burned: false,
    lockCount: 0,
  });
const rename = (name: string, tokenId = "1") =>
  database.transaction((tx) => recordOne(api.metadata, tx, ref(tokenId), "rest", found({ name })));

const OF_TOKEN = `/market/collections/${COLLECTION}/tokens/1/activity`;
const OF_COLLECTION = `/market/collections/${COLLECTION}/activity`;
const ofWallet = (wallet: string) => `/market/wallets/${wallet}/activity`;
const read = async (path: string, query = "") => (await api.call(`${path}${query}`, { key })).body;
interface Item {
  readonly type: string;
  readonly token_id: string | null;
  readonly block: number | null;
}
const brief = (body: { items: Item[] }): string[] =>
  body.items.map(({ type, token_id, block }) =>
    [type, token_id, ...(type === "metadata" ? [] : [block])].join(" "),
  );

/** All pages, joined; `between` runs after each. */
async function readAll(path: string, limit: number, query = "", between = async () => {}): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor = ""; ; ) {
    const body = await read(path, `?limit=${limit}${query}${cursor && `&cursor=${cursor}`}`);
    seen.push(...brief(body));
    await between();
    if (body.next_cursor === null) return seen;
    expect(body.items).toHaveLength(limit);
    cursor = body.next_cursor;
  }
}

/** A token's life, a neighbour's mint and a lock default. */
async function live(): Promise<void> {
  await token();
  await token(2n);
  await move({ block: 1 }, ZERO, ALICE);
  await move({ block: 2 }, ZERO, BEN, 2n);
  await lock({ block: 3 }, "lock", 1n, ALICE);
  await lock({ block: 4 }, "lock", null);
  await lock({ block: 5 }, "unlock", 1n, ALICE);
  await move({ block: 6, log: 9 }, ALICE, BEN);
  await move({ block: 6, log: 10 }, BEN, BEN);
  await move({ block: 7 }, BEN, ZERO);
  await rename("First");
  await rename("Second");
}

it("a token's activity is listed newest first, whole", async () => {
  await live();

  const body = await read(OF_TOKEN);

  expect(brief(body)).toEqual([
    "metadata 1",
    "metadata 1",
    "burn 1 7",
    "transfer 1 6",
    "transfer 1 6",
    "unlock 1 5",
    "lock 1 3",
    "mint 1 1",
  ]);
  expect(body.next_cursor).toBeNull();
  const place = { chain_id: CHAIN_ID, collection_address: COLLECTION, token_id: "1", last_token_id: null };
  const nobody = { from: null, to: null, quantity: null };
  expect(body.items[0]).toEqual({
    ...{ ...place, ...nobody, type: "metadata", block: expect.any(Number), transaction_hash: null },
    at: expect.stringMatching(/Z$/),
  });
  expect(body.items[4]).toEqual({
    ...{ ...place, type: "transfer", from: ALICE, to: BEN, quantity: "1", block: 6, transaction_hash: HASH },
    at: new Date((START + 6) * 1000).toISOString(),
  });
  expect(body.items[5]).toMatchObject({ ...nobody, type: "unlock", block: 5, transaction_hash: HASH });
});

it("a collection's has all of its tokens, and locks of all of them at once", async () => {
  await live();
  await move({ block: 8, chainId: FAR_CHAIN_ID }, ZERO, ALICE);

  expect(brief(await read(OF_COLLECTION, `?chain_id=${CHAIN_ID}&type=mint,lock`))).toEqual([
    "lock  4",
    "lock 1 3",
    "mint 2 2",
    "mint 1 1",
  ]);
});

it("a wallet's has what it sent and received on all chains, and locks of what it owned", async () => {
  await live();
  await move({ block: 8, chainId: FAR_CHAIN_ID, collection: FAR_COLLECTION }, ZERO, ALICE, 7n, HUGE);

  const body = await read(ofWallet(ALICE));
  expect(brief(body)).toEqual(["mint 7 8", "transfer 1 6", "unlock 1 5", "lock 1 3", "mint 1 1"]);
  expect(body.items[0].quantity).toBe(HUGE.toString());
  // A transfer to oneself is one.
  expect(brief(await read(ofWallet(BEN)))).toEqual(["burn 1 7", "transfer 1 6", "transfer 1 6", "mint 2 2"]);
  expect(brief(await read(ofWallet(ALICE), `?chain_id=${FAR_CHAIN_ID}`))).toEqual(["mint 7 8"]);
  expect(await readAll(ofWallet(ALICE), 1)).toEqual(brief(body));
});

it("a page of a wallet reads as many rows, however often the wallet sent to itself", async () => {
  await move({ block: 1 }, ZERO, BEN);
  await database.query(
    `insert into ${tables.tokenTransfer} (id, chain_id, collection_address, token_id, "from", "to", quantity,
                                          block_number, block_timestamp, transaction_hash, log_index)
     select $1 || '-' || lpad(nth::text, 4, '0'), $2, $3, 1, $4, $4, 1, 2, $5, $6, 0 from generate_series(1, 2000) nth`,
    [eventAt({ block: 2 }).id, CHAIN_ID, COLLECTION, BEN, START + 2, HASH],
  );
  const page = async (before: string, limit: number) => {
    const found: string[] = [];
    const rows = await database.transaction(
      (tx) =>
        countRowsRead(tx, [CHAIN_SCHEMA], async () => {
          const read = await readChainActivity(
            tx,
            tables,
            { of: "wallet", chainIds: [CHAIN_ID], wallet: BEN },
            { transferKinds: ["mint", "transfer", "burn"], lockDirections: [], before, limit },
          );
          found.push(...read.map(({ id }) => id));
        }),
      "byKey",
    );
    expect(rows).toBeLessThan(10 * limit);
    return found;
  };

  const first = await page("9", 20);
  expect(first.map((id) => id.slice(-4))).toEqual(
    Array.from({ length: 20 }, (_, nth) => String(2000 - nth).padStart(4, "0")),
  );
  expect((await page(first.at(-1) ?? "", 2)).map((id) => id.slice(-4))).toEqual(["1980", "1979"]);
});

it.each([1, 2, 3, 5])("pages of %i have every entry once, while more happens", async (limit) => {
  await live();
  const whole = [OF_TOKEN, OF_COLLECTION, ofWallet(BEN)];
  const expected = await Promise.all(whole.map(async (path) => brief(await read(path))));
  // Newer than the metadata, which is read now.
  let block = Math.floor(Date.now() / 1000) - START + 60;

  for (const [index, path] of whole.entries()) {
    const seen = await readAll(path, limit, "", async () => {
      await move({ block: block++ }, ALICE, BEN);
      await rename(`Name ${block}`);
    });
    // What happened since is newer than the first page.
    expect(seen.slice(-(expected[index]?.length ?? 0))).toEqual(expected[index]);
  }
});

it("events of one block are listed in their order, and those of one second after metadata", async () => {
  await token();
  for (let log = 0; log < 12; log++) await move({ block: 5, log }, ALICE, BEN, 1n, BigInt(log));
  await rename("Now");
  await database.query("update vitrine.version set fetched_at = to_timestamp($1) + interval '0.5 s'", [
    START + 5,
  ]);

  const quantities: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const body: { items: { quantity: string }[]; next_cursor: string | null } = await read(
      OF_TOKEN,
      `?limit=1${cursor && `&cursor=${cursor}`}`,
    );
    quantities.push(...body.items.map(({ quantity }) => quantity));
    cursor = body.next_cursor;
  }
  expect(quantities).toEqual([null, ...Array.from({ length: 12 }, (_, index) => String(11 - index))]);
});

it("a mint of a range is one entry of the collection, and one of each of its tokens", async () => {
  const at = eventAt({ block: 3 });
  await test.insert("tokenTransfer", {
    ...{ ...at, tokenId: 1n, lastTokenId: 6_000n, from: ZERO, to: ALICE, quantity: 6_000n },
  });
  await test.insert("tokenRange", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    fromTokenId: 1n,
    toTokenId: 6_000n,
    owner: ALICE,
    transferId: at.id,
    mintedBlock: 3,
    mintedLog: 0,
    blockTimestamp: at.blockTimestamp,
    transactionHash: HASH,
  });

  const mint = { type: "mint", from: ZERO, to: ALICE, block: 3 };
  expect((await read(OF_COLLECTION)).items).toEqual([
    expect.objectContaining({ ...mint, token_id: "1", last_token_id: "6000", quantity: "6000" }),
  ]);
  for (const id of ["1", "4500", "6000"]) {
    const { items } = await read(`/market/collections/${COLLECTION}/tokens/${id}/activity`);
    expect(items).toEqual([
      expect.objectContaining({ ...mint, token_id: id, last_token_id: null, quantity: "1" }),
    ]);
  }
  expect((await read(OF_TOKEN, "?type=burn,transfer")).items).toEqual([]);
});

it("metadata of a token without a transfer is shown to nobody", async () => {
  await rename("Hidden", "9");
  await database.query("update vitrine.token set unseen = true where token_id = 9");

  expect((await read(OF_COLLECTION)).items).toEqual([]);
});

it("what cannot be listed is refused by name", async () => {
  await live();
  const { next_cursor: cursor } = await read(OF_TOKEN, "?limit=1");
  const refused = async (path: string, query = "") => {
    const { status, body } = await api.call(`${path}${query}`, { key });
    return [status, body.code, ...(body.details ?? []).slice(0, 1).map(({ path }: { path: string }) => path)];
  };

  expect(await refused(OF_TOKEN.replace("tokens/1", "tokens/3"))).toEqual([404, "TOKEN_NOT_FOUND"]);
  expect(await refused(OF_COLLECTION.replace(COLLECTION, BEN))).toEqual([404, "COLLECTION_NOT_FOUND"]);
  const invalid = [400, "INVALID_REQUEST"];
  expect(await refused(OF_TOKEN, "?limit=101")).toEqual([...invalid, "limit"]);
  expect(await refused(OF_TOKEN, "?type=mint,sale")).toEqual([...invalid, "type"]);
  expect(await refused(ofWallet(BEN), "?type=metadata")).toEqual([...invalid, "type"]);
  expect(await refused(ofWallet(BEN), "?chain_id=5")).toEqual([...invalid, "chain_id"]);
  expect(await refused(OF_COLLECTION, `?cursor=${cursor}`)).toEqual([...invalid, "cursor"]);
  expect(await refused(OF_TOKEN, `?cursor=${cursor}&type=mint`)).toEqual([...invalid, "cursor"]);
  expect(await refused(OF_TOKEN, "?cursor=WzFd")).toEqual([...invalid, "cursor"]);
  const forged = Buffer.from(JSON.stringify(["x", { event: "1\0" }])).toString("base64url");
  expect(await refused(OF_TOKEN, `?cursor=${forged}`)).toEqual([...invalid, "cursor"]);
  expect((await api.call(OF_TOKEN)).body.code).toBe("KEY_MISSING");
});

describe("a cursor of a metadata change", () => {
  /** The first page's, with another time. */
  async function cursorAt(at: string): Promise<string> {
    await live();
    const { next_cursor: cursor } = await read(OF_TOKEN, "?limit=1");
    const [list] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Buffer.from(JSON.stringify([list, { at, version: "1" }])).toString("base64url");
  }

  it.each([
    ["in a month that does not exist", "2024-19-01T12:00:00.000000Z"],
    ["in a month 0", "2024-00-10T12:00:00.000000Z"],
    ["on a day that its month lacks", "2024-02-30T12:00:00.000000Z"],
    ["on a day that only leap years have", "2023-02-29T12:00:00.000000Z"],
    ["at an hour that no day has", "2024-01-31T25:00:00.000000Z"],
    ["in the year 0, which PostgreSQL does not know", "0000-01-01T00:00:00.000000Z"],
    ["of less precision than ours", "2024-01-31T12:00:00Z"],
  ])("is refused %s", async (_title, at) => {
    const { status, body } = await api.call(`${OF_TOKEN}?cursor=${await cursorAt(at)}`, { key });

    expect([status, body.code, body.details]).toEqual([
      400,
      "INVALID_REQUEST",
      [{ path: "cursor", message: "cursor is not one that an answer gave as next_cursor" }],
    ]);
  });

  it.each(["2024-02-29T23:59:59.999999Z", "0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"])(
    "may be of %s",
    async (at) => {
      expect((await api.call(`${OF_TOKEN}?cursor=${await cursorAt(at)}`, { key })).status).toBe(200);
    },
  );
});
