/** The client's lists: what they ask for, page by page. */

import { afterEach, expect, it } from "vitest";
import { json, type ScriptedService, type Step, startScriptedService } from "./scripted-service.ts";

let service: ScriptedService;
afterEach(() => service?.close());

const page =
  (items: readonly unknown[], next_cursor: string | null = null): Step =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ items, next_cursor, missing: [] }));
  };
const HEROES = "/market/collections/heroes";
const WALLET = `0x${"a1".padStart(40, "0")}`;

it.each([
  [
    "owners",
    (client: Client) => client.owners("heroes", { atBlock: 0, chainId: 5, pageSize: 2 }),
    `${HEROES}/owners?chain_id=5&limit=2&at_block=0`,
  ],
  [
    "walletTokens",
    (client: Client) => client.walletTokens(WALLET, { collection: "heroes", includeDelegated: true }),
    `/market/wallets/${WALLET}/tokens?limit=100&collection_address=heroes&include_delegated=true`,
  ],
  [
    "tokenActivity",
    (client: Client) => client.tokenActivity("heroes", 0n, { types: ["mint", "metadata"] }),
    `${HEROES}/tokens/0/activity?limit=100&type=mint%2Cmetadata`,
  ],
  [
    "collectionActivity",
    (client: Client) => client.collectionActivity("heroes"),
    `${HEROES}/activity?limit=100`,
  ],
  [
    "walletActivity",
    (client: Client) => client.walletActivity(WALLET, { types: ["lock"], chainId: 5 }),
    `/market/wallets/${WALLET}/activity?chain_id=5&limit=100&type=lock`,
  ],
] as const)("%s reads every page", async (_name, open, path) => {
  service = await startScriptedService(page([1, 2], "next"), page([3]));
  const seen: unknown[] = [];
  for await (const item of open(service.client())) seen.push(item);

  expect(seen).toEqual([1, 2, 3]);
  expect(service.requests).toEqual([`GET ${path}`, `GET ${path}&cursor=next`]);
});

it("list reads every page of keys, whose array has a name of its own", async () => {
  service = await startScriptedService(
    json(200, { keys: [{ id: "1" }, { id: "2" }], next_cursor: "next" }),
    json(200, { keys: [{ id: "3" }], next_cursor: null }),
  );
  const ids: string[] = [];
  // Not destructured: the compiler takes any field out of an item of the type `never`.
  for await (const key of service.client().list("/admin/keys")) ids.push(key.id);

  expect(ids).toEqual(["1", "2", "3"]);
  expect(service.requests).toEqual(["GET /admin/keys", "GET /admin/keys?cursor=next"]);
});

it("list reads the tokens of a health report, which are there only with a cause", async () => {
  service = await startScriptedService(page([{ token_id: "1" }], "next"), page([{ token_id: "2" }]));
  const tokens = service.client().list("/market-partner/collections/{collection_address}/health", {
    path: { collection_address: "heroes" },
    query: { cause: "timeout" },
  });

  expect((await tokens.take(9)).map((token) => token.token_id)).toEqual(["1", "2"]);
});

type Client = ReturnType<ScriptedService["client"]>;

it("tokensById sends ids as text, is repeated after a fault, and takes no number", async () => {
  service = await startScriptedService(
    (_request, response) => response.writeHead(503).end(),
    page([{ token_id: "1" }]),
  );

  const { items } = await service.client().tokensById("heroes", [1n, "2"]);
  expect(items).toEqual([{ token_id: "1" }]);
  expect(service.requests).toEqual(Array(2).fill(`POST ${HEROES}/tokens/batch`));
  await expect(async () => service.client().tokensById("heroes", [1 as never])).rejects.toThrow(TypeError);
});
