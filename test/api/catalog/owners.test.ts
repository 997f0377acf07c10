import { beforeEach, describe, expect, it } from "vitest";
import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import { CHAIN_SCHEMA, checkpoint, createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables, url } = test;
const api = createTestApp(test);
const key = await api.createKey();
await createServingIndexes(url, CHAIN_SCHEMA);

const wallet = (end: string): string => `0x${end.padStart(40, "0")}`;
const [ZERO, ALICE, BEN, CY, DOT] = ["0", "a1", "b1", "c1", "d1"].map(wallet) as [
  ...[string, string, string, string, string],
];
const HASH = `0x${"ab".repeat(32)}`;
const HUGE = 2n ** 256n - 1n;

beforeEach(async () => {
  await database.query(
    `truncate ${tables.tokenTransfer}, ${tables.tokenRange}, ${tables.tokenBalance}, ${tables.collectionState},
              ${tables.collectionHolder}, ${tables.checkpoint}`,
  );
  for (const chainId of [CHAIN_ID, FAR_CHAIN_ID]) await test.setHead({ chainId, block: 100 });
});

const heroes = { chainId: CHAIN_ID, collectionAddress: COLLECTION };
const items = { chainId: FAR_CHAIN_ID, collectionAddress: FAR_COLLECTION };

async function holders(counts: Readonly<Record<string, number>>): Promise<void> {
  const owners = Object.values(counts).filter((tokens) => tokens > 0).length;
  await test.insert("collectionState", { ...heroes, standard: "erc721", items: 100, owners });
  for (const [holder, tokens] of Object.entries(counts))
    await test.insert("collectionHolder", { ...heroes, holder, tokens });
}
const balance = (tokenId: bigint, holder: string, amount: bigint) =>
  test.insert("tokenBalance", { ...items, tokenId, holder, balance: amount });

let log = 0;
const move = (block: number, from: string, to: string, tokenId: bigint, quantity = 1n, at = heroes) =>
  test.insert("tokenTransfer", {
    ...at,
    id: checkpoint({ chainId: at.chainId, block, timestamp: block, log: log++ }),
    tokenId,
    from,
    to,
    quantity,
    blockNumber: block,
    blockTimestamp: block,
    transactionHash: HASH,
    logIndex: 0,
  });

const ask = (query = "", address = COLLECTION) =>
  api.call(`/market/collections/${address}/owners${query}`, { key });
const ofItems = (query = "") => ask(query, FAR_COLLECTION);
interface Body {
  readonly items: { readonly owner: string; readonly quantity: string }[];
}
const pairs = ({ items: rows }: Body) => rows.map(({ owner, quantity }) => [owner, quantity]);

/** All pages of one owner each. */
async function readAll(read: typeof ofItems, query = ""): Promise<string[][]> {
  const seen: string[][] = [];
  for (let cursor = ""; ; ) {
    const { body } = await read(`?limit=1${query}${cursor && `&cursor=${cursor}`}`);
    seen.push(...pairs(body));
    if (body.next_cursor === null) return seen;
    cursor = body.next_cursor;
  }
}

describe("the owners of a collection", () => {
  it("of ERC-721 come with their number of tokens, largest first, each on one page", async () => {
    await holders({ [DOT]: 3, [ALICE]: 1, [BEN]: 12, [CY]: 3, [wallet("e1")]: 0 });

    const { status, body } = await ask();

    expect(status).toBe(200);
    expect(body).toEqual({
      items: [
        { owner: BEN, quantity: "12" },
        { owner: CY, quantity: "3" },
        { owner: DOT, quantity: "3" },
        { owner: ALICE, quantity: "1" },
      ],
      next_cursor: null,
      total: 4,
      as_of_block: 100,
    });
    expect(await readAll(ask)).toEqual(pairs(body));
  });

  it("of ERC-1155 come with the sum of their balances, which may exceed any integer", async () => {
    await test.insert("collectionState", { ...items, standard: "erc1155", items: 2, owners: 3 });
    await balance(1n, ALICE, 2n);
    await balance(2n, ALICE, 5n);
    await balance(1n, BEN, HUGE);
    await balance(2n, BEN, HUGE);
    await balance(1n, CY, 7n);
    await balance(1n, DOT, 0n);

    const { body } = await ofItems();

    expect(pairs(body)).toEqual([
      [BEN, (2n * HUGE).toString()],
      [ALICE, "7"],
      [CY, "7"],
    ]);
    expect(body.total).toBe(3);
    expect(await readAll(ofItems)).toEqual(pairs(body));
  });

  it("are none before the first transfer", async () => {
    const none = { items: [], next_cursor: null, total: 0 };
    expect((await ask()).body).toEqual({ ...none, as_of_block: 100 });
    expect((await ask("?at_block=5")).body).toEqual({ ...none, as_of_block: 5 });
    await database.query(`truncate ${tables.checkpoint}`);
    expect((await ask()).body).toEqual({ ...none, as_of_block: null });
    expect((await ask("?at_block=5")).body.code).toBe("UNAVAILABLE");
  });
});

describe("the owners at a block", () => {
  it("of ERC-721 are the receivers of the last transfers until then", async () => {
    await test.insert("collectionState", { ...heroes, standard: "erc721", items: 2, owners: 2 });
    await move(10, ZERO, ALICE, 1n);
    await move(10, ZERO, ALICE, 2n);
    await move(11, ALICE, BEN, 1n);
    await move(11, BEN, CY, 1n);
    await move(12, ALICE, ZERO, 2n);
    await move(13, ZERO, BEN, 2n);

    const at = async (block: number) => pairs((await ask(`?at_block=${block}`)).body);
    expect(await at(9)).toEqual([]);
    expect(await at(10)).toEqual([[ALICE, "2"]]);
    expect(await at(11)).toEqual([
      [ALICE, "1"],
      [CY, "1"],
    ]);
    expect(await at(12)).toEqual([[CY, "1"]]);
    expect(await at(100)).toEqual([
      [BEN, "1"],
      [CY, "1"],
    ]);
    expect(await readAll(ask, "&at_block=11")).toEqual(await at(11));
  });

  it("include tokens of a range that have not moved until then", async () => {
    await test.insert("collectionState", { ...heroes, standard: "erc721", items: 6_000, owners: 2 });
    const minted = { ...heroes, blockTimestamp: 10, transactionHash: HASH };
    await test.insert("tokenTransfer", {
      ...{
        ...minted,
        id: "range",
        tokenId: 1n,
        lastTokenId: 6_000n,
        from: ZERO,
        to: ALICE,
        quantity: 6_000n,
      },
      ...{ blockNumber: 10, logIndex: 0 },
    });
    await test.insert("tokenRange", {
      ...{ ...minted, fromTokenId: 1n, toTokenId: 6_000n, owner: ALICE, transferId: "range" },
      ...{ mintedBlock: 10, mintedLog: 0 },
    });
    await move(11, ALICE, BEN, 6_000n);
    await move(12, BEN, ALICE, 6_000n);
    await move(13, ALICE, ZERO, 1n);

    const at = async (block: number) => pairs((await ask(`?at_block=${block}`)).body);
    expect(await at(9)).toEqual([]);
    expect(await at(10)).toEqual([[ALICE, "6000"]]);
    expect(await at(11)).toEqual([
      [ALICE, "5999"],
      [BEN, "1"],
    ]);
    expect(await at(12)).toEqual([[ALICE, "6000"]]);
    expect(await at(13)).toEqual([[ALICE, "5999"]]);
  });

  it("of 1,000 ranges with 40,000 moved tokens are read within a statement's time", async () => {
    await test.insert("collectionState", { ...heroes, standard: "erc721", items: 6_000_000, owners: 2 });
    const at = [CHAIN_ID, COLLECTION, ALICE];
    // A gap of ten tokens follows each range.
    await database.query(
      `insert into ${tables.tokenRange} (chain_id, collection_address, from_token_id, to_token_id, owner, transfer_id,
                                         minted_block, minted_log, block_timestamp, transaction_hash)
       select $1, $2, nth * 6010, nth * 6010 + 5999, $3, 'range' || nth, case nth when 999 then 60 else 10 end, 0, 10, '0x'
         from generate_series(0, 999) nth`,
      at,
    );
    // In each range but the last, the first 39 and the last moved; in each gap, the first, which was minted there.
    await database.query(
      `insert into ${tables.tokenTransfer} (id, chain_id, collection_address, token_id, "from", "to", quantity,
                                            block_number, block_timestamp, transaction_hash, log_index)
       select lpad(11::text, 10, '0') || '-' || nth || '-' || token, $1, $2, nth * 6010 + token, $3, $4, 1, 11, 11, '0x', 0
         from generate_series(0, 998) nth, lateral (select generate_series(0, 38) union all values (5999), (6000)) t(token)`,
      [...at, BEN],
    );
    await database.query(`analyze ${tables.tokenRange}, ${tables.tokenTransfer}`);

    const { status, body } = await ask("?at_block=50");
    expect(status).toBe(200);
    expect(pairs(body)).toEqual([
      [ALICE, String(999 * (6_000 - 40))],
      [BEN, String(999 * 41)],
    ]);
    expect(pairs((await ask("?at_block=60")).body)[0]).toEqual([ALICE, String(999 * (6_000 - 40) + 6_000)]);
  });

  it("of ERC-1155 have what they received until then, less what they sent", async () => {
    await test.insert("collectionState", { ...items, standard: "erc1155", items: 2, owners: 2 });
    await move(10, ZERO, ALICE, 1n, 10n, items);
    await move(10, ZERO, ALICE, 2n, HUGE, items);
    await move(11, ALICE, BEN, 1n, 4n, items);
    await move(11, BEN, BEN, 1n, 3n, items);
    // From before the first indexed block: sent, and never received.
    await move(11, CY, BEN, 3n, 1n, items);
    await move(12, ALICE, ZERO, 2n, HUGE, items);
    await move(13, BEN, ALICE, 1n, 4n, items);

    const at = async (block: number) => pairs((await ofItems(`?at_block=${block}`)).body);
    expect(await at(11)).toEqual([
      [ALICE, (HUGE + 6n).toString()],
      [BEN, "5"],
    ]);
    expect(await at(12)).toEqual([
      [ALICE, "6"],
      [BEN, "5"],
    ]);
    expect(await at(13)).toEqual([
      [ALICE, "10"],
      [BEN, "1"],
    ]);
    expect(await readAll(ofItems, "&at_block=11")).toEqual(await at(11));
  });

  it("are refused for a block that is not indexed, and a cursor of another block", async () => {
    await holders({ [ALICE]: 2, [BEN]: 1 });
    const { next_cursor: cursor } = (await ask("?limit=1")).body;
    const refused = async (query: string) => {
      const { status, body } = await ask(query);
      return [status, body.code, body.details?.[0]?.path, body.details?.[0]?.message];
    };

    const invalid = [400, "INVALID_REQUEST"];
    expect(await refused("?at_block=101")).toEqual([
      ...[...invalid, "at_block", "block 101 is not indexed yet; the newest indexed block is 100"],
    ]);
    for (const query of ["?at_block=-1", "?at_block=latest", "?at_block=1e3"])
      expect((await refused(query)).slice(0, 3)).toEqual([...invalid, "at_block"]);
    for (const query of [`?at_block=5&cursor=${cursor}`, `?cursor=${cursor}x`, "?cursor=e30"])
      expect((await refused(query)).slice(0, 3)).toEqual([...invalid, "cursor"]);
    expect((await ask("", wallet("9"))).body.code).toBe("COLLECTION_NOT_FOUND");
  });
});

it("a process reads the owners at a block for four requests at once, and refuses the fifth; the current ones go on", async () => {
  await holders({ [ALICE]: 1 });
  await move(1, ZERO, ALICE, 1n);
  const waiting: ReturnType<typeof ask>[] = [];
  await database.transaction(async (tx) => {
    await tx.query(`lock table ${tables.tokenTransfer} in access exclusive mode`);
    for (let nth = 0; nth < 5; nth++) waiting.push(ask("?at_block=50"));
    const refused = await Promise.race(waiting);
    expect([refused.status, refused.body.code]).toEqual([429, "RATE_LIMITED"]);
    expect(refused.headers.get("retry-after")).toBe("2");
    expect((await ask()).status).toBe(200);
  });

  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 200, 200, 200, 429]);
  expect((await ask("?at_block=50")).status).toBe(200);
});

describe("while the owners of an ERC-1155 collection are added up", () => {
  beforeEach(async () => {
    await test.insert("collectionState", { ...items, standard: "erc1155", items: 1, owners: 3 });
    for (const [holder, amount] of [
      [ALICE, 3n],
      [BEN, 2n],
      [CY, 1n],
    ] as const)
      await balance(1n, holder, amount);
  });

  /** How many statements wait for the balances. */
  const readers = async (): Promise<number> => {
    const [row] = await database.query<{ count: number }>(
      "select count(*)::int as count from pg_locks where relation = $1::regclass and not granted",
      [tables.tokenBalance],
    );
    return row?.count ?? 0;
  };

  it("other reads find a connection, fifty pages wait, and the next is refused", async () => {
    await holders({ [ALICE]: 1 });
    const cursors = [
      (await ofItems("?limit=1")).body.next_cursor,
      (await ofItems("?limit=2")).body.next_cursor,
    ];
    const waiting: ReturnType<typeof ask>[] = [];
    await database.transaction(async (tx) => {
      await tx.query(`lock table ${tables.tokenBalance} in access exclusive mode`);
      for (let nth = 0; nth < 51; nth++)
        waiting.push(ofItems(`?limit=1${["", `&cursor=${cursors[0]}`, `&cursor=${cursors[1]}`][nth % 3]}`));
      await expect.poll(readers).toBe(1);
      const refused = await Promise.race(waiting);
      expect([refused.status, refused.body.code]).toEqual([429, "RATE_LIMITED"]);
      expect(refused.body.details[0].message).toBe(
        "Limit: 50 pages of ERC-1155 owners at once per process; retry in 2 s",
      );
      expect(refused.headers.get("retry-after")).toBe("2");
      expect((await ask()).status).toBe(200);
      expect(await readers()).toBe(1);
    });

    const answers = await Promise.all(waiting);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    const shown = (page: number) =>
      answers
        .filter(({ status }, nth) => status === 200 && nth % 3 === page)
        .map(({ body }) => [...pairs(body), body.total, body.next_cursor]);
    for (const [page, row] of [
      [ALICE, "3"],
      [BEN, "2"],
      [CY, "1"],
    ].entries())
      expect(new Set(shown(page).map(String))).toEqual(new Set([String([row, 3, cursors[page] ?? null])]));
  });

  it("a page that is asked for holds what was committed before", async () => {
    const pages = Array.from({ length: 8 }, () => ofItems("?limit=1"));
    await balance(2n, ALICE, 4n);
    expect(pairs((await ofItems("?limit=1")).body)).toEqual([[ALICE, "7"]]);
    await Promise.all(pages);
  });
});
