/** Documents of up to 2 MiB each: a list of them is answered in parts, or refused, and never as a whole. */

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, found, recordOne } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "../graphql/own-endpoint.ts";

const TOKENS = 12;
const DESCRIPTION_CHARACTERS = 1_900_000;
// Of 8 MiB, with the rest of each document.
const FITTING = 4;
/** For so long, what was read of a token is not measured anew. */
const CHECKED_MS = 2_000;
const ALICE = "0x00000000000000000000000000000000000000a1";
const BOB = "0x00000000000000000000000000000000000000b0";
const IDS = Array.from({ length: TOKENS }, (_, nth) => String(nth + 1));

const test = await createTestDatabase();
const api = createTestApp(test);
const endpoint = await createOwnEndpoint(api);
const key = await api.createKey();

/** Alice's are in one collection, Bob's three in each of two. */
beforeAll(async () => {
  const { database } = test;
  for (const [chainId, collection, holder, ids] of [
    [CHAIN_ID, COLLECTION, ALICE, IDS],
    [FAR_CHAIN_ID, COLLECTION, BOB, IDS.slice(0, 3)],
    [FAR_CHAIN_ID, FAR_COLLECTION, BOB, IDS.slice(0, 3)],
  ] as const) {
    const at = { chainId, collectionAddress: collection };
    await test.setHead({ chainId, block: 100 });
    await test.insert("collectionState", { ...at, standard: "erc721", items: ids.length, owners: 1 });
    await test.insert("collectionHolder", { ...at, holder, tokens: ids.length });
    await api.metadata.addKnownTokens(database, chainId, collection, new Map(ids.map((id) => [id, 1])));
    for (const tokenId of ids) {
      const state = { ...at, tokenId: BigInt(tokenId), owner: holder, standard: "erc721" };
      await test.insert("tokenState", { ...state, burned: false, lockCount: 0 });
      await record(chainId, collection, tokenId, tokenId.padEnd(DESCRIPTION_CHARACTERS, "x"));
    }
  }
});

const record = async (
  chainId: number,
  collection: string,
  tokenId: string,
  description: string,
  image?: string,
) => {
  const document = found({ name: `Large ${tokenId}`, description, ...(image && { image }) });
  const token = { chainId, collection, tokenId };
  await test.database.transaction((tx) => recordOne(api.metadata, tx, token, "rest", document));
};

const cache = (url: string) =>
  test.database.query(
    `insert into vitrine.media (kind, url_hash, url, host, status, file)
     values ('image', sha256(convert_to($1, 'UTF8')), $1, 'img.example', 'accepted', $2)`,
    [url, `${createHash("sha256").update(url).digest("hex")}.png`],
  );

const searchAll = async (): Promise<string[]> => {
  const { status, body } = await api.call(`/market/search?q=large&limit=100&chain_id=${CHAIN_ID}`, { key });
  expect(status).toBe(200);
  return body.tokens.map(({ token_id }: { token_id: string }) => token_id);
};
const searchAllByGraphql = async (): Promise<string[]> => {
  const { data, error } = await endpoint.ask(
    `{ searchAll(text: "large", limit: 100, chainId: ${CHAIN_ID}) { tokens { tokenId } } }`,
  );
  expect(error).toBeUndefined();
  return data.searchAll.tokens.map(({ tokenId }: { tokenId: string }) => tokenId);
};

const AT = `/market/collections/${COLLECTION}/tokens`;
type Page = { readonly ids: readonly string[]; readonly next: string | null };

const byRest: (path: string) => (cursor: string | null) => Promise<Page> = (path) => async (cursor) => {
  const { status, body } = await api.call(`${path}?limit=100${cursor ? `&cursor=${cursor}` : ""}`, { key });
  expect(status).toBe(200);
  return {
    ids: body.items.map(
      ({ token_id, token }: Record<string, { token_id: string }>) => token?.token_id ?? token_id,
    ),
    next: body.next_cursor,
  };
};
const byGraphql = async (cursor: string | null): Promise<Page> => {
  const { data, error } = await endpoint.ask(
    `query ($cursor: String) { searchTokens(tokenAddress: "${COLLECTION}", limit: 100, cursor: $cursor) {
       items { tokenId description } nextCursor } }`,
    { cursor },
  );
  expect(error).toBeUndefined();
  const { items, nextCursor } = data.searchTokens;
  return { ids: items.map(({ tokenId }: { tokenId: string }) => tokenId), next: nextCursor };
};

const ofWallet = (wallet: string) => byRest(`/market/wallets/${wallet}/tokens`);

it.each([
  ["a search", byRest(AT), [FITTING, FITTING, FITTING], IDS],
  ["a search over GraphQL", byGraphql, [FITTING, FITTING, FITTING], IDS],
  ["the tokens of a wallet", ofWallet(ALICE), [FITTING, FITTING, FITTING], IDS],
  [
    "those of a wallet in two collections",
    ofWallet(BOB),
    [FITTING, 2],
    [...IDS.slice(0, 3), ...IDS.slice(0, 3)],
  ],
])("%s answers as many as fit at once, and all of them page by page", async (_what, read, lengths, all) => {
  const pages: Page[] = [];
  do pages.push(await read(pages.at(-1)?.next ?? null));
  while (pages.at(-1)?.next);

  expect(pages.map(({ ids }) => ids.length)).toEqual(lengths);
  expect(pages.flatMap(({ ids }) => ids)).toEqual(all);
});

it("a collection's page shows as many as fit, and the others page by page", async () => {
  const shown: string[] = [];
  for (let path: string | undefined = `/collections/${CHAIN_ID}/${COLLECTION}`; path !== undefined; ) {
    const { text } = await api.browse(path);
    const ids = [...text.matchAll(/<a class="token" href="[^"]*\/([^"/]+)"/g)].map((match) => match[1] ?? "");
    expect(ids).toHaveLength(FITTING);
    shown.push(...ids);
    path = /rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
  }

  expect(shown).toEqual(IDS);
});

it("a list of collections reads as many tokens of each as fit, to show three pictures", async () => {
  const names = IDS.map((id) => `https://img.example/${id}-of-${COLLECTION}.png`);
  for (const [nth, tokenId] of IDS.entries())
    await record(CHAIN_ID, COLLECTION, tokenId, tokenId.padEnd(DESCRIPTION_CHARACTERS, "x"), names[nth]);
  // The first that is cached would be the last of nine.
  await cache(names[FITTING - 1] ?? "");
  await cache(names[8] ?? "");
  const readPictures = async () => {
    const { text } = await api.browse("/collections");
    return text.match(/<img src="\/media\/images\/[^"]*"/g) ?? [];
  };
  // A list doesn't wait for long while the search index is read.
  const pictures = await eventually(readPictures, ({ length }) => length > 0);

  expect(pictures).toHaveLength(1);
});

it.each([
  ["REST", searchAll],
  ["GraphQL", searchAllByGraphql],
])("a search over all collections answers the best that fit at once, over %s", async (_api, read) => {
  // By name.
  expect(await read()).toEqual(["1", "10", "11", "12"]);
});

it("a batch is refused that asks for more than fit, with their number", async () => {
  const batch = (count: number) => api.call(`${AT}/batch`, { key, body: { token_ids: IDS.slice(0, count) } });
  const refused = await batch(TOKENS);

  expect([refused.status, refused.body.code]).toEqual([400, "INVALID_REQUEST"]);
  expect(refused.body.details).toEqual([
    {
      path: "token_ids",
      message: `asks for ${TOKENS} tokens whose documents exceed one answer; at most ${FITTING} fit`,
    },
  ]);
  expect((await batch(FITTING)).body.items).toHaveLength(FITTING);
  const repeated = await api.call(`${AT}/batch`, { key, body: { token_ids: Array(TOKENS).fill("1") } });
  expect(repeated.body.items).toHaveLength(1);
});

it.each<[name: string, field: string, path: string, count?: number]>([
  [
    "tokenBatch",
    `tokenBatch(tokenAddress: "${COLLECTION}", tokenIds: ${JSON.stringify(IDS)}) { items { tokenId } }`,
    "tokenIds",
  ],
  [
    "erc721Tokens",
    `erc721Tokens(tokenAddress: "${COLLECTION}", from: 0, size: 50) { results { tokenId } }`,
    "size",
  ],
  ["tokens", `tokens(owner: "${ALICE}", from: 0, size: 50) { data { ... on Erc721 { tokenId } } }`, "size"],
])("so is %s over GraphQL", async (_name, field, path, count = TOKENS) => {
  const { error } = await endpoint.ask(`{ ${field} }`);

  expect(error).toMatchObject({ extensions: { code: "INVALID_REQUEST" } });
  expect(error.message).toContain(`${path}: asks for ${count} tokens whose documents exceed one answer`);
});

it("the tokens of all fields of a GraphQL request count together, each once", async () => {
  const token = (id: string) => `t${id}: token(tokenAddress: "${COLLECTION}", tokenId: "${id}") { name }`;
  const list = (name: string, sort: string) =>
    `${name}: searchTokens(tokenAddress: "${COLLECTION}", limit: 4, sort: "${sort}") { items { tokenId } nextCursor }`;
  const tooMany = {
    message:
      "Invalid request; the request asks for tokens whose documents exceed one answer; ask for fewer at once",
    extensions: { code: "INVALID_REQUEST" },
  };
  const answer = async (...fields: readonly string[]) =>
    JSON.parse(await endpoint.answer({ query: `{ ${fields.join(" ")} }` }));

  const tokens = await answer(...IDS.slice(0, 6).map(token), `again: ${token("1").replace("t1: ", "")}`);
  expect(Object.values(tokens.data).filter(Boolean)).toHaveLength(FITTING + 1);
  expect(tokens.errors).toHaveLength(2);
  expect(tokens.errors[0]).toMatchObject(tooMany);

  // Lists answer what is left, at least one token, and go on after it.
  const lists = await answer(list("first", "id_asc"), list("same", "id_asc"), list("other", "id_desc"));
  expect(lists.errors).toBeUndefined();
  const { first, same, other } = lists.data;
  expect(same).toEqual(first);
  expect(first.items.map(({ tokenId }: { tokenId: string }) => tokenId)).toEqual(IDS.slice(0, FITTING));
  expect(other.items).toEqual([{ tokenId: IDS.at(-1) }]);
  const next = await answer(
    list("next", "id_desc").replace("limit: 4", `limit: 4, cursor: "${other.nextCursor}"`),
  );
  expect(next.data.next.items[0]).toEqual({ tokenId: IDS.at(-2) });

  const { data } = await answer(
    `walletTokens(address: "${ALICE}", limit: 4) { items { quantity } nextCursor }`,
    `searchAll(text: "large 9") { tokens { name } }`,
  );
  const lengths = [data.walletTokens.items.length, data.searchAll.tokens.length];
  expect(Math.min(...lengths)).toBe(1);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(FITTING);
  expect(data.walletTokens.nextCursor).not.toBeNull();
});

it("so do those of several operations", async () => {
  const operations = IDS.map((id) => ({
    query: `{ token(tokenAddress: "${COLLECTION}", tokenId: "${id}") { name } }`,
  }));
  const caller = { requestId: "7f3e0b52-33a8-4b0e-9d6f-0a4f6f1f1c11", client: "127.0.0.1" };
  const { json } = await endpoint.endpoint.handleBatch(operations.slice(0, 10), caller);

  expect(JSON.parse(json).filter(({ errors }: { errors?: unknown }) => errors)).toHaveLength(10 - FITTING);
});

it("lists that read one token beside what fits read as much again at most", async () => {
  const list = (cursor: string | null) =>
    `{ searchTokens(tokenAddress: "${COLLECTION}", limit: 1, cursor: ${JSON.stringify(cursor)}) { items { tokenId } nextCursor } }`;
  const cursors: (string | null)[] = [null];
  for (const _ of IDS.slice(1)) {
    const { data } = await endpoint.ask(list(cursors.at(-1) ?? null));
    cursors.push(data.searchTokens.nextCursor);
  }
  const caller = { requestId: "7f3e0b52-33a8-4b0e-9d6f-0a4f6f1f1c12", client: "127.0.0.1" };
  const { json } = await endpoint.endpoint.handleBatch(
    cursors.slice(0, 10).map((cursor) => ({ query: list(cursor) })),
    caller,
  );

  const answers: { readonly data?: unknown; readonly errors?: readonly { readonly message: string }[] }[] =
    JSON.parse(json);
  expect(answers.filter(({ data }) => data)).toHaveLength(2 * FITTING);
  const refused = answers.flatMap(({ errors }) => errors?.[0]?.message ?? []);
  expect(refused).toHaveLength(10 - 2 * FITTING);
  expect(refused[0]).toContain("tokens whose documents exceed one answer");
});

it("the activity of tokens needs none of their documents", async () => {
  const fields = IDS.map(
    (id) => `t${id}: tokenActivity(tokenAddress: "${COLLECTION}", tokenId: "${id}") { items { type } }`,
  );
  const { data, errors } = JSON.parse(await endpoint.answer({ query: `{ ${fields.join(" ")} }` }));

  expect(errors).toBeUndefined();
  expect(Object.keys(data)).toHaveLength(TOKENS);
});

it("documents count as they are now, though smaller ones were read of the same tokens before", async () => {
  const at = `/market/collections/${FAR_COLLECTION}/tokens?chain_id=${FAR_CHAIN_ID}&limit=100`;
  const ids = Array.from({ length: 8 }, (_, nth) => String(nth + 11));
  const known = new Map(ids.map((id) => [id, 1]));
  await api.metadata.addKnownTokens(test.database, FAR_CHAIN_ID, FAR_COLLECTION, known);
  for (const tokenId of ids) {
    const state = { chainId: FAR_CHAIN_ID, collectionAddress: FAR_COLLECTION, tokenId: BigInt(tokenId) };
    await test.insert("tokenState", {
      ...state,
      owner: ALICE,
      standard: "erc721",
      burned: false,
      lockCount: 0,
    });
    await record(FAR_CHAIN_ID, FAR_COLLECTION, tokenId, "small");
  }
  const read = async () => (await api.call(`${at}&owner=${ALICE}`, { key })).body.items.length;
  // Twice, as what is kept is full of the others.
  expect([await read(), await read()]).toEqual([ids.length, ids.length]);

  for (const tokenId of ids)
    await record(FAR_CHAIN_ID, FAR_COLLECTION, tokenId, tokenId.padEnd(DESCRIPTION_CHARACTERS, "x"));
  await sleep(CHECKED_MS);

  expect(await read()).toBe(FITTING);
});
