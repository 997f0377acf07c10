import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { createWorkerSetup } from "../../support/processes/worker.ts";
import { COLLECTION, found, readQueue } from "../../support/refresh/refresh.ts";
import { createRefreshRequests, ids } from "../../support/refresh/refresh-requests.ts";

const { test, database, api, key, refresh, exist } = await createRefreshRequests();
const UINT256_MAX = (2n ** 256n - 1n).toString();

describe("a refresh request", () => {
  it("queues its tokens and answers with a receipt", async () => {
    exist("1", "2");

    const { status, body } = await refresh({ token_ids: ["1", "2"] });

    expect(status).toBe(200);
    expect(body).toEqual({
      message: "Metadata refresh initiated",
      refresh_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      chain_id: 31337,
      collection_address: COLLECTION,
      tokens: [
        { token_id: "1", status: "queued" },
        { token_id: "2", status: "queued" },
      ],
    });
    expect(await readQueue(database)).toMatchObject([{ trigger: "rest" }, { trigger: "rest" }]);
  });

  it("has its receipt by the id in upper case, too", async () => {
    exist("1");
    const { refresh_id: id } = (await refresh({ token_ids: ["1"] })).body;
    const read = await api.call(`/market-partner/refreshes/${id.toUpperCase()}`, { key });

    expect([read.status, read.body.refresh_id]).toEqual([200, id]);
  });

  it("folds duplicates in request order", async () => {
    exist("3", "1", "2");

    const { body } = await refresh({ token_ids: ["3", "1", "3", "2", "1"] });

    expect(body.tokens.map((token: { token_id: string }) => token.token_id)).toEqual(["3", "1", "2"]);
    expect((await readQueue(database)).map(({ requested }) => requested)).toEqual([1, 1, 1]);
  });

  it("may name 100 tokens, ids up to 2^256-1 among them", async () => {
    exist(...ids(99), UINT256_MAX);

    const { status, body } = await refresh({ token_ids: [...ids(99), UINT256_MAX] });

    expect(status).toBe(200);
    expect(body.tokens).toHaveLength(100);
    expect(await readQueue(database)).toHaveLength(100);
  });

  it("reports which of its tokens do not exist, as long as one does", async () => {
    exist("2");

    const { status, body } = await refresh({ token_ids: ["1", "2"] });

    expect(status).toBe(200);
    expect(body.tokens).toEqual([
      { token_id: "1", status: "not_found" },
      { token_id: "2", status: "queued" },
    ]);
  });

  it("for tokens that all do not exist is refused", async () => {
    const { status, body } = await refresh({ token_ids: ["1", "2"] });

    expect(status).toBe(400);
    expect(body).toMatchObject({ message: "Token not found", code: "TOKEN_NOT_FOUND" });
    expect(await readQueue(database)).toEqual([]);
  });

  it("takes the address in any case, unknown members, and any JSON media type", async () => {
    exist("1");

    const answers = [
      await refresh(
        { token_ids: ["1"], note: "x" },
        { address: COLLECTION.toUpperCase().replace("0X", "0x") },
      ),
      await refresh({ token_ids: ["1"] }, { headers: { "content-type": "Application/JSON; charset=utf-8" } }),
      await refresh({ token_ids: ["1"] }, { headers: { "content-type": "application/vnd.api+json" } }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("goes to the chain it names, or else to the one that has the address", async () => {
    exist("1");

    const answers = [
      await refresh({ token_ids: ["1"] }, { address: FAR_COLLECTION }),
      await refresh({ token_ids: ["1"] }, { query: `?chain_id=${FAR_CHAIN_ID}` }),
      await refresh({ token_ids: ["1"] }),
    ];

    const places = [
      { chain_id: FAR_CHAIN_ID, collection_address: FAR_COLLECTION },
      { chain_id: FAR_CHAIN_ID, collection_address: COLLECTION },
      { chain_id: 31337, collection_address: COLLECTION },
    ];
    expect(answers.map(({ body }) => body)).toMatchObject(places);
    const receipts = answers.map(({ body }) =>
      api.call(`/market-partner/refreshes/${body.refresh_id}`, { key }),
    );
    expect((await Promise.all(receipts)).map(({ body }) => body)).toMatchObject(places);
    const chains = await database.query(
      "select chain_id::int as chain, collection from vitrine.refresh order by 1, 2",
    );
    expect(chains).toEqual([
      { chain: FAR_CHAIN_ID, collection: FAR_COLLECTION },
      { chain: FAR_CHAIN_ID, collection: COLLECTION },
      { chain: 31337, collection: COLLECTION },
    ]);
  });
});

describe("?wait=", () => {
  it("answers with what became of the tokens as soon as it is known", async () => {
    exist("1");
    const { worker } = createWorkerSetup(test).start(() =>
      found({ name: "Hero", image: "https://img.example/1.png" }),
    );

    const waiting = refresh({ token_ids: ["1", "2"] }, { query: "?wait=10" });
    await eventually(
      () => readQueue(database),
      (rows) => rows.length === 1,
    );
    worker.wake();
    const { status, body } = await waiting;

    expect(status).toBe(200);
    expect(body.tokens).toMatchObject([
      { token_id: "1", status: "updated", reason: null },
      { token_id: "2", status: "not_found", reason: "the contract has no such token" },
    ]);
  });

  it("answers as it stands when the time is over", async () => {
    exist("1");

    const { body } = await refresh({ token_ids: ["1"] }, { query: "?wait=1" });

    expect(body.tokens).toMatchObject([{ token_id: "1", status: "queued", reason: null }]);
  });
});

describe("a receipt", () => {
  const receipt = (id: string, as = key) => api.call(`/market-partner/refreshes/${id}`, { key: as });

  it("reports how each token stands", async () => {
    exist("1");
    const { body: accepted } = await refresh({ token_ids: ["1", "2"] });

    const { status, body } = await receipt(accepted.refresh_id);

    expect(status).toBe(200);
    expect(body).toEqual({
      refresh_id: accepted.refresh_id,
      chain_id: 31337,
      collection_address: COLLECTION,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      done: false,
      tokens: [
        { token_id: "1", status: "queued", reason: null, image: "pending", image_reason: null },
        {
          token_id: "2",
          status: "not_found",
          reason: "the contract has no such token",
          image: "none",
          image_reason: null,
        },
      ],
    });
  });

  it("is visible to every key of its app, and to no other app", async () => {
    exist("1");
    const { body: accepted } = await refresh({ token_ids: ["1"] });

    expect((await receipt(accepted.refresh_id, await api.createKey())).status).toBe(200);
    const foreign = await receipt(
      accepted.refresh_id,
      await api.createKey(["market-partner"], "Somebody else"),
    );
    const unknown = await receipt("00000000-0000-4000-8000-000000000000");

    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, request_id: "" }).toEqual({ ...unknown.body, request_id: "" });
  });

  it("with a malformed id is refused by the field's name", async () => {
    const { status, body } = await receipt("17");

    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "INVALID_REQUEST", details: [{ path: "refresh_id" }] });
  });
});
