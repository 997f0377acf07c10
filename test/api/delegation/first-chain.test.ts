import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createDelegationSetup } from "../../support/chain/delegations.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { startLocalServer } from "../../support/servers/local-server.ts";

const test = await createTestDatabase();
const delegations = createDelegationSetup(test);
const HOT = "0xabcdef0000000000000000000000000000000b07";
const COLD = "0xabcdef0000000000000000000000000000000c01";
const FAR_COLD = "0xabcdef0000000000000000000000000000000c02";
const REGISTRY = "0x00000000000000447e69651d841bd8d104bed493";

// As src/config.ts gives them to Ponder: by id, whatever the order of the collections.
const LOWER_ID = Math.min(CHAIN_ID, FAR_CHAIN_ID);
const HIGHER_ID = Math.max(CHAIN_ID, FAR_CHAIN_ID);
const byId = [LOWER_ID, HIGHER_ID];
const registriesOf = (chainIds: readonly number[]) =>
  chainIds.map((chainId) => ({ chainId, address: REGISTRY, startBlock: 0 }));
const collectionsOf = (chainIds: readonly number[]) =>
  chainIds.map((chainId) => ({ chainId, address: COLLECTION, startBlock: 0 }));

const node = (chainId: number) =>
  startLocalServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const { id } = JSON.parse(text) as { id: number };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: `0x${chainId.toString(16)}` }));
    });
  });
const nodes = await Promise.all(byId.map(node));
afterAll(async () => {
  await Promise.all(nodes.map((each) => each.close()));
});

const chains = byId.map((id, at) => ({ id, rpcUrls: [nodes[at]?.url ?? ""] }));

const appWith = (
  listed: readonly number[],
  indexed: readonly number[],
  config: Parameters<typeof createTestApp>[1] = {},
) =>
  createTestApp(test, {
    chains,
    configured: collectionsOf(listed),
    registries: registriesOf(indexed),
    ...config,
  });

beforeEach(async () => {
  await delegations.clear();
  for (const chainId of byId) await test.setHead({ chainId, block: 100 });
  await delegations.add({ type: "ALL", from: COLD, to: HOT, chainId: LOWER_ID });
  await delegations.add({ type: "ALL", from: FAR_COLD, to: HOT, chainId: HIGHER_ID });
});

const holderOn = (chainId: number): string => (chainId === LOWER_ID ? COLD : FAR_COLD);

describe("without a chain id", () => {
  it.each([
    ["the first of the collections, of the higher id", [HIGHER_ID, LOWER_ID], byId, HIGHER_ID],
    ["the first of the collections, of the lower id", [LOWER_ID, HIGHER_ID], byId, LOWER_ID],
    ["the first of them whose registry is indexed", [HIGHER_ID, LOWER_ID], [LOWER_ID], LOWER_ID],
  ] as const)("every delegation route means %s", async (_which, listed, indexed, expected) => {
    const api = appWith(listed, indexed);
    const key = await api.createKey();
    const get = async (path: string) => (await api.call(path, { key })).body;
    const from = holderOn(expected);
    const parties = `from=${from}&to=${HOT}`;
    const of = `${parties}&contract=${COLLECTION}&tokenId=1`;

    expect(await get(`/registry/v2/${HOT}`)).toMatchObject([{ from }]);
    expect(await get(`/registry/v2/check/all?${parties}`)).toMatchObject([{ from }]);
    expect(await get(`/registry/v2/check/erc721?${of}`)).toBe(true);
    expect(await get(`/registry/v2/check/contract?${parties}&contract=${COLLECTION}`)).toBe(true);
    expect(await get(`/registry/v2/check/erc20?${parties}&contract=${COLLECTION}`)).not.toBe("0");
    expect(await get(`/registry/v2/check/erc1155?${of}`)).not.toBe("0");
    expect(await get(`/market/wallets/${HOT}/delegations`)).toMatchObject({
      chain_id: expected,
      incoming: [{ from }],
    });
  });

  it("a token and the delegations to act on it are those of one chain", async () => {
    const api = appWith([HIGHER_ID, LOWER_ID], byId);
    const key = await api.createKey();
    const get = async (path: string) => (await api.call(path, { key })).body;

    const { chain_id } = await get(`/market/collections/${COLLECTION}`);

    expect(chain_id).toBe(HIGHER_ID);
    expect(await get(`/market/wallets/${HOT}/delegations`)).toMatchObject({ chain_id });
  });

  it("another registry is asked about the first chain of the collections", async () => {
    const paths: string[] = [];
    const server = await startLocalServer((request, response) => {
      paths.push(request.url ?? "");
      response.writeHead(200, { "content-type": "application/json" }).end("[]");
    });
    // The chain of the lower id is in no collection.
    const api = appWith([HIGHER_ID], [], { config: { delegationUrl: server.url } });

    const { body } = await api.call(`/market/wallets/${HOT}/delegations`, { key: await api.createKey() });
    await server.close();

    expect(body).toMatchObject({ chain_id: HIGHER_ID, status: "ok" });
    expect(paths.every((path) => path.includes(`chainId=${HIGHER_ID}`))).toBe(true);
    expect(paths).not.toEqual([]);
  });

  it("the console's demo wallet is that of the chain on which it checks contract wallets", async () => {
    const api = appWith([HIGHER_ID, LOWER_ID], byId, { config: { demoWallet: true } });

    const { body } = await api.call("/console/demo-wallet", {
      body: { method: "eth_chainId" },
      headers: { origin: api.baseUrl },
    });

    expect(Number(body.result)).toBe(HIGHER_ID);
  });
});
