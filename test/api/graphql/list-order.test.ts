import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { clip } from "../../../src/domain/printable.ts";
import { createHarness, type Harness } from "./endpoint-harness.ts";
import { createPonderEndpoint, type PonderEndpoint } from "./ponder-endpoint.ts";

let ponder: PonderEndpoint;
let harness: Harness;

beforeAll(async () => {
  ponder = await createPonderEndpoint();
  harness = await createHarness(ponder);
});

afterAll(() => ponder.close());

const COLUMNS = "id, collectionAddress, lockCount";
const NO_CURSOR = "it must be a startCursor or endCursor of the same list in the same order";
const NO_TEXT = "where.collectionAddress_not_contains is null; it must be text, or left out";
const NO_CONDITION = "is an object without a condition; it must be one with a condition, or left out";
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");
const cursorOf = (json: object, values: object = { id: ["bigint"] }): string =>
  base64({ json, meta: { values, v: 1 } });

async function refusal(query: string, variables: Record<string, unknown> = {}): Promise<string[]> {
  ponder.received.length = 0;
  const { errors = [], data } = await harness.ask({ query, variables });
  expect(data).toBeUndefined();
  expect(ponder.received).toEqual([]);
  for (const { extensions, locations } of errors) {
    expect(extensions).toEqual({ code: "INVALID_REQUEST" });
    expect(locations).toHaveLength(1);
  }
  return errors.map(({ message }) => message);
}

describe("orderBy", () => {
  it.each([
    ["a column that is none", "secret"],
    ["the empty string", ""],
    ["a name that every object has", "constructor"],
    ["a relation", "collection"],
    ["a column in another case", "LockCount"],
  ])(
    "is refused with the columns that there are when it is %s, and Ponder is not asked",
    async (_title, column) => {
      expect(await refusal(`{ tokens(orderBy: "${column}") { totalCount } }`)).toEqual([
        `orderBy is "${column}"; it must be a column of token: ${COLUMNS}`,
      ]);
    },
  );

  it("is refused in a nested list, in a fragment, through a variable, and as null", async () => {
    const nested =
      "{ collections(limit: 1) { items { ...C } } } fragment C on collection { tokens(orderBy: $by) { totalCount } }";
    const query = `query ($by: String) ${nested}`;

    expect(await refusal(query, { by: "name" })).toEqual([
      `orderBy is "name"; it must be a column of token: ${COLUMNS}`,
    ]);
    expect(await refusal(query, { by: null })).toEqual([
      `orderBy is null; it must be a column of token: ${COLUMNS}`,
    ]);
    expect((await harness.ask({ query, variables: {} })).errors).toBeUndefined();
  });

  it.each(["id", "collectionAddress", "lockCount"])("may be the column %s", async (column) => {
    const { errors, data } = await harness.ask(`{ tokens(orderBy: "${column}") { totalCount } }`);

    expect(errors).toBeUndefined();
    expect(data).toEqual({ tokens: { totalCount: 5 } });
  });
});

describe("orderDirection", () => {
  it.each(["ASC", "up", ""])(
    "is refused when it is %j, which Ponder takes for descending",
    async (direction) => {
      expect(
        await refusal(`{ tokens(orderBy: "id", orderDirection: "${direction}") { totalCount } }`),
      ).toEqual([`orderDirection is "${direction}"; it must be "asc" or "desc"`]);
    },
  );

  it.each(['"asc"', '"desc"', '"DESC"', "null"])("may be %s", async (direction) => {
    const { errors } = await harness.ask(
      `{ tokens(orderBy: "id", orderDirection: ${direction}) { totalCount } }`,
    );

    expect(errors).toBeUndefined();
  });
});

describe("a cursor", () => {
  it.each([
    ["text that is no base64 of JSON", "abc"],
    ["empty", ""],
    ["JSON that is no object", base64(null)],
    ["an object that holds no row", base64({ json: 7 })],
    ["that of a row without the key", cursorOf({ lockCount: 1 })],
    ["a key of another type", cursorOf({ id: "seven" })],
    ["a key that is noted as no big number", cursorOf({ id: "3" }, {})],
  ])("is refused when it is %s, and Ponder is not asked", async (_title, cursor) => {
    for (const name of ["after", "before"]) {
      expect(
        await refusal(`query ($c: String) { tokens(${name}: $c) { items { id } } }`, { c: cursor }),
      ).toEqual([`${name} is "${clip(cursor)}"; ${NO_CURSOR}`]);
    }
  });

  it("is refused in a list of another order, and goes on in its own", async () => {
    const page = async (args: string) => {
      const { data, errors } = await harness.ask(
        `{ tokens(limit: 2, ${args}) { items { id } pageInfo { startCursor endCursor } } }`,
      );
      expect(errors).toBeUndefined();
      return (
        data as { tokens: { items: { id: string }[]; pageInfo: { startCursor: string; endCursor: string } } }
      ).tokens;
    };
    const byLocks = 'orderBy: "lockCount", orderDirection: "desc"';
    const first = await page(byLocks);
    const second = await page(`${byLocks}, after: "${first.pageInfo.endCursor}"`);
    const back = await page(`${byLocks}, before: "${second.pageInfo.startCursor}"`);
    const unordered = await page("offset: 0");

    expect([first, second, back].map(({ items }) => items.map(({ id }) => id))).toEqual([
      ["2", "1"],
      ["5", "4"],
      ["2", "1"],
    ]);
    const { endCursor } = unordered.pageInfo;
    expect(await refusal(`{ tokens(${byLocks}, after: "${endCursor}") { totalCount } }`)).toEqual([
      `after is "${clip(endCursor)}"; ${NO_CURSOR}`,
    ]);
  });

  it("of a row with two equal big numbers goes on as any other", async () => {
    const numbers: string[] = [];
    const cursors: string[] = [];
    for (let after: string | null = null; numbers.length < 3; after = cursors.at(-1) ?? null) {
      const { data, errors } = await harness.ask({
        query:
          'query ($c: String) { blocks(orderBy: "events", limit: 1, after: $c) { items { number } pageInfo { endCursor } } }',
        variables: { c: after },
      });
      expect(errors).toBeUndefined();
      const { blocks } = data as {
        blocks: { items: { number: string }[]; pageInfo: { endCursor: string } };
      };
      numbers.push(...blocks.items.map(({ number }) => number));
      cursors.push(blocks.pageInfo.endCursor);
    }

    expect(numbers).toEqual(["9", "8", "7"]);
    expect(Buffer.from(cursors[1] ?? "", "base64").toString()).toContain('"referentialEqualities"');
  });

  it.each([
    ["another number", { events: ["number"] }, { number: "9" }],
    ["a column that it lacks", { events: ["size"] }, {}],
    ["text", { events: "number" }, {}],
    ["the whole row", ["events"], {}],
    ["a number of another kind", { chainId: ["number"] }, { number: "1" }],
    ["a path, of which superjson reads what is not there", { "x.y": [] }, { "x.y": "8" }],
    ["a path to another value", { "x.y": ["number"] }, { "x.y": "8", x: { y: "\0" } }],
    ["a number for a path", { number: ["x.y"] }, { "x.y": "8", x: {} }],
    ["a path of a prototype", { number: ["__proto__.p"] }, {}],
    ["an escape that is none", { "\\x": ["number"] }, { "\\x": "8" }],
  ])("is refused where a big number is to be that of %s", async (_title, referentialEqualities, more) => {
    const values = { events: ["bigint"], number: ["bigint"] };
    const json = { events: "8", chainId: 1, number: "8", ...more };
    const c = base64({ json, meta: { values, referentialEqualities, v: 1 } });

    expect(
      await refusal('query ($c: String) { blocks(orderBy: "events", after: $c) { totalCount } }', { c }),
    ).toEqual([`after is "${clip(c)}"; ${NO_CURSOR}`]);
  });

  it("is refused beside the other cursor and beside an offset", async () => {
    const cursor = cursorOf({ id: "3" });

    expect(await refusal(`{ tokens(after: "${cursor}", before: "${cursor}") { totalCount } }`)).toEqual([
      `after is "${clip(cursor)}"; it must be used without the other of after and before`,
      `before is "${clip(cursor)}"; it must be used without the other of after and before`,
    ]);
    expect(await refusal(`{ tokens(before: "${cursor}", offset: 1) { totalCount } }`)).toEqual([
      `before is "${clip(cursor)}"; it must be used without an offset`,
    ]);
  });

  it.each([1.5, 3_000_000_000, "1"])("is refused with %s for a column of integers", async (lockCount) => {
    const cursor = cursorOf({ lockCount, id: "3" });

    expect(await refusal(`{ tokens(orderBy: "lockCount", after: "${cursor}") { totalCount } }`)).toEqual([
      `after is "${clip(cursor)}"; ${NO_CURSOR}`,
    ]);
  });

  it.each([
    ["U+0000", "0x\0", {}],
    ["the kind of a date", "2024-01-01", { address: ["Date"] }],
    ["the kind of a pattern", "x", { address: ["regexp"] }],
    ["the kind of a set", "x", { address: ["set"] }],
    ["a class of its own", "x", { address: [["class", "x"]] }],
    ["a kind that is no list", "x", { address: "Date" }],
  ])("is refused with %s for a column of text", async (_title, address, values) => {
    const c = cursorOf({ address }, values);

    expect(await refusal("query ($c: String) { collections(after: $c) { totalCount } }", { c })).toEqual([
      `after is "${clip(c)}"; ${NO_CURSOR}`,
    ]);
  });

  it.each([
    ["more digits than a column has", "9".repeat(79), { id: ["bigint"] }],
    ["a kind of a kind", "3", { id: ["bigint", { x: ["Date"] }] }],
    ["the kind of what it lacks", "3", { id: ["bigint"], lockCount: ["Date"] }],
    ["the kind of a prototype", "3", { id: ["bigint"], "__proto__.x": ["Date"] }],
  ])("is refused with %s for a column of big numbers", async (_title, id, values) => {
    const c = cursorOf({ id }, values);

    expect(await refusal("query ($c: String) { tokens(after: $c) { totalCount } }", { c })).toEqual([
      `after is "${clip(c)}"; ${NO_CURSOR}`,
    ]);
  });

  it.each([
    [
      "values that refer to each other",
      { values: { id: ["bigint"] }, referentialEqualities: { id: ["id.x"] } },
    ],
    ["one kind for the whole row", { values: ["Date"] }],
    ["kinds that are text", { values: "bigint" }],
    ["kinds that are null", { values: null }],
  ])("is refused with %s", async (_title, meta) => {
    const c = base64({ json: { id: "3" }, meta });

    expect(await refusal("query ($c: String) { tokens(after: $c) { totalCount } }", { c })).toEqual([
      `after is "${clip(c)}"; ${NO_CURSOR}`,
    ]);
  });

  it("is refused with an empty list of kinds, where no column needs one", async () => {
    const c = base64({ json: { address: "0xaa" }, meta: { values: [] } });

    expect(await refusal("query ($c: String) { collections(after: $c) { totalCount } }", { c })).toEqual([
      `after is "${clip(c)}"; ${NO_CURSOR}`,
    ]);
  });

  it.each(["1.5", "1e999", "1e300"])("is refused with the chain id %s", async (chainId) => {
    const json = `{"json":{"chainId":${chainId},"number":"7"},"meta":{"values":{"number":["bigint"]}}}`;
    const c = Buffer.from(json).toString("base64");

    expect(await refusal("query ($c: String) { blocks(after: $c) { totalCount } }", { c })).toEqual([
      `after is "${clip(c)}"; ${NO_CURSOR}`,
    ]);
  });

  it("may be of a column of text, and of the highest id", async () => {
    const query =
      "query ($a: String, $b: String) { collections(after: $a) { totalCount } tokens(after: $b) { totalCount } }";
    const a = base64({ json: { address: "0xaa" } });
    const { data, errors } = await harness.ask({
      query,
      variables: { a, b: cursorOf({ id: String(2n ** 256n - 1n) }) },
    });

    expect(errors).toBeUndefined();
    expect(data).toEqual({ collections: { totalCount: 1 }, tokens: { totalCount: 5 } });
  });

  it("is reported once when it stands beside an order that is none", async () => {
    expect(await refusal('{ tokens(orderBy: "secret", after: "abc") { totalCount } }')).toHaveLength(1);
  });
});

describe("a list in the order of a column that may be null", () => {
  const names = [null, "Axes", null, "Bows", "Axes", null, "Caps"];
  const addresses = names.map((_, nth) => `0x0${nth + 1}`);
  beforeAll(() =>
    ponder.run(`insert into collection select * from unnest(
      array[${addresses.map((each) => `'${each}'`)}], array[${names.map((name) => (name ? `'${name}'` : "null"))}]::text[])`),
  );
  afterAll(() =>
    ponder.run(`delete from collection where address in (${addresses.map((each) => `'${each}'`)})`),
  );

  interface Page {
    readonly items: readonly { readonly address: string }[];
    readonly pageInfo: {
      readonly startCursor: string | null;
      readonly endCursor: string | null;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  }
  const read = async (args: string): Promise<Page> => {
    const { data, errors } = await harness.ask(
      `{ collections(${args}) { items { address } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`,
    );
    expect(errors).toBeUndefined();
    return (data as { collections: Page }).collections;
  };
  const addressesOf = ({ items }: Page): string[] => items.map(({ address }) => address);

  it.each(["asc", "desc"].flatMap((direction) => [1, 2, 3, 7].map((limit) => [direction, limit] as const)))(
    "has each row once, %s by pages of %i, forwards and backwards",
    async (direction, limit) => {
      const order = `orderBy: "name", orderDirection: "${direction}"`;
      const whole = addressesOf(await read(`${order}, limit: 100`));
      expect(whole).toHaveLength(names.length + 1);

      const forwards: string[] = [];
      let page = await read(`${order}, limit: ${limit}`);
      for (;;) {
        forwards.push(...addressesOf(page));
        if (!page.pageInfo.hasNextPage) break;
        page = await read(`${order}, limit: ${limit}, after: "${page.pageInfo.endCursor}"`);
        expect(page.pageInfo.hasPreviousPage).toBe(true);
      }
      const backwards = [...addressesOf(page)];
      while (page.pageInfo.hasPreviousPage) {
        page = await read(`${order}, limit: ${limit}, before: "${page.pageInfo.startCursor}"`);
        backwards.unshift(...addressesOf(page));
      }

      expect(forwards).toEqual(whole);
      expect(backwards).toEqual(whole);
    },
  );
});

interface TokenPage {
  readonly items: readonly { readonly id: string }[];
  readonly pageInfo: Readonly<
    Record<"startCursor" | "endCursor", string> & Record<"hasNextPage" | "hasPreviousPage", boolean>
  >;
}

describe("a page that follows a row which has left the list", () => {
  afterEach(() =>
    ponder.run(`truncate token;
      insert into token select id, '0xaa', case when id <= 2 then 1 else 0 end from generate_series(1, 5) id`),
  );
  const read = async (args: string) => {
    const { data, errors } = await harness.ask(
      `{ tokens(${args}) { items { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`,
    );
    expect(errors).toBeUndefined();
    const { items, pageInfo } = (data as { tokens: TokenPage }).tokens;
    return { ids: items.map(({ id }) => id).join(), ...pageInfo };
  };

  it.each([1, 2, 3, 1000])("has every row after it, by pages of %i", async (limit) => {
    const { endCursor } = await read("limit: 3");
    await ponder.run("delete from token where id = 3");

    expect(await read(`limit: ${limit}, after: "${endCursor}"`)).toMatchObject({
      ids: limit === 1 ? "4" : "4,5",
      hasPreviousPage: true,
      hasNextPage: limit === 1,
    });
  });

  it.each([1, 2, 3, 1000])("has every row before it, by pages of %i", async (limit) => {
    const { endCursor } = await read("limit: 2");
    const { startCursor } = await read(`after: "${endCursor}"`);
    await ponder.run("delete from token where id = 3");

    expect(await read(`limit: ${limit}, before: "${startCursor}"`)).toMatchObject({
      ids: limit === 1 ? "2" : "1,2",
      hasPreviousPage: limit === 1,
      hasNextPage: true,
    });
  });

  it("has every row after it when it has moved up or down in the order", async () => {
    const order = 'orderBy: "lockCount", orderDirection: "desc"';
    const { endCursor } = await read(`${order}, limit: 2`);
    await ponder.run("update token set lock_count = 5 where id = 1");
    expect((await read(`${order}, limit: 100, after: "${endCursor}"`)).ids).toBe("5,4,3");

    await ponder.run("update token set lock_count = -1 where id = 1");
    expect((await read(`${order}, limit: 100, after: "${endCursor}"`)).ids).toBe("5,4,3,1");
  });

  it("knows of no page before it when all rows before it have left too", async () => {
    const { endCursor } = await read("limit: 3");
    await ponder.run("delete from token where id <= 3");

    expect(await read(`after: "${endCursor}"`)).toMatchObject({ ids: "4,5", hasPreviousPage: false });
  });

  it("knows of the pages before it when it has no row", async () => {
    const { endCursor } = await read("limit: 5");
    await ponder.run("delete from token where id = 5");

    expect(await read(`after: "${endCursor}"`)).toMatchObject({ ids: "", hasPreviousPage: true });
  });
});

describe("a filter", () => {
  it.each([
    ["null", null, "where is null; it must be an object, or left out"],
    ["a branch that is null", { AND: null }, "where.AND is null; it must be a list, or left out"],
    [
      "a null in a branch",
      { OR: [{ id: "1" }, null] },
      "where.OR is null; it must be an object, or left out",
    ],
    [
      "a list of values that is null",
      { AND: [{ OR: [{ id_not_in: null }] }] },
      "where.AND.OR.id_not_in is null; it must be a list, or left out",
    ],
    ["a text that is null", { collectionAddress_not_contains: null }, NO_TEXT],
    [
      "no alternative",
      { OR: [] },
      "where.OR is an empty list; it must be a list with a condition, or left out",
    ],
    ["an empty alternative", { OR: [{}] }, `where.OR ${NO_CONDITION}`],
    ["an empty alternative beside another", { OR: [{}, { id: "1" }] }, `where.OR ${NO_CONDITION}`],
    ["an alternative of nothing", { OR: [{ id: "1" }, { AND: [{ AND: [] }] }] }, `where.OR ${NO_CONDITION}`],
    ["an empty alternative in a branch", { AND: [{ OR: [{}] }], id: "1" }, `where.AND.OR ${NO_CONDITION}`],
  ])("is refused when it is or holds %s, and Ponder is not asked", async (_title, filter, message) => {
    const query = "query ($where: tokenFilter) { tokens(where: $where) { totalCount } }";

    expect(await refusal(query, { where: filter })).toEqual([message]);
  });

  it.each([
    ["an alternative", "$x: tokenFilter", "OR: [$x]", "where.OR is null; it must be an object, or left out"],
    ["its only condition", "$x: BigInt", "OR: [{ id: $x }]", `where.OR ${NO_CONDITION}`],
  ])("is refused when %s is a variable that was left out", async (_title, declared, filter, message) => {
    expect(await refusal(`query (${declared}) { tokens(where: { ${filter} }) { totalCount } }`)).toEqual([
      message,
    ]);
  });

  it.each([
    ["nothing", {}],
    ["an AND of nothing, which is no condition", { AND: [] }],
    ["an AND of empty objects", { AND: [{}, { AND: [{}] }] }],
  ])("may hold %s", async (_title, filter) => {
    const query = "query ($where: tokenFilter) { tokens(where: $where) { totalCount } }";

    expect(await harness.ask({ query, variables: { where: filter } })).toEqual({
      data: { tokens: { totalCount: 5 } },
    });
  });

  it("may leave its alternatives to a variable that was left out", async () => {
    const query = 'query ($x: [tokenFilter]) { tokens(where: { OR: $x, id: "1" }) { totalCount } }';

    expect(await harness.ask({ query, variables: {} })).toEqual({ data: { tokens: { totalCount: 1 } } });
  });

  it("may compare with null", async () => {
    const answer = await harness.ask("{ collections(where: { AND: [{ name_not: null }] }) { totalCount } }");

    expect(answer).toEqual({ data: { collections: { totalCount: 1 } } });
  });

  it.each([
    [
      "all conditions of an alternative",
      {
        OR: [
          { id: "1", lockCount: 0 },
          { id: "3", lockCount: 0 },
        ],
      },
      ["3"],
    ],
    [
      "all that an alternative lists",
      { OR: [{ AND: [{ id_gt: "1" }, { id_lt: "3" }] }, { id: "5" }] },
      ["2", "5"],
    ],
    ["one alternative beside a condition", { OR: [{ id: "2" }, { id: "4" }], lockCount: 1 }, ["2"]],
    [
      "one alternative of each list",
      { AND: [{ OR: [{ id: "1" }, { id: "4" }] }, { OR: [{ lockCount: 0 }, { id: "2" }] }] },
      ["4"],
    ],
  ])("finds the rows that meet %s", async (_title, where, ids) => {
    const query = "query ($where: tokenFilter) { tokens(where: $where) { items { id } } }";

    const { data } = await harness.ask({ query, variables: { where } });
    expect(data).toEqual({ tokens: { items: ids.map((id) => ({ id })) } });
  });
});
