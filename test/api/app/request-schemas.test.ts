/** What openapi.json lets through and the service refuses, or the other way around. */

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const key = await api.createKey(["market-partner", "market"]);
const { body: document } = await api.call("/openapi.json");
const { schemas } = document.components;

/** By the schema's own bounds: formats say less, and not every validator reads them. */
function isValid(schema: object, value: unknown): boolean {
  const least = (schema as { minProperties?: number }).minProperties ?? 0;
  const text = JSON.stringify(schema, (name, each) => (name === "format" ? undefined : each));
  const isLongEnough = typeof value !== "object" || value === null || Object.keys(value).length >= least;
  return isLongEnough && z.fromJSONSchema(JSON.parse(text)).safeParse(value).success;
}

const information = `/market-partner/collections/${COLLECTION}/information`;
const hooks = "/market-partner/webhooks";
const hook = { url: "https://partner.example/hooks" };
const { body: created } = await api.call(hooks, { key, body: hook });

describe("a body", () => {
  it.each([
    ["an empty name", { name: "" }],
    ["a blank name", { name: " \u3000" }],
    ["a blank group", { name: "A", trait_groups: [{ name: " ", traits: [] }] }],
    ["an empty trait type", { name: "A", trait_groups: [{ name: "B", traits: [{ name: "" }] }] }],
    [
      "a trait type too long",
      { name: "A", trait_groups: [{ name: "B", traits: [{ name: "x".repeat(1001) }] }] },
    ],
    ["a slug like an address", { name: "A", slug: "0xface" }],
    ["a slug of 40 hex digits", { name: "A", slug: "a".repeat(40) }],
    ["a time with an offset", { name: "A", tradable_at: "2026-01-31T12:00:00+07:00" }],
    ["a time without seconds", { name: "A", tradable_at: "2026-01-31T12:00Z" }],
    ["a time of year 0", { name: "A", show_at: "0000-01-31T12:00:00Z" }],
    ["a time with a long fraction", { name: "A", show_at: `2026-01-31T12:00:00.${"1".repeat(40)}Z` }],
    ["a link of another scheme", { name: "A", website: "ipfs://x" }],
    ["a link without slashes", { name: "A", website: "https:x.example" }],
    ["a link with a space", { name: "A", website: "https://x.example/a b" }],
    ["an empty link", { name: "A", website: "" }],
  ])("of information has not %s, neither by the schema nor for the service", async (_what, body) => {
    expect(isValid(schemas.CollectionInformationRequest, body)).toBe(false);
    expect((await api.call(information, { method: "PUT", key, body })).status).toBe(400);
  });

  it.each([
    { name: " A " },
    { name: "A", slug: "heroes-of_7", website: null },
    { name: "A", slug: "0xfaceless", website: "HTTPS://x.example/@a?b#c" },
    { name: "A", slug: null, show_at: "2026-01-31T12:00:00Z", tradable_at: "2026-01-31T12:00:00.25Z" },
    { name: "A", tradable_at: "2024-02-29T23:59:59Z", trait_groups: [{ name: "\u{1f308}", traits: [] }] },
  ])("of information is %j by the schema and for the service", async (body) => {
    expect(isValid(schemas.CollectionInformationRequest, body)).toBe(true);
    expect((await api.call(information, { method: "PUT", key, body })).status).toBe(200);
  });

  it.each([
    ["NewWebhook", "POST", hooks, { url: "" }],
    ["NewWebhook", "POST", hooks, { url: "ftp://partner.example" }],
    ["ChangedWebhook", "PATCH", `${hooks}/${created.id}`, { url: "" }],
    ["ChangedWebhook", "PATCH", `${hooks}/${created.id}`, {}],
  ])("%s of %s %s is not %j", async (name, method, path, body) => {
    expect(isValid(schemas[name], body)).toBe(false);
    expect((await api.call(path, { method, key, body })).status).toBe(400);
  });

  it.each([
    ["OperatorRefreshRequest", "/admin/refreshes", { collection_address: "" }],
    ["OperatorRefreshRequest", "/admin/refreshes", { collection_address: "0xface" }],
    ["AllowedHostEntry", "/admin/allowlist", { pattern: "cdn.example", collection: "" }],
    ["AllowedHostEntry", "/admin/allowlist", { pattern: "cdn.example", collection: "0:heroes" }],
  ])("%s of the operator at %s is not %j", async (name, path, body) => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    expect(isValid(schemas[name], body)).toBe(false);
    expect((await api.call(path, { headers, body })).status).toBe(400);
  });

  it.each([{ collection: null }, { collection: "heroes" }, { collection: `${CHAIN_ID}:${COLLECTION}` }, {}])(
    "of an allowed host may have %j",
    async (more) => {
      const body = { pattern: "cdn.example", ...more };
      const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
      expect(isValid(schemas.AllowedHostEntry, body)).toBe(true);
      expect((await api.call("/admin/allowlist", { headers, body })).status).toBe(200);
    },
  );
});

describe("chain_id", () => {
  const { parameters } = document.paths["/market/collections/{collection_address}"].get;
  const { schema } = parameters.find(({ name }: { name: string }) => name === "chain_id");

  it.each([-1, 0, 10 ** 15])("is not %i", async (id) => {
    expect(isValid(schema, id)).toBe(false);
    expect((await api.call(`/market/collections/${COLLECTION}?chain_id=${id}`, { key })).status).toBe(400);
  });
});
