/** Whole collections for partners, and what contracts say of themselves, on a real chain (docs/refresh.md, docs/api.md). */

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import { createSite, type Site, untilIndexed } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { eventually } from "../support/processes/world.ts";
import { type LocalServer, startLocalServer } from "../support/servers/local-server.ts";
import { createKey } from "../support/service-key.ts";

const CONTRACTS = new URL("../contracts/", import.meta.url);
const TOKENS = 200;

let chain: Chain;
let host: LocalServer;
let site: Site;
let service: Service;
let heroes: Contract;
let key: string;
let description = "At first";
let delayMs = 0;
const asked = (): number => host.requests.filter(({ url }) => /\/\d+$/.test(url ?? "")).length;

beforeAll(async () => {
  [chain, host] = await Promise.all([
    startChain({ contracts: CONTRACTS }),
    startLocalServer(({ url = "" }, response) => {
      const name = url.includes("contract") ? "Heroes" : `Hero at ${url}`;
      const body = JSON.stringify({ name, description, image: `${host.url}/none.png` });
      setTimeout(() => response.end(body), delayMs);
    }),
  ]);
  heroes = await chain.deploy("SelfDescribing", [`${host.url}/`, chain.account(3).address]);
  for (let from = 1n; from <= TOKENS; from += 50n)
    await chain.write(heroes, "mintRange", [chain.account(1).address, from, 50n]);
  site = await createSite([{ chain, collections: [lower(heroes)] }], {
    REFRESH_CONCURRENCY: "4",
    RESAMPLE_HOURS: "0",
    ALLOW_PRIVATE_HOSTS: host.host,
  });
  service = await site.start("partners");
  await untilIndexed(service, chain);
  key = await createKey(service);
  await eventually(
    () => site.query("select from vitrine.token where last_outcome = 'good'"),
    (rows) => rows.length === TOKENS,
  );
});
afterAll(async () => {
  await site.close();
  await host.close();
});

async function call(method: string, path: string) {
  const response = await fetch(`${service.baseUrl}${path}`, { method, headers: { "x-api-key": key } });
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
  return { status: response.status, body: (await response.json()) as any };
}
const collection = async () => (await call("GET", `/market/collections/${lower(heroes)}`)).body;
const partner = (path: string) => `/market-partner/collections/${lower(heroes)}/${path}`;
const receiptOf = async (id: string) => (await call("GET", `/market-partner/refreshes/${id}`)).body;
const eventsOf = (id: string) =>
  site.query(
    `select from vitrine.event where type = 'collection_refreshed' and payload ->> 'refresh_id' = '${id}'`,
  );

it("a contract's document and royalty are shown, and again after it announces a change", async () => {
  const first = await eventually(collection, ({ information }) => information !== null);
  expect(first).toMatchObject({
    name: "Heroes",
    information: { description: "At first" },
    information_source: { name: "contract", description: "contract", website: null },
    royalty: { receiver: chain.account(3).address.toLowerCase(), percent: 5 },
  });

  description = "Now";
  await chain.write(heroes, "describe", [`${host.url}/contract/2`, chain.account(4).address, 250n]);

  const next = await eventually(collection, ({ royalty }) => royalty?.percent === 2.5);
  expect(next).toMatchObject({
    information: { description: "Now" },
    royalty: { receiver: chain.account(4).address.toLowerCase() },
  });
});

it("a contract's document is read again after it announces another one as SeaDrop does", async () => {
  description = "As in SeaDrop";
  await chain.write(heroes, "setContractURI", [`${host.url}/contract/3`]);

  const next = await eventually(collection, ({ information }) => information.description === description);
  expect(next).toMatchObject({ information: { description } });
});

it("a refresh of the collection goes on after a crash, and one that is cancelled asks the host for no more", async () => {
  delayMs = 200;
  const { body } = await call("POST", partner("refresh_collection"));
  const id = body.refresh_id as string;
  expect((await call("POST", partner("refresh_collection"))).body).toMatchObject({
    code: "REFRESH_RUNNING",
    details: [{ path: "refresh_id", message: id }],
  });
  await eventually(
    () => receiptOf(id),
    ({ counts }) => counts.updated + counts.unchanged > 0,
  );

  await service.stop("SIGKILL");
  delayMs = 0;
  service = await site.start("partners");
  const done = await eventually(
    () => receiptOf(id),
    (receipt) => receipt.done,
  );
  expect(done).toMatchObject({
    status: "done",
    counts: { total: TOKENS, queued: 0, failed: 0, cancelled: 0 },
  });
  expect(done.counts.updated + done.counts.unchanged).toBe(TOKENS);
  await eventually(
    () => eventsOf(id),
    (rows) => rows.length === 1,
  );

  delayMs = 300;
  const second = (await call("POST", partner("refresh_collection"))).body.refresh_id as string;
  await eventually(
    () => receiptOf(second),
    ({ counts }) => counts.fetching > 0,
  );
  expect((await call("DELETE", `/market-partner/refreshes/${second}`)).body.status).toBe("cancelled");
  const { counts } = await eventually(
    () => receiptOf(second),
    (receipt) => receipt.done,
  );
  expect(counts.cancelled).toBeGreaterThan(0);
  expect(counts.updated + counts.unchanged + counts.failed + counts.cancelled).toBe(TOKENS);
  // What was under way when it was cancelled may reach the host yet.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const before = asked();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  // A token of the refresh before the crash may be asked about once more; those that were cancelled are not.
  expect(counts.cancelled).toBeGreaterThan(10);
  expect(asked() - before).toBeLessThan(5);

  const health = (await call("GET", partner("health"))).body;
  expect(health).toMatchObject({ tokens: TOKENS, current: TOKENS, failed: 0, unread: 0 });
});
