import { setTimeout as sleep } from "node:timers/promises";
import { type HDAccount, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import { type MetadataHost, startMetadataHost } from "../../demo/metadata-host.ts";
import type { Service } from "../../demo/service.ts";
import {
  createReader,
  createSite,
  type Reader,
  type Site,
  untilIndexed,
} from "../support/chain/chain-tables.ts";
import { lower, ownerOf } from "../support/chain/contract-answers.ts";
import { createPartner, eventually, WITHOUT_PICTURES } from "../support/processes/world.ts";
import { createKey } from "../support/service-key.ts";

const REORGS_MAX = 5;
// By then, Ponder has seen a reorg and indexed the blocks after it.
const REORG_MS = 10_000;

/** One of the two chains, with a contract at the same address on both. */
interface Side {
  readonly chain: Chain;
  readonly host: MetadataHost;
  readonly heroes: Contract;
  readonly registry: Contract;
  readonly holder: HDAccount;
  readonly locker: HDAccount;
}

let near: Side;
let far: Side;
let address: string;
let site: Site;
let service: Service;
let reader: Reader;
let key: string;
let partner: ReturnType<typeof createPartner>;
beforeAll(async () => {
  [near, far] = await Promise.all([createSide(31337, 0), createSide(2021, 1)]);
  address = lower(near.heroes);
  const chains = [near, far].map(({ chain, heroes, registry }) => ({
    chain,
    collections: [lower(heroes)],
    registry: lower(registry),
  }));
  site = await createSite(chains, {
    ALLOW_PRIVATE_HOSTS: [near, far].map(({ host }) => new URL(host.url).host).join(","),
    REFRESH_CONCURRENCY: "4",
  });
  service = await site.start("two_chains");
  reader = createReader(service.baseUrl);
  key = await createKey(service);
  partner = createPartner(service.baseUrl, key);
  await Promise.all([near, far].map(({ chain }) => untilIndexed(service, chain)));
});
afterAll(async () => {
  await site.close();
  await Promise.all([near, far].map(({ host }) => host.close()));
});

/** The sides differ in everything but the addresses: owner, locker, locked token, names, delegation. */
async function createSide(chainId: number, side: 0 | 1): Promise<Side> {
  const [chain, host] = await Promise.all([startChain({ chainId }), startMetadataHost(WITHOUT_PICTURES)]);
  // In this order on both chains, since an address derives from deployer and nonce.
  const heroes = await chain.deploy("VitrineHeroes", [host.heroesBaseUri]);
  const registry = await chain.deploy("DelegateRegistryV2");
  const [holder, locker] = [chain.account(1 + side), chain.account(5 + side)];
  for (const id of [1, 2, 3]) host.patch("heroes", id, { name: `${chainId}/${id}` });
  await chain.write(heroes, "updateApprovedContracts", [[locker.address], [true]]);
  await chain.write(heroes, "mintRange", [holder.address, 1n, side === 0 ? 2n : 3n]);
  await chain.write(heroes, "lockId", [side === 0 ? 1n : 2n], locker);
  await chain.write(registry, "delegateAll", [locker.address, zeroHash, true], chain.account(9));
  return { chain, host, heroes, registry, holder, locker };
}

type View = Awaited<ReturnType<typeof partner.token>>;

const restPath = (id: number, chainId?: number): string =>
  `/market/collections/${address}/tokens/${id}${chainId === undefined ? "" : `?chain_id=${chainId}`}`;
const rest = async (id: number, chainId?: number): Promise<View> =>
  (await partner.call(restPath(id, chainId))).body as unknown as View;
const named = (name: string) => (token: View) => token.name === name;
const askedFor = ({ host }: Side, id: number): number => host.requests.get(host.path("heroes", id)) ?? 0;

it("one address is two collections", () => {
  expect(lower(far.heroes)).toBe(address);
  expect([near.chain.chainId, far.chain.chainId]).toEqual([31337, 2021]);
});

describe("a question that names the chain", () => {
  it("is answered by GraphQL with that chain's token, locks and delegations", async () => {
    for (const { chain, heroes, holder, locker } of [near, far]) {
      for (const id of [1, 2]) {
        const arguments_ = `chainId: ${chain.chainId}, collectionAddress: "${address}", tokenId: "${id}"`;
        const lockCount = Number(await chain.read(heroes, "lockCount", [id]));
        expect(await reader.one("tokenState", arguments_, "owner lockCount")).toEqual({
          owner: lower(holder),
          lockCount,
        });
      }
      const where = `chainId: ${chain.chainId}`;
      expect(await reader.list("lockEvents", where, "approvedContract")).toEqual([
        { approvedContract: lower(locker) },
      ]);
      expect(await reader.list("delegations", where, "to", "hash")).toEqual([{ to: lower(locker) }]);
      expect(await ownerOf(chain, heroes, 1n)).toBe(lower(holder));
    }
  });

  it("is answered by REST with that chain's owner, lock and metadata", async () => {
    for (const { chain, holder, locker } of [near, far]) {
      const locked = chain === near.chain ? 1 : 2;
      for (const id of [1, 2]) {
        const token = await eventually(() => rest(id, chain.chainId), named(`${chain.chainId}/${id}`));
        expect(token).toMatchObject({
          chain_id: chain.chainId,
          owner: lower(holder),
          lock: { locked: id === locked, approved_contracts: id === locked ? [lower(locker)] : [] },
        });
      }
    }
  });

  it("is not answered with a token of the other chain", async () => {
    const answers = await Promise.all([31337, 2021].map((chainId) => partner.call(restPath(3, chainId))));

    expect(answers.map(({ status }) => status)).toEqual([404, 200]);
  });

  it("is refused when nobody serves that chain", async () => {
    const { status, body } = await partner.call(restPath(1, 1));
    const { errors } = await reader.ask(
      `{ token(tokenAddress: "${address}", tokenId: "1", chainId: 1) { name } }`,
    );
    const refresh = await partner.refresh(address, ["1"], "?chain_id=1");

    expect([status, refresh.status]).toEqual([400, 400]);
    expect(body).toMatchObject({ message: "Invalid request", details: [{ path: "chain_id" }] });
    expect(errors?.[0]?.message).toContain("chain 1 is not served here");
  });
});

it("a question that names no chain is answered for the first collection of the file", async () => {
  const { data } = await reader.ask(`{ token(tokenAddress: "${address}", tokenId: "1") { chainId owner } }`);

  expect(data).toEqual({ token: { chainId: 31337, owner: lower(near.holder) } });
  expect(await rest(1)).toMatchObject({ chain_id: 31337, owner: lower(near.holder) });
});

describe("the other chain's token is not affected by", () => {
  it("a REST refresh", async () => {
    for (const { chain, host } of [near, far]) {
      await eventually(() => rest(1, chain.chainId), named(`${chain.chainId}/1`));
      host.patch("heroes", 1, { name: `Refreshed on ${chain.chainId}` });
    }
    const asked = askedFor(near, 1);

    const { body } = await partner.refresh(address, ["1"], "?chain_id=2021&wait=10");

    expect(body.tokens).toMatchObject([{ token_id: "1", status: "updated" }]);
    expect((await rest(1, 2021)).name).toBe("Refreshed on 2021");
    expect((await rest(1, 31337)).name).toBe("31337/1");
    expect(askedFor(near, 1)).toBe(asked);
  });

  it("an update event", async () => {
    for (const { chain, host } of [near, far]) {
      await eventually(() => rest(2, chain.chainId), named(`${chain.chainId}/2`));
      host.patch("heroes", 2, { name: `Updated on ${chain.chainId}` });
    }
    const asked = askedFor(far, 2);

    await near.chain.write(near.heroes, "emitMetadataUpdate", [2n]);

    await eventually(() => rest(2, 31337), named("Updated on 31337"));
    expect((await rest(2, 2021)).name).toBe("2021/2");
    expect(askedFor(far, 2)).toBe(asked);
  });

  it("a lock", async () => {
    await far.chain.write(far.heroes, "lockId", [1n], far.locker);

    await eventually(
      () => rest(1, 2021),
      ({ lock }) => lock.lock_count === 1,
    );
    expect((await rest(1, 31337)).lock).toMatchObject({
      lock_count: 1,
      approved_contracts: [lower(near.locker)],
    });
  });
});

it("what a reorg of one chain has undone on the other is not believed there until the next block", async () => {
  const [seller, buyer] = [far.chain.account(3), far.chain.account(4)];
  const [stale, moved] = ["index_stale,index_stale,index_stale", "not_owner,burned,"];
  const check = async (ids: readonly bigint[]) => {
    const { status, body } = await partner.call("/market/trade_checks?chain_id=2021", {
      action: "trade",
      wallet: seller.address,
      items: ids.map((id) => ({ collection_address: address, token_id: String(id) })),
    });
    expect({ status, body }).toMatchObject({ status: 200 });
    return (body.items as { reason: string | null }[]).map(({ reason }) => reason).join();
  };
  const ownerOnFar = async (id: bigint) => {
    const key = `chainId: 2021, collectionAddress: "${address}", tokenId: "${id}"`;
    return (await reader.one("tokenState", key, "owner"))?.owner;
  };

  const seen = new Set<string>();
  // On a busy machine, the next block may be indexed before anybody has asked: then there is another reorg.
  for (let reorgs = 0; reorgs < REORGS_MAX && !seen.has(stale); reorgs++) {
    const sold = BigInt(10 * (reorgs + 1) + 1);
    const ids = [sold, sold + 1n, sold + 2n];
    await far.chain.write(far.heroes, "mintRange", [seller.address, sold, 3n]);
    await untilIndexed(service, far.chain);
    const snapshot = await near.chain.snapshot();
    await near.chain.write(near.heroes, "mint", [near.holder.address, BigInt(77 + reorgs)]);
    await untilIndexed(service, near.chain);
    await far.chain.write(far.heroes, "transferFrom", [seller.address, buyer.address, sold], seller);
    await far.chain.write(far.heroes, "burn", [sold + 1n], seller);
    await eventually(
      () => check(ids),
      (reasons) => reasons === moved,
    );
    const head = await near.chain.blockNumber();
    const ask = async () => {
      const reasons = await check(ids);
      seen.add(reasons);
      return reasons;
    };

    await near.chain.revert(snapshot);
    // A branch of the same length: Ponder undoes the other at once, and takes this one at its next poll.
    await near.chain.mine(Number(head - (await near.chain.blockNumber())));
    for (const end = Date.now() + REORG_MS; Date.now() < end && (await ask()) !== stale; ) await sleep(100);
    await near.chain.mine();
    await eventually(ask, (reasons) => reasons === moved);
    expect(await ownerOnFar(sold)).toBe(lower(buyer));
  }

  expect([...seen].sort()).toEqual([stale, moved]);
});

it("a delegation whose revocation a reorg has undone is not believed until its own chain's next block", async () => {
  const { chain, registry, locker } = near;
  const wallet = chain.account(9);
  const delegate = (isOn: boolean) =>
    chain.write(registry, "delegateAll", [locker.address, zeroHash, isOn], wallet);
  const isDelegated = async () => {
    const parties = `from=${wallet.address}&to=${locker.address}&contract=${address}&tokenId=1`;
    const response = await fetch(
      `${service.baseUrl}/registry/v2/check/erc721?${parties}&chainId=${chain.chainId}`,
      { headers: { "x-api-key": key } },
    );
    return response.ok ? response.text() : String(response.status);
  };
  const answers = new Set<string>();
  const ask = async () => {
    await far.chain.mine();
    for (let asked = 0; asked < 5; asked++) answers.add(await isDelegated());
    return isDelegated();
  };

  // On a busy machine, the next block may be indexed before anybody has asked: then there is another reorg.
  for (let reorgs = 0; reorgs < REORGS_MAX && !answers.has("503"); reorgs++) {
    await delegate(true);
    await eventually(isDelegated, (answer) => answer === "true");
    const snapshot = await chain.snapshot();
    await delegate(false);
    await eventually(isDelegated, (answer) => answer === "false");
    // Another second, so that the same revocation is in another block of the same height.
    await sleep(1_100);
    await chain.revert(snapshot);
    await delegate(false);
    for (const end = Date.now() + REORG_MS; Date.now() < end; ) {
      const answer = await ask();
      if (answers.has("503") && answer === "false") break;
    }
  }

  expect(await eventually(ask, (answer) => answer === "false")).toBe("false");
  expect([...answers].sort()).toEqual(["503", "false"]);
});
