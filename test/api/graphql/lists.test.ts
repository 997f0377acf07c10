/** Lists over GraphQL answer what REST answers, both by the public routes. */

import { Kind, parse, print } from "graphql";
import { beforeAll, describe, expect, it } from "vitest";
import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import { EMPTY_RIGHTS } from "../../../src/api/delegation/rules.ts";
import { camelKeys } from "../../../src/api/graphql/own/camel-keys.ts";
import { ownSdl } from "../../../src/api/graphql/own/own.graphql.ts";
import { graphqlRoutes } from "../../../src/api/graphql/routes.ts";
import { CHAIN_SCHEMA, checkpoint, createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "./own-endpoint.ts";
import { ALICE, BOB, createSdkWorld } from "./sdk-world.ts";

const test = await createTestDatabase();
const inner = createTestApp(test);
const { endpoint } = await createOwnEndpoint(inner);
const api = createTestApp(test, { graphql: graphqlRoutes(endpoint, inner.rateLimits) });
const key = await api.createKey();
await createServingIndexes(test.url, CHAIN_SCHEMA);

const ZERO = `0x${"0".repeat(40)}`;
const HASH = `0x${"ab".repeat(32)}`;
const heroes = { chainId: CHAIN_ID, collectionAddress: COLLECTION };

beforeAll(async () => {
  await emptyTables(test.database);
  const { tables } = test;
  await createSdkWorld(test, inner.metadata);
  await test.database.query(
    `truncate ${tables.collectionHolder}, ${tables.tokenTransfer}, ${tables.lockEvent}, ${tables.delegation}`,
  );
  for (const [holder, tokens] of [
    [ALICE, 2],
    [BOB, 1],
  ] as const)
    await test.insert("collectionHolder", { ...heroes, holder, tokens });
  const event = (block: number) => ({
    ...heroes,
    id: checkpoint({ chainId: CHAIN_ID, block, log: 0, timestamp: block }),
    blockNumber: block,
    blockTimestamp: block,
    transactionHash: HASH,
    logIndex: 0,
  });
  const move = (block: number, tokenId: bigint, from: string, to: string) =>
    test.insert("tokenTransfer", { ...event(block), tokenId, from, to, quantity: 1n });
  await move(1, 1n, ZERO, ALICE);
  await move(2, 2n, ZERO, BOB);
  await move(3, 3n, ZERO, BOB);
  await move(20, 2n, BOB, ALICE);
  await test.insert("lockEvent", {
    ...event(30),
    tokenId: 3n,
    holder: BOB,
    standard: "erc721x",
    direction: "lock",
    countAfter: 1,
    flagCountAfter: 1,
    followsDefault: false,
    anomaly: false,
  });
  await test.insert("delegation", {
    ...{
      chainId: CHAIN_ID,
      hash: "0x1",
      from: BOB,
      to: ALICE,
      type: "ALL",
      rights: EMPTY_RIGHTS,
      enabled: true,
    },
    ...{ blockNumber: 1, blockTimestamp: 1, transactionHash: HASH, logIndex: 0 },
  });
});

async function rest(path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await api.call(path, { key, ...(body !== undefined && { body }) });
  expect(answer.status).toBe(200);
  return camelKeys(answer.body) as Record<string, unknown>;
}
async function graphql(query: string) {
  const { status, body } = await api.call("/graphql", { body: { query } });
  expect(status).toBe(200);
  return body as { data: Record<string, never> | null; errors?: { message: string }[] };
}

const MARKET = `/market/collections/${COLLECTION}`;
const ADDRESS = `tokenAddress: "${COLLECTION}"`;
const TOKEN = "chainId collectionAddress tokenId name tradable lock { locked lockCount }";
const OWNERS = "items { owner quantity } nextCursor total asOfBlock";
const VIA = "type from to contract tokenId rights amount";
const WALLET_TOKENS = `items { token { ${TOKEN} } quantity holder via { ${VIA} } } nextCursor total`;
const ACTIVITY =
  "items { type chainId collectionAddress tokenId lastTokenId from to quantity block at transactionHash } nextCursor";

/** Only what the GraphQL query selects, of a REST answer. */
function like(answer: unknown, selected: unknown): unknown {
  if (Array.isArray(selected) && Array.isArray(answer)) {
    expect(answer).toHaveLength(selected.length);
    return selected.map((each, index) => like(answer[index], each));
  }
  if (typeof selected !== "object" || selected === null) return answer;
  return Object.fromEntries(
    Object.entries(selected).map(([name, inside]) => [
      name,
      like((answer as Record<string, unknown> | null)?.[name], inside),
    ]),
  );
}

describe("GraphQL answers as REST:", () => {
  it.each([
    ["owners", `owners(${ADDRESS}, limit: 1) { ${OWNERS} }`, `${MARKET}/owners?limit=1`, 1],
    ["owners at a block", `owners(${ADDRESS}, atBlock: 5) { ${OWNERS} }`, `${MARKET}/owners?at_block=5`, 2],
    [
      "owners of ERC-1155",
      `owners(tokenAddress: "${FAR_COLLECTION}", chainId: ${FAR_CHAIN_ID}) { ${OWNERS} }`,
      `/market/collections/${FAR_COLLECTION}/owners`,
      2,
    ],
    [
      "walletTokens",
      `walletTokens(address: "${ALICE}") { ${WALLET_TOKENS} }`,
      `/market/wallets/${ALICE}/tokens`,
      2,
    ],
    [
      "delegated walletTokens of a collection",
      `walletTokens(address: "${ALICE}", ${ADDRESS}, includeDelegated: true) { ${WALLET_TOKENS} }`,
      `/market/wallets/${ALICE}/tokens?include_delegated=true&collection_address=${COLLECTION}`,
      3,
    ],
    [
      "tokenActivity",
      `tokenActivity(${ADDRESS}, tokenId: "3") { ${ACTIVITY} }`,
      `${MARKET}/tokens/3/activity`,
      3,
    ],
    [
      "collectionActivity",
      `collectionActivity(${ADDRESS}, limit: 2) { ${ACTIVITY} }`,
      `${MARKET}/activity?limit=2`,
      2,
    ],
    [
      "collectionActivity of some types",
      `collectionActivity(${ADDRESS}, types: ["mint", "lock"]) { ${ACTIVITY} }`,
      `${MARKET}/activity?type=mint,lock`,
      4,
    ],
    [
      "walletActivity",
      `walletActivity(address: "${BOB}", types: ["transfer", "lock"]) { ${ACTIVITY} }`,
      `/market/wallets/${BOB}/activity?type=transfer,lock`,
      2,
    ],
  ])("%s", async (_title, query, path, count) => {
    const { data, errors } = await graphql(`{ it: ${query} }`);

    expect(errors).toBeUndefined();
    const it = data?.it as unknown as { items: unknown[] };
    expect(it.items).toHaveLength(count);
    expect(it).toEqual(like(await rest(path), it));
  });

  it("tokenBatch, with an id that is missing and one that is repeated", async () => {
    const { data } = await graphql(
      `{ tokenBatch(${ADDRESS}, tokenIds: ["3", "70", "1", "3"]) { items { ${TOKEN} } missing } }`,
    );

    const answer = await rest(`${MARKET}/tokens/batch`, { token_ids: ["3", "70", "1", "3"] });
    expect(data?.tokenBatch).toEqual(like(answer, data?.tokenBatch));
    expect(data?.tokenBatch).toMatchObject({ items: [{ tokenId: "3" }, { tokenId: "1" }], missing: ["70"] });
  });

  it.each([
    ["", 3],
    [CHAIN_ID, 1],
    [FAR_CHAIN_ID, 2],
  ])("collections of chain %s", async (chain, count) => {
    const [argument, query] = chain === "" ? ["", ""] : [`(chainId: ${chain})`, `?chain_id=${chain}`];
    const { data } = await graphql(`{ collections${argument} { chainId collectionAddress name } }`);

    expect(data?.collections).toHaveLength(count);
    expect(data?.collections).toEqual(
      like((await rest(`/market/collections${query}`)).items, data?.collections),
    );
  });

  it("every page of a list, by the same cursors", async () => {
    const seen: unknown[] = [];
    for (let cursor: string | null = null; ; ) {
      const { data } = await graphql(
        `{ collectionActivity(${ADDRESS}, limit: 2, cursor: ${JSON.stringify(cursor)}) { ${ACTIVITY} } }`,
      );
      const page = data?.collectionActivity as unknown as { items: unknown[]; nextCursor: string | null };
      seen.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    expect(seen).toEqual((await rest(`${MARKET}/activity`)).items);
  });
});

it.each([
  [`owners(${ADDRESS}, atBlock: 101) { total }`, "atBlock: block 101 is not indexed yet"],
  [`owners(${ADDRESS}, atBlock: 1.5) { total }`, "atBlock: must be a block number; it is 1.5"],
  [`owners(${ADDRESS}, limit: 101) { total }`, "limit: must be less than or equal to 100; it is 101"],
  [`owners(${ADDRESS}, chainId: 9) { total }`, "chainId: chain 9 is not served here"],
  ["collections(chainId: 9) { name }", "chainId: chain 9 is not served here"],
  [`owners(${ADDRESS}, cursor: "x") { total }`, "cursor: cursor is not one"],
  [`tokenBatch(${ADDRESS}, tokenIds: ["01"]) { missing }`, 'tokenIds[0]: "01" is not a token id'],
  [`tokenBatch(${ADDRESS}, tokenIds: []) { missing }`, "tokenIds: "],
  [
    `collectionActivity(${ADDRESS}, types: ["sale"]) { nextCursor }`,
    'types[0]: must be mint, transfer, burn, lock, unlock or metadata; it is "sale"',
  ],
  [`collectionActivity(${ADDRESS}, types: []) { nextCursor }`, "types: must name at least one type"],
  [
    `walletActivity(address: "${BOB}", types: ["metadata"]) { nextCursor }`,
    'types[0]: must be mint, transfer, burn, lock or unlock; it is "metadata"',
  ],
  [`walletActivity(address: "0x1") { nextCursor }`, 'address: "0x1" is not an address'],
  [`tokenActivity(${ADDRESS}, tokenId: "70") { nextCursor }`, "Token not found"],
])("%s is refused: %s", async (query, message) => {
  const { errors } = await graphql(`{ ${query} }`);

  expect(errors?.[0]?.message).toContain(message);
});

describe("null for an argument with a default", () => {
  const defaulted = parse(ownSdl).definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_EXTENSION || definition.kind === Kind.OBJECT_TYPE_DEFINITION
      ? (definition.fields ?? []).flatMap(({ name, arguments: declared = [] }) =>
          declared
            .filter(({ type, defaultValue }) => defaultValue && type.kind !== Kind.NON_NULL_TYPE)
            .map((argument) => [name.value, argument.name.value, print(argument.type)] as const),
        )
      : [],
  );
  const TOKEN_ID = 'tokenId: "1"';
  const fields: Readonly<Record<string, readonly [needed: string, selected: string]>> = {
    searchTokens: [ADDRESS, "items { tokenId } nextCursor total"],
    traitValues: [`${ADDRESS}, name: "Class"`, "values { value count }"],
    searchAll: ['text: "a"', "tokens { tokenId }"],
    tokenReport: [`${ADDRESS}, ${TOKEN_ID}`, "versions { number } next"],
    owners: [ADDRESS, OWNERS],
    walletTokens: [`address: "${ALICE}"`, WALLET_TOKENS],
    tokenActivity: [`${ADDRESS}, ${TOKEN_ID}`, ACTIVITY],
    collectionActivity: [ADDRESS, ACTIVITY],
    walletActivity: [`address: "${ALICE}"`, ACTIVITY],
  };

  it("is tried with each of them", () => {
    expect(defaulted.length).toBeGreaterThan(10);
    expect([...new Set(defaulted.map(([field]) => field))].sort()).toEqual(Object.keys(fields).sort());
  });

  it.each(defaulted)("is the default of %s: %s", async (field, argument, type) => {
    const [needed, selected] = fields[field] as (typeof fields)[string];
    const query = `query ($none: ${type}) {
      absent: ${field}(${needed}) { ${selected} }
      literal: ${field}(${needed}, ${argument}: null) { ${selected} }
      variable: ${field}(${needed}, ${argument}: $none) { ${selected} } }`;

    const { status, body } = await api.call("/graphql", { body: { query, variables: { none: null } } });
    expect([status, body.errors]).toEqual([200, undefined]);
    const { absent, literal, variable } = body.data;
    expect(absent).not.toBeNull();
    expect([literal, variable]).toEqual([absent, absent]);
  });

  it.each(["from", "size"])("stays refused where an argument must not be null: %s", async (argument) => {
    const given = { from: "0", size: "1", [argument]: "null" };
    const query = `{ erc721Tokens(${ADDRESS}, from: ${given.from}, size: ${given.size}) { total } }`;

    const { body } = await api.call("/graphql", { body: { query } });
    expect(body.errors[0].message).toBe('Expected value of type "Int!", found null.');
  });
});

it("a cursor of a time that does not exist is refused, as over REST", async () => {
  const page = await rest(`${MARKET}/activity?limit=1`);
  const [list] = JSON.parse(Buffer.from(String(page.nextCursor), "base64url").toString());
  const position = { at: "2024-02-30T12:00:00.000000Z", version: "1" };
  const cursor = Buffer.from(JSON.stringify([list, position])).toString("base64url");

  const { errors } = await graphql(`{ collectionActivity(${ADDRESS}, cursor: "${cursor}") { nextCursor } }`);
  expect(errors?.[0]).toMatchObject({
    message: "Invalid request; cursor: cursor is not one that an answer gave as next_cursor",
    extensions: { code: "INVALID_REQUEST" },
  });
});

it("a list costs what it may return: eight pages of a hundred tokens are fine, ten are not", async () => {
  const pages = (count: number) =>
    `{ ${Array.from(
      { length: count },
      (_, index) => `p${index}: walletTokens(address: "${ALICE}", limit: 100) { items { token { name } } }`,
    ).join(" ")} }`;

  expect((await graphql(pages(8))).errors).toBeUndefined();
  const { body } = await api.call("/graphql", { body: { query: pages(10) } });
  expect(body.errors[0].message).toContain("it must be at most 20000");
});
