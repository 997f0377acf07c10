/** Tokens of the same document as one row of a list, over REST and GraphQL. */

import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables, found, recordOne, ref } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "../graphql/own-endpoint.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const key = await api.createKey();
const endpoint = await createOwnEndpoint(api);

let head = 100;
beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate ${test.tables.tokenState}`);
  await test.setHead({ chainId: CHAIN_ID, block: head++ });
});

const record = (tokenId: string, name: string) =>
  database.transaction((tx) =>
    recordOne(
      api.metadata,
      tx,
      ref(tokenId),
      "rest",
      found({ name, image: "https://img.example/1.png", attributes: [{ trait_type: "Name", value: name }] }),
    ),
  );
const ask = (query: string) => api.call(`/market/collections/${COLLECTION}/tokens?${query}`, { key });
interface Body {
  readonly items: readonly { readonly token_id: string; readonly count?: number }[];
}
const rowsOf = ({ items }: Body) => items.map(({ token_id, count }) => [token_id, count]);

describe("group=document", () => {
  it("lists the first token of each document in the order, with the number of those that match", async () => {
    for (const id of ["1", "2", "4", "9"]) await record(id, "Box");
    for (const id of ["3", "5"]) await record(id, "Hero");
    await api.metadata.addKnownTokens(
      database,
      CHAIN_ID,
      COLLECTION,
      new Map([
        ["6", 1],
        ["7", 1],
      ]),
    );

    const { status, body } = await ask("group=document");
    expect(status).toBe(200);
    expect(rowsOf(body)).toEqual([
      ["1", 4],
      ["3", 2],
      ["6", 1],
      ["7", 1],
    ]);
    expect(body.total).toBe(4);
    expect(rowsOf((await ask("group=document&sort=id_desc&limit=3")).body)).toEqual([
      ["9", 4],
      ["7", 1],
      ["6", 1],
    ]);
    const criteria = encodeURIComponent('[{"name":"Name","values":["Hero"]}]');
    expect(rowsOf((await ask(`group=document&criteria=${criteria}`)).body)).toEqual([["3", 2]]);
    expect(rowsOf((await ask("limit=1")).body)).toEqual([["1", undefined]]);
  });

  it("comes page by page, and over GraphQL", async () => {
    for (const [nth, name] of ["A", "B", "A", "C", "B", "A"].entries()) await record(String(nth), name);

    const first = (await ask("group=document&limit=2")).body;
    expect(rowsOf(first)).toEqual([
      ["0", 3],
      ["1", 2],
    ]);
    const second = (await ask(`group=document&limit=2&cursor=${first.next_cursor}`)).body;
    expect([rowsOf(second), second.next_cursor]).toEqual([[["3", 1]], null]);
    const { data } = await endpoint.ask(
      `{ searchTokens(tokenAddress: "${COLLECTION}", group: "document", limit: 2) { total nextCursor items { tokenId count } } }`,
    );
    expect(data.searchTokens).toEqual({
      total: 3,
      nextCursor: first.next_cursor,
      items: [
        { tokenId: "0", count: 3 },
        { tokenId: "1", count: 2 },
      ],
    });
  });

  it("follows the next document, and new and burned tokens", async () => {
    for (const id of ["1", "2", "3"]) await record(id, "Box");
    expect(rowsOf((await ask("group=document")).body)).toEqual([["1", 3]]);

    await record("2", "Hero");
    await record("4", "Hero");
    await test.insert("tokenState", {
      ...{ chainId: CHAIN_ID, collectionAddress: COLLECTION, tokenId: "1", burned: true, lockCount: 0 },
    });
    await test.setHead({ chainId: CHAIN_ID, block: head++ });

    expect(rowsOf((await ask("group=document")).body)).toEqual([
      ["2", 2],
      ["3", 1],
    ]);
  });

  it("is the only group", async () => {
    const { status, body } = await ask("group=owner");
    expect([status, body.details]).toEqual([
      400,
      [{ path: "group", message: 'must be document; it is "owner"' }],
    ]);
    const { error } = await endpoint.ask(
      `{ searchTokens(tokenAddress: "${COLLECTION}", group: "owner") { total } }`,
    );
    expect(JSON.stringify(error)).toContain('must be document; it is \\"owner\\"');
  });
});
