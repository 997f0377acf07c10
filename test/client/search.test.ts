/** Searches of the client: the requests that they become. */

import { afterEach, expect, it } from "vitest";
import { json, type ScriptedService, startScriptedService } from "./scripted-service.ts";

const HEROES = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const [ADA, BEN] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`];
let service: ScriptedService;
afterEach(() => service.close());

const pathOf = async (call: (client: ReturnType<ScriptedService["client"]>) => Promise<unknown>) => {
  service = await startScriptedService(json(200, { items: [], next_cursor: null, total: 0 }));
  await call(service.client());
  const url = new URL(service.requests[0]?.replace(/^\w+ /, "") ?? "", "http://service");
  return [decodeURIComponent(url.pathname), Object.fromEntries(url.searchParams)];
};

it("tokens of several owners, with delegated ones, one per document, rarest first", async () => {
  const conditions = {
    owner: [ADA, BEN],
    includeDelegated: true,
    group: "document",
    sort: "rarity",
  } as const;
  expect(await pathOf((client) => client.tokens(HEROES, conditions).take(1))).toEqual([
    `/market/collections/${HEROES}/tokens`,
    { owner: `${ADA},${BEN}`, include_delegated: "true", group: "document", sort: "rarity", limit: "100" },
  ]);
});

it("one owner is sent as it is", async () => {
  expect((await pathOf((client) => client.traits(HEROES, { owner: ADA })))[1]).toEqual({ owner: ADA });
});

it("values of a trait of any name", async () => {
  expect(await pathOf((client) => client.traitValues(HEROES, "a/b c", { prefix: "Ma", limit: 5 }))).toEqual([
    `/market/collections/${HEROES}/traits/a/b c/values`,
    { prefix: "Ma", limit: "5" },
  ]);
  expect(service.requests[0]).toContain("/traits/a%2Fb%20c/values");
});

it("collections and tokens by name", async () => {
  expect(await pathOf((client) => client.search("dragon egg", { chainId: 5 }))).toEqual([
    "/market/search",
    { q: "dragon egg", chain_id: "5" },
  ]);
});
