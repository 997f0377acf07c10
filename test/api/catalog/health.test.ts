import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { createHealth } from "../../../src/api/catalog/health/health.ts";
import { type Affected, countCauses } from "../../../src/api/catalog/health/health-store.ts";
import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import type { Database, Queryable } from "../../../src/api/db/database.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import type { Resolution } from "../../../src/api/metadata/uri/resolve.ts";
import { CHAIN_SCHEMA, countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
  found,
  ref,
} from "../../support/refresh/refresh.ts";
import { createTriggerSetup } from "../../support/refresh/triggers.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const setup = createTriggerSetup(test);
const metadata = createMetadata({ resolve: createFakeResolve(() => found({})).resolve, tables });

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate vitrine.media, ${tables.collectionState}, ${tables.tokenState}`);
  await setup.clear();
});

/** Another app for each test, since counts are shared for ten seconds. */
async function open() {
  const api = createTestApp(test);
  const key = await api.createKey();
  return (query = "", headers: Record<string, string> = {}) =>
    api.call(`/market-partner/collections/${COLLECTION}/health?chain_id=${CHAIN_ID}${query && `&${query}`}`, {
      key,
      headers,
    });
}

const record = (tokenId: string, resolution: Resolution) =>
  database.transaction((tx) =>
    metadata.recordAll(tx, [{ token: ref(tokenId), trigger: "rest", resolution }]),
  );
const good = (tokenId: string) => found({ name: `Hero ${tokenId}`, image: "https://img.example/1.png" });

async function know(count: number): Promise<void> {
  await setup.know(Object.fromEntries(Array.from({ length: count }, (_, id) => [String(id), null])));
  await test.insert("collectionState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    standard: "erc721",
    items: count,
    owners: 1,
  });
}

const probed = (url: string, status: string, reason: string | null, kind = "image") =>
  database.query(
    "insert into vitrine.media (kind, url_hash, url, host, status, reason) values ($1, $2, $3, 'img.example', $4, $5)",
    [kind, createHash("sha256").update(url).digest(), url, status, reason],
  );
const reject = (url: string, reason: string, kind = "image") => probed(url, "rejected", reason, kind);

describe("the health of a collection", () => {
  it("counts tokens by cause: failed reads, issues of documents and rejected pictures", async () => {
    await know(6);
    await record("0", good("0"));
    await record("1", found({ image: "ipfs:" }));
    await record("2", found({ image: "https://img.example/2.png" }));
    await record("3", failed("http_status"));
    await record("4", failed("timeout"));
    await reject("https://img.example/2.png", "image_too_small: 10x10, at least 480x480");
    await reject("https://img.example/1.png", "video_too_small: 10x10, at least 480x480", "video");

    const { status, body, headers } = await (await open())();

    expect([status, headers.get("etag")]).toEqual([200, expect.stringMatching(/^W\//)]);
    expect(body).toEqual({
      chain_id: CHAIN_ID,
      collection_address: COLLECTION,
      tokens: 6,
      current: 3,
      failed: 2,
      unread: 1,
      rejected_images: 1,
      contract_document: null,
      issues: [
        { code: "missing_name", kind: "document", count: 2, examples: ["1", "2"] },
        { code: "unusable_image", kind: "document", count: 1, examples: ["1"] },
        { code: "image_too_small", kind: "image", count: 1, examples: ["2"] },
        { code: "http_status", kind: "read", count: 1, examples: ["3"] },
        { code: "timeout", kind: "read", count: 1, examples: ["4"] },
      ],
    });
  });

  it("counts the images that are still shown although their host no longer gives them", async () => {
    await know(4);
    for (const id of ["0", "1", "2", "3"])
      await record(id, found({ name: `Hero ${id}`, image: `https://img.example/${id}.png` }));
    await probed("https://img.example/0.png", "accepted", null);
    await probed("https://img.example/1.png", "accepted", "http_status: the host answered 404");
    await probed("https://img.example/2.png", "accepted", "http_status: the host answered 500; trying again");
    await reject("https://img.example/3.png", "http_status: the host answered 404");
    await probed("https://img.example/1.png", "accepted", "http_status: the host answered 404", "video");

    const ask = await open();
    expect((await ask()).body).toMatchObject({
      current: 4,
      rejected_images: 1,
      issues: [
        { code: "http_status", kind: "image", count: 1, examples: ["3"] },
        { code: "http_status", kind: "stale_image", count: 1, examples: ["1"] },
      ],
    });
    expect((await ask("cause=http_status")).body.items).toEqual([
      { token_id: "1", kind: "stale_image", reason: "http_status: the host answered 404" },
      { token_id: "3", kind: "image", reason: "http_status: the host answered 404" },
    ]);
  });

  it.each([
    ["image", "rejected"],
    ["stale_image", "accepted"],
  ])("pages through the tokens of a picture that more than 10,000 share: %s", async (kind, status) => {
    await know(10_003);
    await record("0", good("0"));
    const reason = "http_status: the host answered 404";
    await probed("https://img.example/1.png", status, reason);
    await database.query(
      `update vitrine.token t set image_key = o.image_key, last_outcome = 'updated'
         from vitrine.token o where o.collection = $1 and o.token_id = 0 and t.collection = $1`,
      [COLLECTION],
    );
    const ask = await open();

    const first = await ask("cause=http_status&limit=2");
    const next = await ask(`cause=http_status&limit=2&cursor=${first.body.next_cursor}`);

    expect(first.body.issues).toEqual([
      { code: "http_status", kind, count: 10_003, examples: ["0", "10002"] },
    ]);
    expect([...first.body.items, ...next.body.items]).toEqual(
      ["0", "1", "2", "3"].map((token_id) => ({ token_id, kind, reason })),
    );
  });

  it("counts the ERC-1155 tokens that were announced by minting none of them", async () => {
    await setup.know({ "0": null, "1": null, "2": null });
    const at = { chainId: CHAIN_ID, collectionAddress: COLLECTION };
    // Of tokens with a supply alone.
    await test.insert("collectionState", { ...at, standard: "erc1155", items: 1, owners: 1 });
    for (const [tokenId, supply] of [5n, 0n, 0n].entries())
      await test.insert("tokenState", {
        ...at,
        tokenId: BigInt(tokenId),
        standard: "erc1155",
        supply,
        burned: false,
        lockCount: 0,
      });
    await test.insert("tokenState", {
      ...at,
      tokenId: 3n,
      standard: "erc1155",
      supply: 0n,
      burned: true,
      lockCount: 0,
    });
    await record("0", good("0"));
    await record("1", failed("http_status"));

    expect((await (await open())()).body).toMatchObject({ tokens: 3, current: 1, failed: 1, unread: 1 });
  });

  it("reads of a large ERC-1155 collection's tokens only those without a supply", async () => {
    const at = { chainId: CHAIN_ID, collectionAddress: COLLECTION };
    await test.insert("collectionState", { ...at, standard: "erc1155", items: 4_990, owners: 1 });
    await database.query(
      `insert into ${tables.tokenState} (chain_id, collection_address, token_id, standard, supply, burned, lock_count)
       select $1, $2, nth, 'erc1155', case when nth > 10 then 1 else 0 end, false, 0 from generate_series(1, 5000) nth`,
      [CHAIN_ID, COLLECTION],
    );
    await createServingIndexes(test.url, CHAIN_SCHEMA);
    await database.query(`analyze ${tables.tokenState}`);

    const rows = await database.transaction((tx) =>
      countRowsRead(tx, [CHAIN_SCHEMA], async () => {
        const within = { transaction: <Result>(work: (tx: Queryable) => Promise<Result>) => work(tx) };
        const counted = await countCauses(within, tables, { chainId: CHAIN_ID, address: COLLECTION });
        expect(counted.tokens).toBe(5_000);
      }),
    );

    expect(rows).toBeLessThan(100);
  });

  it("forgets what was mended, and leaves out burned tokens and those of no transfer", async () => {
    await know(4);
    for (const id of ["0", "1", "2", "3"]) await record(id, found({ image: "https://img.example/1.png" }));
    await record("0", good("0"));
    await database.query("update vitrine.token set unseen = true where token_id = 1");
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId: 2n,
      standard: "erc721",
      burned: true,
      lockCount: 0,
    });

    const ask = await open();
    expect((await ask()).body.issues).toEqual([
      { code: "missing_name", kind: "document", count: 1, examples: ["3"] },
    ]);
    expect((await ask("cause=missing_name")).body.items).toEqual([
      { token_id: "3", kind: "document", reason: expect.stringMatching(/^missing_name: name /) },
    ]);
  });

  it("says where in the document the problem is, and names the field once", async () => {
    await know(1);
    const image = "https://img.example/1.png";
    await record(
      "0",
      found({
        image,
        attributes: [
          { trait_type: "Level", value: "7", display_type: "number" },
          { trait_type: "Born", value: 0.5, display_type: "date" },
        ],
      }),
    );
    const ask = await open();
    const reasonOf = async (code: string) => (await ask(`cause=${code}`)).body.items[0].reason;

    expect(await reasonOf("missing_name")).toBe("missing_name: name is required; it is missing");
    expect(await reasonOf("value_mismatch")).toBe(
      "value_mismatch: attributes[0].value must be a number for display_type number; it is a string",
    );
    expect(await reasonOf("invalid_date")).toMatch(
      /^invalid_date: attributes\[1\]\.value: a date is a whole number/,
    );

    await record("0", found({ name: "Hero", image, properties: { a: true } }));
    const again = await open();
    expect((await again("cause=invalid_property")).body.items[0].reason).toBe(
      "invalid_property: properties.a: a property must be a string or a number; it is a boolean",
    );
  });

  it("shows the first issue with the code, whatever others say, of a document with U+0000", async () => {
    await know(1);
    await record("0", found({ name: "Hero", image: "https://img.example/1.png", properties: { a: true } }));
    const issues = [
      { code: "missing_value", level: "warning", path: "\u0000", message: '"code":"invalid_property"\u0000' },
      { code: "invalid_property", level: "warning", path: "properties.b\u0000", message: "the first" },
      { code: "invalid_property", level: "warning", path: "properties.a", message: "the second" },
    ];
    await database.query("update vitrine.version set issues = $1", [JSON.stringify(issues)]);
    const { body } = await (await open())("cause=invalid_property");
    expect(body.items[0].reason).toBe("invalid_property: properties.b\u0000: the first");
  });

  it("reads of each document the issue that it shows, and no other", async () => {
    const properties = Object.fromEntries(Array.from({ length: 150 }, (_, nth) => [`Property ${nth}`, {}]));
    await know(2);
    for (const id of ["0", "1"])
      await record(id, found({ name: "Hero", image: "https://img.example/1.png", properties }));
    let longest = 0;
    const counting: Database = {
      ...database,
      async query<Row>(...asked: Parameters<Database["query"]>) {
        const rows = await database.query<Row>(...asked);
        longest = Math.max(longest, ...rows.map((row) => JSON.stringify(row).length));
        return rows;
      },
    };
    const health = createHealth({ database: counting, tables });
    const listed: Affected[] = [];
    for await (const batch of health.listAll({ chainId: CHAIN_ID, address: COLLECTION }, "invalid_property"))
      listed.push(...batch);
    expect(listed).toHaveLength(2);
    expect(longest).toBeLessThan(500);
  });

  it("lists the tokens with a cause, page by page, each once, and of one code all kinds", async () => {
    await know(7);
    for (const id of ["0", "2", "4", "6"]) await record(id, failed("http_status"));
    for (const id of ["1", "4"]) await record(id, good(id));
    await reject("https://img.example/1.png", "http_status: the host answered 404");
    await record("4", failed("http_status"));

    const ask = await open();
    const listed: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const { body } = await ask(`cause=http_status&limit=2${cursor && `&cursor=${cursor}`}`);
      expect(body.issues.map(({ code, kind }: { code: string; kind: string }) => [code, kind])).toEqual([
        ["http_status", "read"],
        ["http_status", "image"],
      ]);
      listed.push(
        ...body.items.map(({ token_id, kind }: { token_id: string; kind: string }) => `${token_id} ${kind}`),
      );
      cursor = body.next_cursor;
    }

    expect(listed).toEqual(["0 read", "1 image", "2 read", "4 image", "4 read", "6 read"]);
    expect((await ask("cause=no_such_code")).body).toMatchObject({
      issues: [],
      items: [],
      next_cursor: null,
    });
  });

  it("exports the tokens with a cause as CSV and as lines of JSON, in full", async () => {
    await know(12_001);
    await database.query(
      `update vitrine.token set last_outcome = 'failed', last_reason = 'http_status: =1+1, "404"'
        where collection = $1`,
      [COLLECTION],
    );
    const ask = await open();
    const lines = async (query: string) => {
      const api = createTestApp(test);
      const path = `/market-partner/collections/${COLLECTION}/health?chain_id=${CHAIN_ID}&${query}`;
      const init = { headers: { "x-api-key": await api.createKey() } };
      return (
        await api.app.request(path, init, { incoming: { socket: { remoteAddress: "127.0.0.1" } } })
      ).text();
    };

    const csv = await ask("cause=http_status&format=csv");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toContain("http_status.csv");
    const table = csv.text.split("\r\n");
    expect(table.slice(0, 2)).toEqual([
      "token_id,kind,code,reason",
      '0,read,http_status,"http_status: =1+1, ""404"""',
    ]);
    expect(new Set(table.slice(1, -1)).size).toBe(12_001);

    const rows = (await lines("cause=http_status&format=ndjson")).trimEnd().split("\n");
    expect(rows).toHaveLength(12_001);
    expect(JSON.parse(rows[12_000] ?? "")).toMatchObject({ token_id: "12000", kind: "read" });
  });

  it.each([
    ["text/csv", "cause=timeout&format=csv", 200],
    ["text/*", "cause=timeout&format=csv", 200],
    ["application/x-ndjson", "cause=timeout&format=ndjson", 200],
    ["text/html, */*;q=0.1", "cause=timeout&format=ndjson", 200],
    ["application/json", "cause=timeout", 200],
    ["application/json", "", 200],
    ["*/*", "", 200],
    ["application/json charset=utf-8", "cause=timeout", 200],
    ["text/csv charset=utf-8", "cause=timeout&format=csv", 406],
    ["application/json", "cause=timeout&format=csv", 406],
    ["text/csv", "cause=timeout&format=ndjson", 406],
    ["text/csv", "cause=timeout", 406],
    ["text/csv", "", 406],
  ])("answers a client that accepts %s and asks for %j with %i", async (accept, query, expected) => {
    await know(1);
    const { status, body } = await (await open())(query, { accept });

    expect(status).toBe(expected);
    if (status === 406) expect(body).toMatchObject({ code: "NOT_ACCEPTABLE", details: [{ path: "accept" }] });
  });

  it("names what a client must accept for a format, and what it accepts instead", async () => {
    const { body } = await (await open())("cause=timeout&format=csv", { accept: "application/json" });

    expect(body.details).toEqual([
      { path: "accept", message: 'must allow text/csv; received "application/json"' },
    ]);
  });

  it("needs a key, and counts each request once", async () => {
    const path = `/market-partner/collections/${COLLECTION}/health?chain_id=${CHAIN_ID}`;
    const api = createTestApp(test);
    const key = await api.createKey();

    expect((await api.call(path)).status).toBe(401);
    const remaining = async () => Number((await api.call(path, { key })).headers.get("ratelimit-remaining"));
    expect((await remaining()) - (await remaining())).toBe(1);
  });

  it.each([
    ["cause=Missing%20Name", "cause"],
    ["cause=missing_name&cursor=abc", "cursor"],
    ["cursor=abc", "cursor"],
    ["format=csv", "format"],
    ["format=xml&cause=timeout", "format"],
    ["causes=timeout", "causes"],
  ])("refuses %s, naming the parameter", async (query, path) => {
    const { status, body } = await (await open())(query);

    expect([status, body.code, body.details[0].path]).toEqual([400, "INVALID_REQUEST", path]);
  });

  it("takes a cursor for its own list only", async () => {
    await know(3);
    for (const id of ["0", "1", "2"]) await record(id, failed("timeout"));
    const ask = await open();
    const { body } = await ask("cause=timeout&limit=1");

    const other = await ask(`cause=http_status&cursor=${body.next_cursor}`);
    expect([other.status, other.body.details[0].path]).toEqual([400, "cursor"]);
  });
});

it("counts that take long, of however many collections, leave connections for everything else", async () => {
  await know(1);
  const health = createHealth({ database, tables });
  const collections = Array.from({ length: 4 }, (_, nth) => ({
    chainId: CHAIN_ID,
    address: COLLECTION.replace(/.$/, String(nth)),
  }));
  const counts: Promise<unknown>[] = [];

  const answered = await database.transaction(async (tx) => {
    await tx.query("lock table vitrine.token in access exclusive mode");
    counts.push(...collections.map((each) => health.read(each)));
    await sleep(300);
    const others = Promise.all(Array.from({ length: 5 }, () => database.query("select pg_sleep(0.1)")));
    return Promise.race([others.then(() => true), sleep(3_000).then(() => false)]);
  });

  expect(answered).toBe(true);
  expect(await Promise.all(counts)).toHaveLength(collections.length);
});
