import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { anonymousGraphqlLimit } from "../../../src/api/http/limits/tiers.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";

const test = await createTestDatabase();
beforeEach(() => test.database.query("truncate vitrine.rate_limit"));

describe("/openapi.json", () => {
  it("is rendered once: its tag says that a client has it, and it is sent compressed", async () => {
    const { app, call } = createTestApp(test);

    const first = await call("/openapi.json");
    expect(first.headers.get("content-type")).toContain("application/json");
    const etag = first.headers.get("etag") ?? "";
    const again = await call("/openapi.json", { headers: { "if-none-match": etag } });
    expect([again.status, again.text]).toEqual([304, ""]);
    const zipped = await app.request("/openapi.json", { headers: { "accept-encoding": "gzip" } });
    expect(gunzipSync(await zipped.arrayBuffer()).toString()).toBe(first.text);
  });
});

describe("what anybody may open", () => {
  it.each(["/openapi.json", "/reference", "/freshness", "/graphql"])(
    "is limited by client address: %s",
    async (path) => {
      const { call } = createTestApp(test);
      const headers = { accept: "text/html" };
      const ask = async (from: string) => (await call(path, { from, headers })).status;
      // All at once: one after another, they might take longer than the window that they are counted in.
      const statuses = await Promise.all(
        Array.from({ length: anonymousGraphqlLimit.requests + 1 }, () => ask("198.51.100.7")),
      );

      expect(statuses.filter((status) => status === 429)).toHaveLength(1);
      expect(statuses.filter((status) => status === 200)).toHaveLength(anonymousGraphqlLimit.requests);
      expect(await ask("198.51.100.8")).toBe(200);
    },
  );

  it.each(["text/html", "application/json"])("counts once as %s at /graphql", async (accept) => {
    const { call } = createTestApp(test);
    const ask = async () =>
      (await call("/graphql?query={__typename}", { from: "198.51.100.9", headers: { accept } })).headers;

    const left = (await Promise.all([ask(), ask()])).map((sent) => Number(sent.get("ratelimit-remaining")));
    expect(left.sort()).toEqual([anonymousGraphqlLimit.requests - 2, anonymousGraphqlLimit.requests - 1]);
  });
});
