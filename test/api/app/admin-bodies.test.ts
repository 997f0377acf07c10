import { describe, expect, it } from "vitest";
import { toApiError } from "../../../src/api/http/router.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
const { app, call } = createTestApp(test);
const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };

describe("a body for the operator's routes", () => {
  it.each([
    ["POST", "/admin/keys"],
    ["POST", "/admin/allowlist"],
    ["DELETE", "/admin/allowlist"],
    ["POST", "/admin/traits/approve"],
    ["POST", "/admin/locks/reconcile"],
    ["POST", "/admin/refreshes"],
  ])("of more than 1 MiB is not read: %s %s", async (method, path) => {
    let read = 0;
    const body = new ReadableStream({
      pull(controller) {
        read += 64 * 1024;
        if (read > 5 * 1024 * 1024) controller.close();
        else controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
    const init = {
      method,
      headers: { ...headers, "content-type": "application/json" },
      body,
      duplex: "half",
    };
    const answer = await app.request(path, init as RequestInit, {
      incoming: { socket: { remoteAddress: "127.0.0.1" } },
    });

    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({
      code: "BODY_TOO_LARGE",
      details: [{ message: "the limit is 1048576 bytes" }],
    });
    expect(read).toBeLessThan(2 * 1024 * 1024);
  });

  it("with text that PostgreSQL has no place for is refused by name", async () => {
    for (const name of ["a\0b", "\ud800"]) {
      const answer = await call("/admin/keys", { headers, body: { app: name, apis: ["market"] } });
      expect([answer.status, answer.body.details]).toEqual([
        400,
        [{ path: "app", message: "must be Unicode without U+0000" }],
      ]);
    }
  });
});

describe("a collection that isn't served", () => {
  const message = "is not a collection served here";
  const refused = [
    [
      "/admin/keys",
      { app: "", apis: [], collections: ["nope", "heroes"] },
      ["app", "apis"],
      "collections[0]",
    ],
    ["/admin/allowlist", { pattern: "", collection: "nope" }, ["pattern"], "collection"],
    [
      "/admin/traits/approve",
      { collection: "nope", trait_type: "", display_type: "" },
      ["trait_type", "display_type"],
      "collection",
    ],
    ["/admin/locks/reconcile", { collection: "nope", limit: 0 }, ["limit"], "collection"],
  ] as const;

  it.each(refused)(
    "is named beside all else that is wrong with a body: %s",
    async (path, body, others, at) => {
      const answer = await call(path, { method: "POST", headers, body });

      expect([answer.status, answer.body.code]).toEqual([400, "INVALID_REQUEST"]);
      expect(answer.body.details.map((detail: { path: string }) => detail.path)).toEqual([...others, at]);
      expect(answer.body.details).toContainEqual({ path: at, message });
    },
  );

  it("is 404 where nothing else is wrong, and each is named", async () => {
    const body = { app: "Ours", apis: ["market"], collections: ["nope", "heroes", "nor"] };
    const answer = await call("/admin/keys", { headers, body });

    expect([answer.status, answer.body.code]).toEqual([404, "COLLECTION_NOT_FOUND"]);
    expect(answer.body.details).toEqual([
      { path: "collections[0]", message },
      { path: "collections[2]", message },
    ]);
  });
});

describe("a fault of the database", () => {
  it("that is the text of a caller is the caller's", async () => {
    const fault = await test.database.query("select $1::text", ["\0"]).catch((error: Error) => error);

    expect(toApiError(fault as Error)).toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("that it is closed, since the service stops, passes", () => {
    const fault = new Error("Cannot use a pool after calling end on the pool");

    expect(toApiError(fault)).toMatchObject({ code: "UNAVAILABLE" });
  });
});
