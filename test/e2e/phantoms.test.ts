/** Tokens with a URI but without a transfer, on a real chain: who may have them read, and who sees them. */

import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import { createSite, type Site, untilIndexed } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { createPartner, eventually } from "../support/processes/world.ts";
import { startLocalServer } from "../support/servers/local-server.ts";
import { type RpcCall, type RpcProxy, startRpcProxy } from "../support/servers/rpc-proxy.ts";
import { createKey } from "../support/service-key.ts";

const SCHEMA = "phantoms";
const REQUESTS = 25;
const IDS_EACH = 100;
/** How many tokens each collection has. */
const MINTED = 3;

type Name = "AnyItems" | "CountedItems" | "SuppliedItems" | "WrappedHeroes";
const names: readonly Name[] = ["AnyItems", "CountedItems", "SuppliedItems", "WrappedHeroes"];

let chain: Chain;
let node: RpcProxy;
let host: Awaited<ReturnType<typeof startLocalServer>>;
let site: Site;
let service: Service;
let partner: ReturnType<typeof createPartner>;
let key: string;
const contracts = {} as Record<Name, Contract>;
/** How often each document was requested, by collection and id. */
const fetched = new Map<string, number>();

beforeAll(async () => {
  chain = await startChain({ contracts: new URL("../contracts/", import.meta.url) });
  node = await startRpcProxy(chain.rpcUrl);
  host = await startLocalServer((request, response) => answerAnyId(request.url ?? "/", response));
  for (const name of names) {
    const uri = `${host.url}/${name}/${name === "WrappedHeroes" ? "" : "{id}"}`;
    contracts[name] = await chain.deploy(name, [uri]);
    for (let id = 1n; id <= MINTED; id++) await mint(name, id);
  }
  const collections = names.map((name) => lower(contracts[name]));
  site = await createSite([{ chain: { ...chain, rpcUrl: node.url }, collections }], {
    ALLOW_PRIVATE_HOSTS: new URL(host.url).host,
    REFRESH_CONCURRENCY: "4",
    // Strangers may use as many addresses as they like.
    TRUSTED_PROXIES: "127.0.0.1,::1",
  });
  await start();
  key = await createKey(service);
  partner = createPartner(service.baseUrl, key);
  for (const name of names) {
    await eventually(
      () => facets(name),
      ({ total, traits }) => total === MINTED && traits[0]?.count === MINTED,
    );
  }
});
afterAll(async () => {
  await site.close();
  await Promise.all([node.close(), host.close()]);
});

async function start(): Promise<void> {
  service = await site.start(SCHEMA);
  await untilIndexed(service, chain);
  if (key) partner = createPartner(service.baseUrl, key);
}

const mint = (name: Name, id: bigint) =>
  chain.write(contracts[name], "mint", [
    chain.account(1).address,
    id,
    ...(name === "WrappedHeroes" ? [] : [5n]),
  ]);

/** A document for any id; its level is the id. */
function answerAnyId(path: string, response: ServerResponse): void {
  const [, name = "", last = ""] = path.split("/");
  if (last === "") {
    response.writeHead(404).end();
    return;
  }
  const id = BigInt(name === "WrappedHeroes" ? last : `0x${last}`);
  fetched.set(`${name}/${id}`, (fetched.get(`${name}/${id}`) ?? 0) + 1);
  response.end(
    JSON.stringify({
      name: `${name} ${id}`,
      image: `${host.url}/missing.png`,
      attributes: [{ trait_type: "Level", display_type: "number", value: Number(id) }],
    }),
  );
}

/** Holds Ponder, which requests the latest block, at an earlier one; the service's own calls see the real chain. */
async function freezeIndex(): Promise<() => void> {
  const head = `0x${(await chain.blockNumber()).toString(16)}`;
  const isLatest = ({ method, params }: RpcCall) =>
    method === "eth_getBlockByNumber" && params[0] === "latest";
  node.reset(({ calls, isBatch }, response) => {
    if (!calls.some(isLatest)) return false;
    const frozen = calls.map((call) => (isLatest(call) ? { ...call, params: [head, call.params[1]] } : call));
    fetch(chain.rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(isBatch ? frozen : frozen[0]),
    })
      .then(async (answer) => response.end(await answer.text()))
      .catch(() => response.destroy());
    return true;
  });
  return () => node.reset();
}

interface Facets {
  readonly total: number;
  readonly listed: number;
  readonly traits: readonly { readonly count: number; readonly max_value: number }[];
}
const facets = async (name: Name): Promise<Facets> =>
  (await partner.call(`/market/collections/${lower(contracts[name])}/traits`)).body as unknown as Facets;
const statusOf = async (name: Name, id: number): Promise<number> =>
  (await partner.call(`/market/collections/${lower(contracts[name])}/tokens/${id}`)).status;

let strangers = 0;

/** Each call comes from another address. */
async function keyless(query: string, variables: Record<string, unknown>) {
  const response = await fetch(`${service.baseUrl}/graphql`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-forwarded-for": `198.51.${Math.floor(++strangers / 250)}.${strangers % 250}`,
    },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as {
    // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
    data?: any;
    errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
  };
}
const REQUEST = `mutation ($tokenAddress: String!, $tokenIds: [String!]!) {
  requestMetadataRefresh(tokenAddress: $tokenAddress, tokenIds: $tokenIds) { id tokens { tokenId status } } }`;
const RECEIPT = "query ($id: String!) { metadataRefresh(id: $id) { done tokens { tokenId status reason } } }";
const request = (name: Name, ids: readonly string[]) =>
  keyless(REQUEST, { tokenAddress: contracts[name].address, tokenIds: ids });
const refreshOne = (name: Name, id: string) =>
  keyless("mutation ($a: String!, $i: String!) { refreshMetadata(tokenAddress: $a, tokenId: $i) }", {
    a: contracts[name].address,
    i: id,
  });

/** The row counts of all tables that requests may fill. */
const countRows = async () => {
  const tables = [
    "refresh",
    "receipt",
    "receipt_token",
    "token",
    "version",
    "document",
    "trait_type",
    "trait_value",
    "held_type",
  ];
  const [row] = await site.query(
    `select ${tables.map((table) => `(select count(*)::int from vitrine.${table}) as ${table}`).join(", ")}`,
  );
  return row;
};
const state = async () => ({
  rows: await countRows(),
  facets: await Promise.all(names.map(facets)),
  tokens: await Promise.all(
    names.map(async (name) => (await partner.token(lower(contracts[name]), 1)).traits),
  ),
});

describe("callers without a key", () => {
  it("change nothing by ten thousand requests for ids that do not exist", async () => {
    const before = await state();

    for (const name of names) {
      for (let nth = 0; nth < REQUESTS; nth++) {
        const ids = Array.from({ length: IDS_EACH }, (_, index) => String(1_000 + nth * IDS_EACH + index));
        const { data, errors } = await request(name, ids);
        expect(data?.requestMetadataRefresh ?? null).toBeNull();
        expect(errors).toMatchObject([{ extensions: { code: "TOKEN_NOT_FOUND" } }]);
      }
      expect((await refreshOne(name, "900")).errors).toMatchObject([
        { message: expect.stringMatching(/^Token not found/), extensions: { code: "TOKEN_NOT_FOUND" } },
      ]);
    }

    expect(await state()).toEqual(before);
    expect([...fetched.keys()].filter((path) => Number(path.split("/")[1]) > MINTED)).toEqual([]);
  });
});

describe("a token that was just minted", () => {
  it.each<[Name, bigint]>([
    ["CountedItems", 70n],
    ["SuppliedItems", 71n],
    ["WrappedHeroes", 72n],
  ])(
    "of %s is read for anybody, and shown with its metadata once its transfer is indexed, by one fetch",
    async (name, id) => {
      const release = await freezeIndex();
      await mint(name, id);

      const { data } = await request(name, [String(id)]);
      const receipt = await eventually(
        async () => (await keyless(RECEIPT, { id: data.requestMetadataRefresh.id })).data.metadataRefresh,
        ({ done }) => done,
      );
      expect(receipt.tokens).toEqual([{ tokenId: String(id), status: "updated", reason: null }]);
      expect(await statusOf(name, Number(id))).toBe(404);
      expect(await facets(name)).toMatchObject({ total: MINTED, traits: [{ max_value: MINTED }] });

      release();
      await eventually(
        () => facets(name),
        ({ total }) => total === MINTED + 1,
      );
      expect(await partner.token(lower(contracts[name]), Number(id))).toMatchObject({
        name: `${name} ${id}`,
        traits: [{ value: Number(id), max_value: Number(id), count: 1, percentage: 100 / (MINTED + 1) }],
      });
      await untilIndexed(service, chain);
      expect(fetched.get(`${name}/${id}`)).toBe(1);
    },
  );

  it("of a contract that can't say which ids exist is read for a caller with a key alone", async () => {
    const release = await freezeIndex();
    await mint("AnyItems", 73n);

    expect((await refreshOne("AnyItems", "73")).errors).toMatchObject([
      { message: expect.stringContaining("only callers with a key can request it") },
    ]);
    const { body } = await partner.refresh(lower(contracts.AnyItems), ["73"], "?wait=10");
    expect(body.tokens).toMatchObject([{ token_id: "73", status: "updated", image: "pending" }]);
    expect(await statusOf("AnyItems", 73)).toBe(404);

    release();
    await eventually(
      () => statusOf("AnyItems", 73),
      (status) => status === 200,
    );
  });
});

describe("a burned token", () => {
  it("is said to be burned at once by every way to ask, and is not fetched", async () => {
    const name = "WrappedHeroes";
    const { blockNumber } = await chain.write(contracts[name], "burn", [2n], chain.account(1));
    const address = lower(contracts[name]);
    await eventually(
      () => partner.token(address, 2),
      ({ burned }) => burned,
    );
    const before = fetched.get(`${name}/2`);
    const reason = `burned: in block ${blockNumber}`;

    expect((await partner.refresh(address, ["2"])).body.tokens).toEqual([
      { token_id: "2", status: "not_found", reason },
    ]);
    expect((await refreshOne(name, "2")).errors).toMatchObject([
      { message: expect.stringContaining(reason) },
    ]);
    expect((await request(name, ["2"])).data.requestMetadataRefresh.tokens).toEqual([
      { tokenId: "2", status: "not_found" },
    ]);
    expect(fetched.get(`${name}/2`)).toBe(before);
  });
});

describe("an upgrade", () => {
  it("forgets what strangers had put in before, with a count in the log, and keeps the rest", async () => {
    const address = lower(contracts.AnyItems);
    const before = await facets("AnyItems");
    await service.stop();
    await site.query(`
      insert into vitrine.token (chain_id, collection, token_id, known_since, traits)
      select t.chain_id, t.collection, n, now() - interval '1 hour', t.traits
        from vitrine.token t, generate_series(1000, 9699) n where t.collection = '${address}' and t.token_id = 1;
      update vitrine.token set known_since = now() - interval '1 hour';
      delete from vitrine.daily_job where name like 'delete tokens without an indexed transfer%'`);
    // The chain index's head must be newer than what it judges.
    await chain.mine();

    await start();
    const { total, listed, traits } = await eventually(
      () => facets("AnyItems"),
      (now) => now.total === before.total,
    );

    expect({ total, listed, traits }).toEqual(before);
    // The totals count none of them, even before the job has deleted their rows.
    const done = /Daily job done.*delete tokens without an indexed transfer on chain 31337.*8700/s;
    expect(
      await eventually(
        async () => service.log(),
        (log) => done.test(log),
      ),
    ).toMatch(done);
    expect(await site.query("select from vitrine.token")).toHaveLength(4 * MINTED + 4);
  });
});

describe("a wallet that holds nothing", () => {
  it("lists no token by moving nothing of it, which OpenZeppelin's contracts let anybody do", async () => {
    const stranger = chain.account(5);
    const ids = Array.from({ length: IDS_EACH }, (_, index) => BigInt(5_000 + index));
    const items = ["AnyItems", "CountedItems", "SuppliedItems"] as const;
    const totals = () => Promise.all(items.map(async (name) => (await facets(name)).total));
    const before = await totals();

    for (const name of items) {
      const ends = [stranger.address, stranger.address] as const;
      await chain.write(contracts[name], "safeTransferFrom", [...ends, 4_999n, 0n, "0x"], stranger);
      const amounts = ids.map(() => 0n);
      await chain.write(contracts[name], "safeBatchTransferFrom", [...ends, ids, amounts, "0x"], stranger);
    }
    // Found in chain order: if an older token were minted, later ones would be listed too.
    for (const name of items) await mint(name, 80n);
    await eventually(
      async () => Promise.all(items.map((name) => statusOf(name, 80))),
      (statuses) => statuses.every((status) => status === 200),
    );

    // A token is answered for before it is listed.
    await eventually(totals, (now) => now.every((total, index) => total > (before[index] ?? 0)));
    expect(await totals()).toEqual(before.map((total) => total + 1));
    for (const name of items) expect(await statusOf(name, 5_000)).toBe(404);
  });
});
