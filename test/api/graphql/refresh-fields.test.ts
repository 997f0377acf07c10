import { beforeEach, describe, expect, it } from "vitest";
import { complete } from "../../../src/api/refresh/queue/leases.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { createWorkerSetup } from "../../support/processes/worker.ts";
import { COLLECTION, claimOne, emptyTables, found, readQueue } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";
import { createOwnEndpoint, PARTNER } from "./own-endpoint.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const key = await api.createKey();
const { ask } = await createOwnEndpoint(api);
const UINT256_MAX = (2n ** 256n - 1n).toString();
const FIELDS = "{ id chainId collectionAddress createdAt done tokens { tokenId status reason } }";

const request = (tokenIds: readonly unknown[], tokenAddress = COLLECTION) =>
  ask(
    `mutation ($tokenAddress: String!, $tokenIds: [String!]!) {
       requestMetadataRefresh(tokenAddress: $tokenAddress, tokenIds: $tokenIds) ${FIELDS} }`,
    { tokenAddress, tokenIds },
  );
async function nextReads(id?: string) {
  const fields = "{ id tokens { tokenId status nextReadAt } }";
  const { data } = id
    ? await ask(`{ found: metadataRefresh(id: "${id}") ${fields} }`)
    : await ask(
        `mutation { found: requestMetadataRefresh(tokenAddress: "${COLLECTION}", tokenIds: ["1", "2", "3", "4"]) ${fields} }`,
      );
  return data.found;
}
const receipt = (id: string) => ask(`query ($id: String!) { metadataRefresh(id: $id) ${FIELDS} }`, { id });
const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

beforeEach(async () => {
  await emptyTables(database);
  api.existing.clear();
});

describe("requestMetadataRefresh", () => {
  it("says what became of each image, as the REST receipt does", async () => {
    api.existing.add("3");

    const { data } = await ask(
      `mutation { requestMetadataRefresh(tokenAddress: "${COLLECTION}", tokenIds: ["3", "4"])
         { tokens { tokenId image imageReason } } }`,
    );

    expect(data.requestMetadataRefresh.tokens).toEqual([
      { tokenId: "3", image: "pending", imageReason: null },
      { tokenId: "4", image: "none", imageReason: null },
    ]);
  });

  it("queues distinct tokens for an anonymous caller, and answers with a receipt that reports their outcome", async () => {
    for (const id of ["3", UINT256_MAX]) api.existing.add(id);

    const { data } = await request(["3", "1", "3", UINT256_MAX]);

    const { id, ...rest } = data.requestMetadataRefresh;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(rest).toEqual({
      chainId: 31337,
      collectionAddress: COLLECTION,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      done: false,
      tokens: [
        { tokenId: "3", status: "queued", reason: null },
        { tokenId: "1", status: "not_found", reason: "the contract has no such token" },
        { tokenId: UINT256_MAX, status: "queued", reason: null },
      ],
    });
    expect(await database.query("select trigger, anonymous from vitrine.refresh")).toEqual(
      Array.from({ length: 2 }, () => ({ trigger: "graphql", anonymous: true })),
    );

    const { worker } = createWorkerSetup(test).start(() =>
      found({ name: "Hero", image: "https://i.example/1" }),
    );
    worker.wake();
    await expect
      .poll(async () =>
        (await receipt(id)).data.metadataRefresh.tokens.map((each: { status: string }) => each.status),
      )
      .toEqual(["updated", "not_found", "updated"]);
    expect((await receipt(id)).data.metadataRefresh.done).toBe(true);
  });

  it("has its receipt by the id in upper case, too", async () => {
    api.existing.add("3");
    const { id } = (await request(["3"])).data.requestMetadataRefresh;

    expect((await receipt(id.toUpperCase())).data.metadataRefresh).toMatchObject({ id });
  });

  it("ranks an app that may refresh over REST as REST does, in both mutations", async () => {
    api.existing.add("3").add("4");
    const { error } = await ask(
      `mutation { refreshMetadata(tokenAddress: "${COLLECTION}", tokenId: "3")
         requestMetadataRefresh(tokenAddress: "${COLLECTION}", tokenIds: ["4"]) { id } }`,
      {},
      PARTNER,
    );

    expect(error).toBeUndefined();
    expect(
      await database.query("select token_id, priority, anonymous from vitrine.refresh order by 1"),
    ).toEqual([
      { token_id: "3", priority: 30, anonymous: false },
      { token_id: "4", priority: 30, anonymous: false },
    ]);
  });

  it("takes a hundred tokens and refuses one more in REST's words", async () => {
    for (const id of ids(100)) api.existing.add(id);

    expect((await request(ids(100))).data.requestMetadataRefresh.tokens).toHaveLength(100);
    expect((await request(ids(101))).error).toMatchObject({
      message:
        "Too many token ids, max number of token ids allowed is 100; tokenIds: has 101 ids; the limit is 100",
      extensions: { code: "TOO_MANY_TOKENS" },
    });
  });

  it("names every argument that is wrong, by its path", async () => {
    const { error } = await request(["1", "01", (2n ** 256n).toString()], "0x12");

    expect(error.extensions).toEqual({ code: "INVALID_REQUEST" });
    for (const part of ['tokenAddress: "0x12" is', 'tokenIds[1]: "01" is', 'tokenIds[2]: "1157920'])
      expect(error.message).toContain(part);
    expect((await request([])).error.message).toBe(
      "Invalid request; tokenIds: must contain at least one token id",
    );
    expect(await readQueue(database)).toEqual([]);
  });

  it("is refused, and leaves nothing, where no token exists and where nobody configured the collection", async () => {
    const none = await request(["1", "2"]);
    const elsewhere = await request(["1"], "0x00000000000000000000000000000000000000aa");

    expect(none.error).toMatchObject({
      message: "Token not found",
      extensions: { code: "TOKEN_NOT_FOUND" },
    });
    expect(elsewhere.error.extensions).toEqual({ code: "COLLECTION_NOT_FOUND" });
    expect(await database.query("select from vitrine.receipt")).toEqual([]);
  });

  it("starts a token no sooner than 60 seconds after the last start that an anonymous caller caused", async () => {
    api.existing.add("1");
    await database.query(
      `insert into vitrine.refresh (chain_id, collection, token_id, wanted, started, done, priority, trigger,
                                    last_started_at, anonymous_started_at)
       values (31337, $1, 1, 1, 1, 1, 30, 'graphql', now() - interval '20 s', now() - interval '20 s')`,
      [COLLECTION],
    );

    await request(["1"]);

    expect((await readQueue(database))[0]?.dueIn).toBeGreaterThan(30);
  });

  it("starts a token that waits for a recheck at once, and again no sooner than 60 seconds later", async () => {
    api.existing.add("1");
    await database.query(
      `insert into vitrine.refresh (chain_id, collection, token_id, wanted, started, done, priority, trigger, looks,
                                    last_started_at, not_before)
       values (31337, $1, 1, 2, 1, 1, 10, 'recheck', 1, now() - interval '20 s', now() + interval '10 s')`,
      [COLLECTION],
    );

    await request(["1"]);
    await complete(database, [await claimOne(test)]);
    await request(["1"]);

    expect((await readQueue(database))[0]?.dueIn).toBeGreaterThan(50);
  });

  it("says when each token is read next: now, after the 60 seconds, or after its host's pause", async () => {
    for (const id of ["1", "2", "3"]) api.existing.add(id);
    await database.query(
      `insert into vitrine.refresh (chain_id, collection, token_id, wanted, started, done, priority, trigger, host,
                                    last_started_at, anonymous_started_at)
       values (31337, $1, 1, 1, 1, 1, 30, 'graphql', '', now() - interval '20 s', now() - interval '20 s'),
              (31337, $1, 2, 1, 1, 1, 30, 'graphql', 'down.example', now() - interval '1 h', now() - interval '1 h')`,
      [COLLECTION],
    );
    await database.query(
      "insert into vitrine.host (host, failures, paused_until, reason) values ('down.example', 5, now() + interval '5 min', 'timeout')",
    );
    const secondsUntil = (at: string) => Math.round((Date.parse(at) - Date.now()) / 1000);
    const { id, tokens } = await nextReads();
    expect(secondsUntil(tokens[0].nextReadAt)).toBeGreaterThan(30);
    expect(secondsUntil(tokens[0].nextReadAt)).toBeLessThanOrEqual(41);
    expect(secondsUntil(tokens[1].nextReadAt)).toBeGreaterThan(290);
    expect(secondsUntil(tokens[2].nextReadAt)).toBeLessThanOrEqual(0);
    expect(tokens[3]).toEqual({ tokenId: "4", status: "not_found", nextReadAt: null });
    expect(tokens[0].nextReadAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

    await database.query(
      "update vitrine.refresh set started = wanted, leased_until = now() + interval '15 s', lease = gen_random_uuid() where token_id = 3",
    );
    expect((await nextReads(id)).tokens[2]).toEqual({ tokenId: "3", status: "fetching", nextReadAt: null });
  });
});

describe("metadataRefresh", () => {
  it("shows no receipt of an app or of the operator, and no app sees an anonymous one", async () => {
    api.existing.add("1");
    const path = "/market-partner/refreshes";
    const { body: ofApp } = await api.call(`/market-partner/collections/${COLLECTION}/refresh_metadata`, {
      key,
      body: { token_ids: ["1"] },
    });
    const { data: anonymous } = await request(["1"]);

    const { body: ofOperator } = await api.call("/admin/refreshes", {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
      body: { collection_address: COLLECTION, token_ids: ["1"] },
    });

    for (const { refresh_id } of [ofApp, ofOperator])
      expect((await receipt(refresh_id)).data).toEqual({ metadataRefresh: null });
    expect((await api.call(`${path}/${anonymous.requestMetadataRefresh.id}`, { key })).status).toBe(404);
    expect((await api.call(`${path}/${ofApp.refresh_id}`, { key })).status).toBe(200);
  });

  it("is null for an id that nobody was given, and an error that names one that is none", async () => {
    expect(await receipt("00000000-0000-4000-8000-000000000000")).toEqual({
      data: { metadataRefresh: null },
      error: undefined,
    });
    expect((await receipt("17")).error).toMatchObject({
      message: 'Invalid request; id: "17" is not the id of a refresh: a UUID',
      extensions: { code: "INVALID_REQUEST" },
    });
  });
});
