import { getAddress, keccak256, toHex, zeroHash } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeKey } from "../../../src/api/access/keys/keys.ts";
import { raiseHeads } from "../../../src/api/chain/index/head-mark.ts";
import { forgetDelivered, keepDelivered } from "../../../src/api/chain/rpc/delivered-store.ts";
import { createDelegationSetup } from "../../support/chain/delegations.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID } from "../../support/processes/app.ts";
import { CHAIN_ID } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const replica = createTestApp(test);
const delegations = createDelegationSetup(test);
const key = await api.createKey(["market-partner"], "Anybody");
const COLD = "0xabcdef0000000000000000000000000000000c01";
const HOT = "0xabcdef0000000000000000000000000000000b07";
const CONTRACT = "0xabcdef00000000000000000000000000000000c7";
const RIGHTS = keccak256(toHex("list"));
const PAST_2_53 = 2n ** 53n + 1n;

beforeEach(async () => {
  await delegations.clear();
  await forgetDelivered(test.database, test.tables.schema);
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
});

const get = (path: string) => api.call(`/registry/v2/${path}`, { key });
const checksummed = (address: string): string => getAddress(address);

describe("a wallet's delegations", () => {
  const record = { from: COLD, to: HOT, contract: null, tokenId: null, rights: zeroHash, amount: null };

  beforeEach(async () => {
    await delegations.add({ type: "ALL", from: COLD, to: HOT });
    await delegations.add({ type: "ERC721", from: COLD, to: HOT, contract: CONTRACT, tokenId: 0n });
    await delegations.add({
      type: "ERC1155",
      from: COLD,
      to: HOT,
      contract: CONTRACT,
      tokenId: PAST_2_53,
      amount: PAST_2_53,
    });
    await delegations.add({ type: "CONTRACT", from: COLD, to: HOT, contract: CONTRACT, enabled: false });
    await delegations.add({
      type: "ERC20",
      from: HOT,
      to: COLD,
      contract: CONTRACT,
      amount: 5n,
      rights: RIGHTS,
    });
    await delegations.add({ type: "ALL", from: COLD, to: HOT, chainId: FAR_CHAIN_ID });
  });

  it("are the standing ones that come in, oldest first, ids and amounts as text", async () => {
    const { status, body } = await get(HOT);

    expect(status).toBe(200);
    expect(body).toEqual([
      { ...record, type: "ALL" },
      { ...record, type: "ERC721", contract: CONTRACT, tokenId: "0" },
      {
        ...record,
        type: "ERC1155",
        contract: CONTRACT,
        tokenId: "9007199254740993",
        amount: "9007199254740993",
      },
    ]);
  });

  it("are those of a direction, where one is named", async () => {
    const outgoing = {
      type: "ERC20",
      from: HOT,
      to: COLD,
      contract: CONTRACT,
      tokenId: null,
      rights: RIGHTS,
      amount: "5",
    };

    expect((await get(`${HOT}?direction=outgoing`)).body).toEqual([outgoing]);
    expect((await get(`${HOT}?direction=all`)).body).toHaveLength(4);
    expect((await get(`${COLD}?direction=incoming`)).body).toEqual([outgoing]);
  });

  it("are the same in any case of the address", async () => {
    const upper = `0x${HOT.slice(2).toUpperCase()}`;

    const answers = await Promise.all([HOT, checksummed(HOT), upper].map(get));

    for (const { body } of answers) expect(body).toHaveLength(3);
  });

  it("come in pages that a header leads through, each once", async () => {
    const first = await get(`${HOT}?limit=2`);
    const [, next = ""] = /^<(.+)>; rel="next"$/.exec(first.headers.get("link") ?? "") ?? [];
    const second = await api.call(next, { key });

    expect([...first.body, ...second.body].map(({ type }) => type)).toEqual(["ALL", "ERC721", "ERC1155"]);
    expect(second.headers.get("link")).toBeNull();
  });

  it("name the next page below BASE_URL, whose path a proxy strips", async () => {
    const below = createTestApp(test, { baseUrl: "https://vitrine.example/nft" });

    const { headers } = await below.call(`/registry/v2/${HOT}?limit=2`, { key });

    expect(headers.get("link")).toMatch(new RegExp(`^</nft/registry/v2/${HOT}\\?`));
  });

  describe("are unknown, and not none, while the chain index", () => {
    const statuses = async () => {
      const parties = `from=${COLD}&to=${HOT}`;
      const of = `${parties}&contract=${CONTRACT}`;
      const checks = [`contract?${of}`, `erc20?${of}`, `erc721?${of}&tokenId=0`, `erc1155?${of}&tokenId=0`];
      const paths = [HOT, ...[`all?${parties}`, ...checks].map((each) => `check/${each}`)];
      return new Set(await Promise.all(paths.map(async (path) => (await get(path)).status)));
    };
    beforeEach(async () => {
      await raiseHeads(test.database, test.tables);
      expect(await statuses()).toEqual(new Set([200]));
    });
    afterEach(async () => {
      await test.setHead({ chainId: CHAIN_ID, block: 101, age: -1 });
      expect(await statuses()).toEqual(new Set([200]));
    });

    it("is not complete", async () => {
      await test.setHead({ chainId: CHAIN_ID, block: 100, ready: false });
      expect(await statuses()).toEqual(new Set([503]));
    });

    it("is behind what was seen of it before, as after a restart", async () => {
      await test.setHead({ chainId: CHAIN_ID, block: 70, age: 30 });
      expect(await statuses()).toEqual(new Set([503]));
    });

    it("lacks what a reorg has undone, and the next block does again", async () => {
      await test.revert((tx) => tx.query(`update ${test.tables.delegation} set enabled = not enabled`));
      expect(await statuses()).toEqual(new Set([503]));
    });

    it("lacks what a reorg of its own chain has undone, though another chain has had a block since", async () => {
      // As before Ponder undoes the first: it has received another block of the same number.
      await keepDelivered(test.database, test.tables.schema, CHAIN_ID, [
        { number: 100, hash: "0xlost" },
        { number: 100, hash: "0xwon" },
      ]);
      expect(await statuses()).toEqual(new Set([200]));

      await test.revert((tx) => tx.query(`update ${test.tables.delegation} set enabled = not enabled`));
      await test.setHead({ chainId: FAR_CHAIN_ID, block: 10 });
      expect(await statuses()).toEqual(new Set([503]));
    });
  });

  it("are answered from another chain's next block on, where a reorg of that chain has undone them", async () => {
    await test.setHead({ chainId: FAR_CHAIN_ID, block: 10 });
    await keepDelivered(test.database, test.tables.schema, FAR_CHAIN_ID, [
      { number: 10, hash: "0xlost" },
      { number: 10, hash: "0xwon" },
    ]);
    await test.revert((tx) => tx.query(`update ${test.tables.delegation} set enabled = not enabled`));
    expect((await get(HOT)).status).toBe(503);
    await test.setHead({ chainId: FAR_CHAIN_ID, block: 11 });

    expect((await get(HOT)).status).toBe(200);
  });

  it("are answered however long the chain stands still", async () => {
    await test.setHead({ chainId: CHAIN_ID, block: 100, age: 86_400 });

    expect((await get(HOT)).body).toHaveLength(3);
  });
});

describe("checks", () => {
  const parties = `from=${checksummed(COLD)}&to=${checksummed(HOT)}`;
  const of = `contract=${checksummed(CONTRACT)}`;

  it("of everything list the delegations of any type from one wallet to the other", async () => {
    await delegations.add({
      type: "ERC721",
      from: COLD,
      to: HOT,
      contract: CONTRACT,
      tokenId: PAST_2_53,
      rights: RIGHTS,
    });
    await delegations.add({ type: "ALL", from: COLD, to: HOT });
    await delegations.add({ type: "ALL", from: HOT, to: COLD });

    const types = async (query: string) =>
      (await get(`check/all?${parties}${query}`)).body.map(({ type }: { type: string }) => type);

    expect(await types("")).toEqual(["ERC721", "ALL"]);
    expect(await types(`&rights=${RIGHTS}`)).toEqual(["ERC721", "ALL"]);
    expect(await types(`&rights=${RIGHTS.toUpperCase().replace("X", "x")}`)).toEqual(["ERC721", "ALL"]);
    expect(await types(`&rights=${zeroHash}`)).toEqual(["ALL"]);
    expect((await get(`check/all?from=${HOT}&to=${CONTRACT}`)).body).toEqual([]);
  });

  it("of one thing answer what the contract's functions answer: true or false, and amounts as text", async () => {
    await delegations.add({ type: "ERC721", from: COLD, to: HOT, contract: CONTRACT, tokenId: PAST_2_53 });
    await delegations.add({
      type: "ERC1155",
      from: COLD,
      to: HOT,
      contract: CONTRACT,
      tokenId: 0n,
      amount: PAST_2_53,
    });
    const answer = async (path: string) => (await get(path)).body;

    expect(await answer(`check/erc721?${parties}&${of}&tokenId=${PAST_2_53}`)).toBe(true);
    expect(await answer(`check/erc721?${parties}&${of}&tokenId=${PAST_2_53 - 1n}`)).toBe(false);
    expect(await answer(`check/erc1155?${parties}&${of}&tokenId=0`)).toBe("9007199254740993");
    expect(await answer(`check/erc20?${parties}&${of}`)).toBe("0");
    expect(await answer(`check/contract?${parties}&${of}`)).toBe(false);
    await delegations.add({ type: "CONTRACT", from: COLD, to: HOT, contract: CONTRACT, rights: RIGHTS });
    expect(await answer(`check/contract?${parties}&${of}&rights=${RIGHTS}`)).toBe(true);
    expect(await answer(`check/contract?${parties}&${of}`)).toBe(false);
    expect(await answer(`check/erc20?${parties}&${of}&rights=${RIGHTS}`)).toBe(String(2n ** 256n - 1n));
  });

  it("take the wallets under the names of delegate.xyz, too, alone and beside ours", async () => {
    await delegations.add({ type: "ERC721", from: COLD, to: HOT, contract: CONTRACT, tokenId: 7n });
    const rest = `${of}&tokenId=7`;
    const [vault, delegate] = [`vault=${checksummed(COLD)}`, `delegate=${HOT}`];

    for (const named of [
      `${vault}&${delegate}`,
      `${vault}&to=${HOT}`,
      `from=${COLD}&${delegate}`,
      `${parties}&${vault}&${delegate}`,
    ]) {
      expect((await get(`check/erc721?${named}&${rest}`)).body).toBe(true);
      expect((await get(`check/all?${named}`)).body).toHaveLength(1);
    }
    expect((await get(`check/erc721?vault=${HOT}&delegate=${COLD}&${rest}`)).body).toBe(false);
    expect((await get(`check/contract?${vault}&${delegate}&${of}`)).body).toBe(false);
    expect((await get(`check/erc20?${vault}&${delegate}&${of}`)).body).toBe("0");
    expect((await get(`check/erc1155?${vault}&${delegate}&${rest}`)).body).toBe("0");
  });

  it("say which wallet is missing, and which has two addresses", async () => {
    const { body } = await get(`check/erc721?from=${COLD}&vault=${HOT}&${of}`);

    expect(body.details).toEqual(
      expect.arrayContaining([
        { path: "vault", message: "differs from from, of which it is another name" },
        { path: "to", message: "is required, as to or delegate" },
      ]),
    );
    expect(body.details.map(({ path }: { path: string }) => path).sort()).toEqual(["to", "tokenId", "vault"]);
  });

  it.each([
    ["check/all?from=0x1&to=me", ["from", "to"]],
    ["check/all?vault=0x1&delegate=me", ["vault", "delegate"]],
    [`check/all?${parties}&delegate=${COLD}`, ["delegate"]],
    [`check/all?from=0x1&vault=${COLD}&to=${HOT}`, ["from"]],
    [`check/erc721?${parties}&${of}`, ["tokenId"]],
    [`check/erc721?${parties}&${of}&tokenId=01`, ["tokenId"]],
    [`check/contract?${parties}&${of}&rights=0x01`, ["rights"]],
    [`${HOT}?chainId=5`, ["chainId"]],
    [`${HOT}?chainId=${FAR_CHAIN_ID}`, ["chainId"]],
    [`${HOT}?chainId=mainnet`, ["chainId"]],
    [`${HOT}?direction=up&limit=0&cursor=x`, ["limit", "cursor", "direction"]],
    ["0xnobody", ["address"]],
  ])("of %s are refused, naming each parameter that is wrong", async (path, paths) => {
    const { status, body } = await get(path);

    expect(status).toBe(400);
    expect(body.details.map((detail: { path: string }) => detail.path)).toEqual(paths);
  });
});

describe("without a key", () => {
  const visit = (from: string, app = api) => app.call(`/registry/v2/${HOT}`, { from });

  it("a client has 25 requests per 10 seconds, over all replicas, and learns when to retry", async () => {
    const visits = await Promise.all(
      Array.from({ length: 40 }, (_, index) => visit("203.0.113.9", index % 2 === 0 ? api : replica)),
    );

    expect(visits.filter(({ status }) => status === 200)).toHaveLength(25);
    const refused = visits.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(15);
    for (const { body, headers } of refused) {
      expect(body.message).toBe("API rate limit exceeded");
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(10);
      expect(headers.get("ratelimit-limit")).toBe("25");
      expect(headers.get("ratelimit-remaining")).toBe("0");
    }
  });

  it("another client has its own, and a request that is refused for its content counts", async () => {
    await Promise.all(
      Array.from({ length: 25 }, () => api.call("/registry/v2/nobody", { from: "203.0.113.10" })),
    );

    expect((await visit("203.0.113.10")).status).toBe(429);
    expect((await visit("203.0.113.11")).status).toBe(200);
  });
});

describe("a key", () => {
  it("lifts the limit, in the header or the query, whatever its app may do", async () => {
    const visits = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0 ? get(HOT) : api.call(`/registry/v2/${HOT}?apiKey=${key}`),
      ),
    );

    expect(new Set(visits.map(({ status }) => status))).toEqual(new Set([200]));
    expect(visits[0]?.headers.get("ratelimit-limit")).toBeNull();
  });

  it("that is not valid is refused, and not taken for a visitor's", async () => {
    for (const wrong of ["nonsense", makeKey().key]) {
      const { status, body } = await api.call(`/registry/v2/${HOT}`, { key: wrong });
      expect(status).toBe(401);
      expect(body.message).toBe("Invalid authentication credentials");
    }
  });
});
