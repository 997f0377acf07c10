import { setTimeout as sleep } from "node:timers/promises";
import { zeroHash } from "viem";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { raiseHeads } from "../../../src/api/chain/index/head-mark.ts";
import { createDelegationModule } from "../../../src/api/delegation/module.ts";
import { createDelegations } from "../../../src/api/delegation/wallets/delegations.ts";
import { delegationBudget, remoteSource } from "../../../src/api/delegation/wallets/remote-source.ts";
import { createRateLimiter } from "../../../src/api/http/limits/rate-limiter.ts";
import { createDelegationSetup } from "../../support/chain/delegations.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID } from "../../support/refresh/refresh.ts";
import { type LocalServer, startLocalServer } from "../../support/servers/local-server.ts";

const test = await createTestDatabase();
const { database } = test;
const delegations = createDelegationSetup(test);
const COLD = "0xabcdef0000000000000000000000000000000c01";
const HOT = "0xabcdef0000000000000000000000000000000b07";
const CONTRACT = "0xabcdef00000000000000000000000000000000c7";
const mixed = (address: string): string => `0x${address.slice(2).toUpperCase()}`;

beforeEach(async () => {
  await delegations.clear();
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
});

/** The application with another registry, which answers as scripted. */
async function withRegistry(
  answers: (path: string) => { status?: number; body: string; headers?: Record<string, string> },
) {
  const server = await startLocalServer((request, response) => {
    const { status = 200, body, headers = {} } = answers(request.url ?? "");
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
  onTestFinished(() => server.close());
  return { server, api: appOver(server) };
}

function appOver(server: LocalServer, key?: string, onFault = () => {}) {
  const index = { chains: [{ id: CHAIN_ID, rpcUrls: [] }], collections: [], registries: [] };
  const delegationModule = createDelegationModule({
    database,
    tables: test.tables,
    index,
    url: server.url,
    key,
    onFault: () => onFault,
  });
  return createTestApp(test, { delegationModule });
}

async function ask(api: ReturnType<typeof createTestApp>, query = "", wallet = HOT) {
  const { status, body } = await api.call(`/market/wallets/${wallet}/delegations${query}`, {
    key: await api.createKey(),
  });
  expect(status).toBe(200);
  return body;
}

describe("our own registry", () => {
  const api = createTestApp(test);

  it("is asked where no other is named: both directions, and what one wallet granted the other", async () => {
    await delegations.add({ type: "ERC721", from: COLD, to: HOT, contract: CONTRACT, tokenId: 2n ** 200n });
    await delegations.add({ type: "ALL", from: HOT, to: CONTRACT });

    const body = await ask(api, `?to=${mixed(CONTRACT)}`, mixed(HOT));

    expect(body).toMatchObject({
      wallet: HOT,
      chain_id: CHAIN_ID,
      registry: "own",
      status: "ok",
      reason: null,
      incoming: [{ type: "ERC721", from: COLD, tokenId: String(2n ** 200n) }],
      outgoing: [{ type: "ALL", to: CONTRACT }],
      truncated: false,
      unreadable: 0,
      granted: {
        to: CONTRACT,
        status: "ok",
        delegated: true,
        delegations: [{ type: "ALL" }],
        unreadable: 0,
      },
    });
    await delegations.add({ type: "ALL", from: COLD, to: HOT });
    expect((await ask(api)).incoming).toHaveLength(2);
  });

  it("lists 1,000 of each direction: strangers' delegations to a wallet hide none of its own", async () => {
    const addIncoming = (from: number, to: number) =>
      database.query(
        `insert into ${test.tables.delegation} (chain_id, hash, type, "from", "to", rights, enabled, block_number,
                                                block_timestamp, transaction_hash, log_index)
         select $1, '0xd' || n, 'ALL', '0xdd' || lpad(to_hex(n), 38, '0'), $2, $3, true, n, n, '0xt', 0
           from generate_series($4::int, $5::int) n`,
        [CHAIN_ID, HOT, zeroHash, from, to],
      );
    const sizes = async () => {
      const { incoming, outgoing, truncated } = await ask(api);
      return [incoming.length, outgoing.length, truncated];
    };
    await addIncoming(1, 1_000);
    await delegations.add({ type: "ALL", from: HOT, to: COLD, blockNumber: 5_000n });

    expect(await sizes()).toEqual([1_000, 1, false]);
    await addIncoming(1_001, 1_001);
    expect(await sizes()).toEqual([1_000, 1, true]);
  });

  it("that can't answer yet is reported as that", async () => {
    await test.setHead({ chainId: CHAIN_ID, block: 100, ready: false });

    expect(await ask(api, "", COLD)).toMatchObject({
      status: "unavailable",
      reason: "not_ready",
      incoming: null,
      granted: null,
    });
  });

  it("is as of its newest block", async () => {
    const second = Math.floor(Date.now() / 1_000);
    await test.setHead({ chainId: CHAIN_ID, block: 100, age: 40 });

    const { as_of, granted } = await ask(api, `?to=${COLD}`);

    for (const each of [as_of, granted.as_of]) {
      expect(new Date(each).getTime()).toBeGreaterThanOrEqual((second - 40) * 1_000);
      expect(new Date(each).getTime()).toBeLessThanOrEqual(Date.now() - 40_000);
    }
    await test.setHead({ chainId: CHAIN_ID, block: 101, age: -600 });
    expect(new Date((await ask(api)).as_of).getTime()).toBeLessThanOrEqual(Date.now());
  });

  it("that is behind what was seen of it is not ok: what was known before is stale, and the rest unknown", async () => {
    await delegations.add({ type: "ALL", from: COLD, to: HOT, enabled: false });
    await raiseHeads(database, test.tables);
    expect(await ask(api, `?to=${HOT}`, COLD)).toMatchObject({ status: "ok", outgoing: [] });

    // A restart brings rows of before the revocation.
    await database.query(`update ${test.tables.delegation} set enabled = true`);
    await test.setHead({ chainId: CHAIN_ID, block: 70, age: 30 });

    const stale = { status: "stale", reason: "not_ready" };
    expect(await ask(api, `?to=${HOT}`, COLD)).toMatchObject({
      ...{ ...stale, outgoing: [], granted: { ...stale, delegated: false, delegations: [] } },
    });
    expect(await ask(api, "", CONTRACT)).toMatchObject({ status: "unavailable", reason: "not_ready" });
  });

  it("refuses a chain that is not served, naming the parameter", async () => {
    const key = await api.createKey();
    const { status, body } = await api.call(`/market/wallets/${HOT}/delegations?chain_id=5`, { key });

    expect([status, body.details[0].path]).toEqual([400, "chain_id"]);
  });
});

describe("another registry", () => {
  it("is understood in the documented shape: both directions in one array, ids as numbers of any size", async () => {
    const { api, server } = await withRegistry(() => ({
      body: `[{"type":"TOKEN","from":"${mixed(COLD)}","to":"${HOT}","contract":"${CONTRACT}","tokenId":9007199254740993},
              {"type":"ALL","from":"${HOT}","to":"${COLD}","contract":null,"tokenId":null},
              {"type":"NONE","from":"${COLD}","to":"${HOT}","contract":null,"tokenId":null}]`,
    }));

    const body = await ask(api);

    expect(body).toMatchObject({ registry: server.url, status: "ok" });
    const unknown = { rights: null, amount: null };
    expect(body.incoming).toEqual([
      { type: "TOKEN", from: COLD, to: HOT, contract: CONTRACT, tokenId: "9007199254740993", ...unknown },
    ]);
    expect(body.outgoing).toMatchObject([{ type: "ALL", to: COLD }]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      `/registry/v2/${HOT}?chainId=${CHAIN_ID}&direction=all`,
    ]);
  });

  it.each([
    ["true", { delegated: true, delegations: null }],
    ["false", { delegated: false, delegations: null }],
    ["[]", { delegated: false, delegations: [] }],
    [`[{"type":"ALL","from":"${HOT}","to":"${COLD}","rights":"0x${"0".repeat(64)}"}]`, { delegated: true }],
    [`[{"type":"ALL","from":"${HOT}","to":"${COLD}","rights":"0x${"1".repeat(64)}"}]`, { delegated: false }],
    [`[{"type":"ALL","from":"${HOT}","to":"${COLD}","rights":""}]`, { delegated: true }],
    [`[{"type":"ALL","from":"${HOT}","to":"${COLD}","rights":"0x"}]`, { delegated: true }],
    [`[{"type":"ALL","from":"${HOT}","to":"${COLD}","rights":"0x0"}]`, { delegated: false }],
    [
      `[{"type":"ERC20","from":"${HOT}","to":"${COLD}","contract":"${CONTRACT}","amount":"5"}]`,
      { delegated: false },
    ],
  ])("may answer whether a wallet is delegated as %s", async (body, expected) => {
    const { api } = await withRegistry((path) => ({ body: path.includes("check") ? body : "[]" }));

    expect((await ask(api, `?to=${COLD}`)).granted).toMatchObject({ status: "ok", to: COLD, ...expected });
  });

  it.each([
    [
      "an id in exponent form, which is rounded",
      `"type":"ERC721","contract":"${CONTRACT}","tokenId":5.78e+76`,
    ],
    ["an id in hex", `"type":"ERC721","contract":"${CONTRACT}","tokenId":"0x7"`],
    ["an amount in exponent form", `"type":"ERC20","contract":"${CONTRACT}","amount":1.157920892373162e+77`],
    ["no address for its contract", `"type":"CONTRACT","contract":""`],
    ["an unknown type", `"type":"EVERYTHING"`],
    ["rights that are no text", `"type":"ALL","rights":7`],
  ])("loses no other record by one with %s, and grants nothing by that one", async (_what, fields) => {
    const unreadable = `{"from":"${HOT}","to":"${COLD}",${fields}}`;
    const { api } = await withRegistry(() => ({
      body: `[{"type":"ALL","from":"${COLD}","to":"${HOT}"},${unreadable},null]`,
    }));

    expect(await ask(api, `?to=${COLD}`)).toMatchObject({
      status: "ok",
      incoming: [{ type: "ALL", from: COLD }],
      outgoing: [],
      unreadable: 2,
      granted: { status: "ok", delegated: false, delegations: [], unreadable: 2 },
    });
  });

  it.each([
    ["no JSON", { body: "<html>" }, "unexpected_answer"],
    ["a shape of its own", { body: `{"incoming":[]}` }, "unexpected_answer"],
    ["no record that can be read", { body: `[{"type":"EVERYTHING"},7]` }, "unexpected_answer"],
    ["an error", { status: 500, body: "{}" }, "refused"],
    [
      "that it is asked too often",
      { status: 429, body: "{}", headers: { "retry-after": "30" } },
      "rate_limited",
    ],
  ])("that answers %s leaves a clear state behind", async (_what, answer, reason) => {
    const { api } = await withRegistry(() => answer);

    expect(await ask(api, `?to=${COLD}`)).toMatchObject({
      status: "unavailable",
      reason,
      message: expect.stringMatching(/./),
      as_of: null,
      incoming: null,
      outgoing: null,
      granted: { status: "unavailable", delegated: null, delegations: null },
    });
  });

  it("grants nothing by a delegation of somebody else, which it lists because it knows no parameters", async () => {
    const record = (from: string, to: string) =>
      `{"type":"ALL","from":"${from}","to":"${to}","contract":null,"tokenId":null}`;
    const { api } = await withRegistry(() => ({
      body: `[${record(CONTRACT, COLD)},${record(HOT, CONTRACT)}]`,
    }));

    expect((await ask(api, `?to=${COLD}`)).granted).toMatchObject({ delegated: false, delegations: [] });
    expect((await ask(api, `?to=${CONTRACT}`)).granted).toMatchObject({ delegated: true });
  });

  it("is not followed elsewhere with the key that is for it alone", async () => {
    const elsewhere = await startLocalServer((_, response) => void response.end("[]"));
    onTestFinished(() => elsewhere.close());
    const { server } = await withRegistry(() => ({
      status: 302,
      body: "",
      headers: { location: `${elsewhere.url}/registry` },
    }));

    const body = await ask(appOver(server, "the-registry-key"));

    expect(body).toMatchObject({ status: "unavailable", reason: "unreachable" });
    expect(elsewhere.requests).toEqual([]);
  });

  it("that is down is reported, and what was known before is served as stale", async () => {
    const { server } = await withRegistry(() => ({ body: "[]" }));
    const away = appOver(server);
    await server.close();
    expect(await ask(away)).toMatchObject({ status: "unavailable", reason: "unreachable" });

    let time = Date.now();
    let isUp = true;
    const source = {
      ...remoteSource({ url: server.url, key: "k", budget: createRateLimiter(database, delegationBudget) }),
      ofWallet: async () =>
        isUp
          ? ({
              kind: "answered",
              value: { incoming: [], outgoing: [], truncated: false, unreadable: 0 },
            } as const)
          : ({ kind: "unavailable", reason: "unreachable", message: "gone" } as const),
    };
    const known = createDelegations(source, () => time);
    const first = await known.ofWallet(CHAIN_ID, HOT);
    isUp = false;

    expect(await known.ofWallet(CHAIN_ID, HOT)).toEqual(first);
    time += 11_000;
    expect(await known.ofWallet(CHAIN_ID, HOT)).toEqual({
      ...first,
      status: "stale",
      reason: "unreachable",
      message: "gone",
    });
    time += 600_000;
    expect(await known.ofWallet(CHAIN_ID, HOT)).toMatchObject({ status: "unavailable", value: null });
  });

  it("is asked again in time even if a clock was set back", async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"] });
    let delegated = true;
    const known = createDelegations({
      name: "another",
      freshMs: 50,
      ofWallet: async () => ({ kind: "unavailable", reason: "unreachable", message: "gone" }),
      between: async () => ({
        kind: "answered",
        value: { delegated, delegations: null, truncated: false, unreadable: 0 },
      }),
    });
    await known.between(CHAIN_ID, COLD, HOT);
    delegated = false;

    vi.setSystemTime(Date.now() - 3_600_000);
    await sleep(60);

    expect(await known.between(CHAIN_ID, COLD, HOT)).toMatchObject({ value: { delegated: false } });
  });

  it("leaves no more in memory than a hundred thousand delegations, of the wallets asked for last", async () => {
    const record = { type: "ALL" as const, from: COLD, to: HOT, contract: null, tokenId: null, rights: null };
    const incoming = Array.from({ length: 1_000 }, () => ({ ...record, amount: null }));
    let isUp = true;
    const known = createDelegations({
      name: "another",
      freshMs: 0,
      ofWallet: async () =>
        isUp
          ? { kind: "answered", value: { incoming, outgoing: [], truncated: false, unreadable: 0 } }
          : { kind: "unavailable", reason: "unreachable", message: "gone" },
      between: async () => ({ kind: "unavailable", reason: "unreachable", message: "gone" }),
    });
    for (let nth = 0; nth < 120; nth++) await known.ofWallet(CHAIN_ID, `0x${nth}`);
    isUp = false;

    expect(await known.ofWallet(CHAIN_ID, "0x0")).toMatchObject({ status: "unavailable" });
    expect(await known.ofWallet(CHAIN_ID, "0x119")).toMatchObject({ status: "stale", value: { incoming } });
  });

  it("is asked once by those who ask for the same at about the same time", async () => {
    const { api, server } = await withRegistry(() => ({ body: "[]" }));
    const key = await api.createKey();

    await Promise.all(
      Array.from({ length: 10 }, () => api.call(`/market/wallets/${HOT}/delegations`, { key })),
    );
    await api.call(`/market/wallets/${HOT}/delegations`, { key });

    expect(server.requests).toHaveLength(1);
  });

  it("is asked by all replicas together less often than its limit without a key", async () => {
    const { server } = await withRegistry(() => ({ body: "[]" }));
    const { requests } = delegationBudget;
    // A replica whose database doesn't answer in time counts on its own for that long.
    const alone = new Set<number>();
    const replicas = [0, 1].map((nth) => appOver(server, undefined, () => alone.add(nth)));
    const key = await replicas[0]?.createKey();
    const wallet = (index: number): string => `0x${String(index).padStart(40, "0")}`;

    const bodies = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const answer = await replicas[index % 2]?.call(`/market/wallets/${wallet(index)}/delegations`, {
          ...(key !== undefined && { key }),
        });
        return answer?.body;
      }),
    );

    const asked = server.requests.length;
    expect(asked).toBeGreaterThanOrEqual(requests);
    expect(asked).toBeLessThanOrEqual(requests * (1 + alone.size));
    expect(bodies.filter(({ status }) => status === "ok")).toHaveLength(asked);
    expect(bodies.filter(({ reason }) => reason === "rate_limited")).toHaveLength(60 - asked);
  });

  it("is asked with the key where there is one, and then as often as need be", async () => {
    const { server } = await withRegistry(() => ({ body: "[]" }));
    const api = appOver(server, "the-key");
    const key = await api.createKey();

    for (let index = 0; index < 15; index++)
      await api.call(`/market/wallets/0x${String(index).padStart(40, "0")}/delegations`, { key });

    expect(server.requests).toHaveLength(15);
    expect(new Set(server.requests.map(({ headers }) => headers["x-api-key"]))).toEqual(new Set(["the-key"]));
  });

  it("that asked for a pause is not asked", async () => {
    const { api, server } = await withRegistry(() => ({
      status: 429,
      body: "{}",
      headers: { "retry-after": "60" },
    }));

    await ask(api);
    await ask(api, "", COLD);

    expect(server.requests).toHaveLength(1);
  });
});
