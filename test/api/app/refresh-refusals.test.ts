import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { FAR_COLLECTION } from "../../support/processes/app.ts";
import { COLLECTION, readQueue } from "../../support/refresh/refresh.ts";
import { createRefreshRequests, ids } from "../../support/refresh/refresh-requests.ts";

const { database, api, key, refresh, exist } = await createRefreshRequests();
const REFRESH_PATH = `/market-partner/collections/${COLLECTION}/refresh_metadata`;

describe("a refresh request is refused", () => {
  it.each([
    ["with 101 tokens", ids(101)],
    ["with 101 tokens that are one", Array.from({ length: 101 }, () => "1")],
  ])("%s", async (_why, token_ids) => {
    const { status, body } = await refresh({ token_ids });

    expect(status).toBe(400);
    expect(body).toMatchObject({
      message: "Too many token ids, max number of token ids allowed is 100",
      code: "TOO_MANY_TOKENS",
      details: [{ path: "token_ids", message: "has 101 ids; the limit is 100" }],
    });
  });

  it.each([
    ["without tokens", { token_ids: [] }, "token_ids"],
    ["without token_ids", {}, "token_ids"],
    ["with text for token_ids", { token_ids: "1" }, "token_ids"],
    ["with null for token_ids", { token_ids: null }, "token_ids"],
    ["with a number for an id", { token_ids: ["1", 2] }, "token_ids[1]"],
    ["with a leading zero", { token_ids: ["01"] }, "token_ids[0]"],
    ["with a sign", { token_ids: ["-1"] }, "token_ids[0]"],
    ["with hex", { token_ids: ["0x1"] }, "token_ids[0]"],
    ["with a fraction", { token_ids: ["1.0"] }, "token_ids[0]"],
    ["with a space", { token_ids: [" 1"] }, "token_ids[0]"],
    ["with an empty id", { token_ids: [""] }, "token_ids[0]"],
    ["with other digits", { token_ids: ["١"] }, "token_ids[0]"],
    ["with 2^256", { token_ids: [(2n ** 256n).toString()] }, "token_ids[0]"],
    ["with a list for a body", ["1"], ""],
    ["with null for a body", "null", ""],
  ])("%s", async (_why, body, path) => {
    const answer = await refresh(body);

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ message: "Invalid request", code: "INVALID_REQUEST" });
    expect(answer.body.details).toContainEqual({ path, message: expect.any(String) });
    expect(await readQueue(database)).toEqual([]);
  });

  it("with every problem of the body at once, and no more of them than anyone reads", async () => {
    const some = await refresh({ token_ids: ["01", "1", 7] });
    expect(some.body.details.map(({ path }: { path: string }) => path)).toEqual([
      "token_ids[0]",
      "token_ids[2]",
    ]);

    const many = await refresh({ token_ids: Array.from({ length: 20_000 }, () => 0) });
    expect(many.status).toBe(400);
    expect(many.body.details.length).toBeLessThanOrEqual(100);
    expect(many.text.length).toBeLessThan(20_000);
  });

  it.each([
    ["a body that is not JSON", "{token_ids:[1]}", 400, "Invalid request"],
    ["an empty body", "", 400, "Invalid request"],
    [
      "a body past the limit",
      `{"token_ids":["1"],"x":"${"x".repeat(70_000)}"}`,
      413,
      "Request body too large",
    ],
  ])("with %s", async (_why, body, status, message) => {
    const answer = await refresh(body);

    expect(answer.status).toBe(status);
    expect(answer.body.message).toBe(message);
  });

  it("with a body past the limit, whatever length it declares", async () => {
    exist("1");
    const body = `{"token_ids":["1"],"x":"${"x".repeat(70_000)}"}`;

    const declared = await refresh(body, { headers: { "content-length": String(body.length) } });

    expect(declared.status).toBe(413);
    // Unread bytes would be taken for the connection's next request.
    expect(declared.headers.get("connection")).toBe("close");
  });

  it.each([
    undefined,
    "text/plain",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "application/jsonp",
  ])("with content type %s", async (type) => {
    exist("1");
    const { status, body } = await api.call(REFRESH_PATH, {
      method: "POST",
      key,
      headers: type === undefined ? {} : { "content-type": type },
      body: new TextEncoder().encode('{"token_ids":["1"]}'),
    });

    expect(status).toBe(415);
    expect(body).toMatchObject({ code: "UNSUPPORTED_MEDIA_TYPE", details: [{ path: "content-type" }] });
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ])("with a body compressed with %s, and says that this is the reason", async (coding, compress) => {
    exist("1");
    const { status, body, headers } = await api.call(REFRESH_PATH, {
      method: "POST",
      key,
      headers: { "content-type": "application/json", "content-encoding": coding },
      body: compress('{"token_ids":["1"]}'),
    });

    expect([status, headers.get("accept-encoding")]).toEqual([415, "identity"]);
    expect(body).toMatchObject({
      code: "UNSUPPORTED_MEDIA_TYPE",
      details: [{ path: "content-encoding", message: `must be left out; received "${coding}"` }],
    });
    expect(await readQueue(database)).toEqual([]);
  });

  it.each(["identity", "utf-8", ""])("but not with the content encoding '%s'", async (coding) => {
    exist("1");
    const { status } = await refresh({ token_ids: ["1"] }, { headers: { "content-encoding": coding } });

    expect(status).toBe(200);
  });

  it.each([
    "0x12",
    "no.slug",
    `${COLLECTION}00`,
    COLLECTION.slice(2),
    "0X5fbdb2315678afecb367f032d93f642f64180aa3",
  ])("for the address %s, by the field's name", async (address) => {
    const { status, body } = await refresh({ token_ids: ["1"] }, { address });

    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "INVALID_REQUEST", details: [{ path: "collection_address" }] });
  });

  it("for a collection that nobody configured, and for one on another chain", async () => {
    const unknown = await refresh(
      { token_ids: ["1"] },
      { address: "0x00000000000000000000000000000000000000aa" },
    );
    const elsewhere = await refresh(
      { token_ids: ["1"] },
      { address: FAR_COLLECTION, query: "?chain_id=31337" },
    );

    for (const { status, body } of [unknown, elsewhere]) {
      expect(status).toBe(404);
      expect(body).toMatchObject({ message: "Collection not found", code: "COLLECTION_NOT_FOUND" });
    }
  });

  it.each(["1", "0", "-1", "x", "31337.0", "1e3", "", "99999999999999999999"])(
    "for chain_id=%s",
    async (chainId) => {
      const { status, body } = await refresh({ token_ids: ["1"] }, { query: `?chain_id=${chainId}` });

      expect(status).toBe(400);
      expect(body).toMatchObject({ code: "INVALID_REQUEST", details: [{ path: "chain_id" }] });
    },
  );

  it.each(["11", "-1", "1.5", "x", "", "010"])("for wait=%s", async (wait) => {
    exist("1");
    const { status, body } = await refresh({ token_ids: ["1"] }, { query: `?wait=${wait}` });

    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "INVALID_REQUEST", details: [{ path: "wait" }] });
    expect(await readQueue(database)).toEqual([]);
  });
});
