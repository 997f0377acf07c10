import { setTimeout as sleep } from "node:timers/promises";
import { zeroHash } from "viem";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { findRefusal } from "../../bin/ponder-refusal.ts";
import { type Chain, startChain } from "../../demo/chain.ts";
import { type MetadataHost, startMetadataHost } from "../../demo/metadata-host.ts";
import { type Population, populate } from "../../demo/populate.ts";
import type { Service } from "../../demo/service.ts";
import { startEndpoint } from "../faults/support/endpoint.ts";
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

const SCHEMA = "reorg";

let chain: Chain;
let host: MetadataHost;
let population: Population;
let site: Site;
let service: Service;
let reader: Reader;
beforeAll(async () => {
  [chain, host] = await Promise.all([startChain(), startMetadataHost(WITHOUT_PICTURES)]);
  population = await populate(chain, host);
  const collections = [population.erc721, population.erc1155].map(lower);
  site = await createSite([{ chain, collections, registry: lower(population.delegateRegistry) }], {
    ALLOW_PRIVATE_HOSTS: new URL(host.url).host,
    IPFS_GATEWAYS: host.ipfsGateway,
    REFRESH_CONCURRENCY: "4",
  });
  await start();
  await untilIndexed(service, chain);
});
afterAll(async () => {
  await site.close();
  await host.close();
});

const start = async (): Promise<void> => {
  service = await site.start(SCHEMA);
  reader = createReader(service.baseUrl);
};

const write = (name: string, args: readonly unknown[], sender = population.owner) =>
  chain.write(population.erc721, name, args, sender);
const delegate = (to: string) =>
  chain.write(population.delegateRegistry, "delegateAll", [to, zeroHash, true], population.holders[3]);

/** What the service shows of a hero: chain state from the chain index, and the name from its metadata. */
const read = async (id: bigint, tries = 5): Promise<Shown> => {
  const address = lower(population.erc721);
  const { data, errors } = await reader.ask(`{
    state: tokenState(chainId: ${chain.chainId}, collectionAddress: "${address}", tokenId: "${id}") { owner lockCount }
    token(tokenAddress: "${address}", tokenId: "${id}") { name tradable lock { lockCount approvedContracts } }
    lockEvents(where: { tokenId: "${id}" }, orderBy: "id") { items { direction approvedContract countAfter } }
  }`);
  // A reorg briefly locks every table, and Ponder's reads wait half a second for it.
  if (errors && tries > 1) return read(id, tries - 1);
  if (!data || errors) throw new Error(JSON.stringify(errors));
  return data as unknown as Shown;
};
interface Shown {
  state: { owner: string | null; lockCount: number } | null;
  token: {
    name: string | null;
    tradable: boolean;
    lock: { lockCount: number; approvedContracts: string[] };
  } | null;
  lockEvents: { items: { direction: string; approvedContract: string; countAfter: number }[] };
}
const delegatesOf = async (): Promise<unknown[]> => {
  const where = `from: "${lower(population.holders[3])}", rights: "${zeroHash}", enabled: true`;
  return (await reader.list("delegations", where, "to", "hash")).map(({ to }) => to);
};

/** Returns to a snapshot and grows another chain past the old head, which is when a reorg is noticed. */
async function reorganise(
  snapshot: `0x${string}`,
  happens: () => Promise<unknown> = async () => {},
): Promise<void> {
  const head = await chain.blockNumber();
  await chain.revert(snapshot);
  await happens();
  await chain.mine(Number(head - (await chain.blockNumber())) + 1);
}

it("a lock, a mint, an update and a delegation that the chain reverted are reverted, and metadata is read again", async () => {
  const { lockers, holders, delegates } = population;
  const path = host.path("heroes", 2);
  await eventually(
    () => read(2n),
    ({ token }) => token?.name !== null,
  );
  const before = await site.digest(SCHEMA);
  const snapshot = await chain.snapshot();
  host.patch("heroes", 2, { name: "On the lost side" });

  await write("lockId", [1n], lockers[0]);
  await write("mint", [holders[0].address, 5_000n]);
  await write("emitMetadataUpdate", [2n]);
  await delegate(delegates[1].address);

  await eventually(
    () => read(1n),
    ({ state, token }) => state?.lockCount === 1 && token?.lock.lockCount === 1,
  );
  await eventually(
    () => read(5_000n),
    ({ state }) => state?.owner === lower(holders[0]),
  );
  await eventually(
    () => read(2n),
    ({ token }) => token?.name === "On the lost side",
  );
  await eventually(delegatesOf, (to) => to.length === 1);
  host.patch("heroes", 2, { name: "After the reorg" });
  const asked = host.requests.get(path) ?? 0;

  await reorganise(snapshot);

  await eventually(
    () => site.digest(SCHEMA),
    (now) => JSON.stringify(now) === JSON.stringify(before),
  );
  await eventually(
    () => read(2n),
    ({ token }) => token?.name === "After the reorg",
  );
  expect(host.requests.get(path)).toBeGreaterThan(asked);
  expect(await read(1n)).toMatchObject({ state: { lockCount: 0 }, token: { lock: { lockCount: 0 } } });
  const unminted = await read(5_000n);
  expect(unminted.state).toBeNull();
  // Its metadata may have been read during its short existence, and stays known.
  expect(unminted.token?.tradable ?? false).toBe(false);
  expect(await delegatesOf()).toEqual([]);
  // The alert of docs/operations.md.
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
  expect(metrics).toMatch(new RegExp(`^vitrine_chain_reorgs_total\\{chain="${chain.chainId}"\\} [1-9]`, "m"));
});

it("what the blocks of the winning side hold counts from there, as if nothing had been before", async () => {
  const { lockers, holders, delegates } = population;
  const [game, market] = lockers;
  const [ada, ben] = holders;
  const snapshot = await chain.snapshot();
  await write("lockId", [1n], game);
  await write("mint", [ada.address, 5_001n]);
  await write("transferFrom", [ada.address, ben.address, 2n], ada);
  await delegate(delegates[1].address);
  await eventually(
    () => read(1n),
    ({ state }) => state?.lockCount === 1,
  );
  await eventually(delegatesOf, (to) => to.length === 1);

  await reorganise(snapshot, async () => {
    await delegate(delegates[0].address);
    await write("mint", [ben.address, 5_001n]);
    await write("lockId", [1n], market);
  });

  await eventually(
    () => read(1n),
    ({ token }) => token?.lock.approvedContracts[0] === lower(market),
  );
  expect(await read(1n)).toMatchObject({
    state: { lockCount: 1 },
    token: { lock: { lockCount: 1, approvedContracts: [lower(market)] } },
    lockEvents: { items: [{ direction: "lock", approvedContract: lower(market), countAfter: 1 }] },
  });
  expect(await read(5_001n)).toMatchObject({ state: { owner: lower(ben) } });
  expect(await read(2n)).toMatchObject({ state: { owner: lower(ada) } });
  expect(await delegatesOf()).toEqual([lower(delegates[0])]);
});

it("a search by owner follows a transfer that the chain reverted, before any block follows", async () => {
  const [ada, ben] = population.holders;
  const bens = async (): Promise<string[]> => {
    const { data, errors } = await reader.ask(
      `{ searchTokens(tokenAddress: "${lower(population.erc721)}", owner: "${lower(ben)}", limit: 100) { items { tokenId } } }`,
    );
    if (errors) throw new Error(JSON.stringify(errors));
    const { searchTokens } = data as unknown as { searchTokens: { items: { tokenId: string }[] } };
    return searchTokens.items.map(({ tokenId }) => tokenId);
  };
  const snapshot = await chain.snapshot();
  await write("transferFrom", [ada.address, ben.address, 2n], ada);
  await eventually(bens, (ids) => ids.includes("2"));
  const head = await chain.blockNumber();

  await chain.revert(snapshot);
  // A branch of the same length: Ponder notices it, and indexes its block once another one follows.
  await chain.mine(Number(head - (await chain.blockNumber())));

  await eventually(
    () => read(2n),
    ({ state }) => state?.owner === lower(ada),
  );
  expect(await bens()).not.toContain("2");
  await chain.mine();
});

it("an unlock that the chain reverted allows nothing from that moment on, asked every 20 ms", async () => {
  const [game] = population.lockers;
  await chain.mineEvery(1);
  const key = await createKey(service);
  const partner = createPartner(service.baseUrl, key);
  const item = { collection_address: lower(population.erc721), token_id: "4" };
  const check = async () => {
    const startedAt = performance.now();
    const { status, body } = await partner.call("/market/trade_checks", { action: "trade", items: [item] });
    // While the reorg keeps tables locked for longer than a statement may take.
    if (status === 503) return { startedAt, allowed: false, reason: body.code as string };
    expect({ status, body }).toMatchObject({ status: 200 });
    return { startedAt, ...(body.items as { allowed: boolean; reason: string | null }[])[0] };
  };
  const untilReason = (reason: string | null) => eventually(check, (answer) => answer.reason === reason);
  await write("lockId", [4n], game);
  await untilReason("locked");
  const snapshot = await chain.snapshot();
  await write("unlockId", [4n], game);
  await untilReason(null);

  const answers: Awaited<ReturnType<typeof check>>[] = [];
  const asking = (async () => {
    while (answers.at(-1)?.reason !== "locked") {
      answers.push(await check());
      await sleep(20);
    }
  })();
  await eventually(
    async () => answers.length,
    (count) => count > 5,
  );
  await chain.revert(snapshot);
  const revertedAt = performance.now();
  await chain.mine(4);
  await asking;
  await chain.mineEvery(0);
  await chain.rpc("evm_setAutomine", [true]);

  expect(answers.filter(({ allowed }) => allowed).length).toBeGreaterThan(0);
  const since = answers.filter(({ startedAt }) => startedAt > revertedAt);
  expect(since.map(({ reason }) => reason)).toContain("index_stale");
  expect(since.filter(({ allowed }) => allowed)).toEqual([]);
});

it("a reorg that happens while the service is down is noticed at its next start", async () => {
  const [game] = population.lockers;
  const snapshot = await chain.snapshot();
  await write("lockId", [10n], game);
  await write("burn", [11n]);
  host.patch("heroes", 13, { name: "On the lost side" });
  await write("emitMetadataUpdate", [13n]);
  await eventually(
    () => read(11n),
    ({ state }) => state !== null && state.owner === null,
  );
  await eventually(
    () => read(13n),
    ({ token }) => token?.name === "On the lost side",
  );
  await service.stop();
  host.patch("heroes", 13, { name: "After the reorg" });

  await reorganise(snapshot, () => write("lockId", [12n], game));
  await start();

  await eventually(
    () => read(12n),
    ({ state }) => state?.lockCount === 1,
  );
  expect(await read(10n)).toMatchObject({ state: { lockCount: 0 }, lockEvents: { items: [] } });
  expect((await read(11n)).state?.owner).toBe(await ownerOf(chain, population.erc721, 11n));
  await eventually(
    () => read(13n),
    ({ token }) => token?.name === "After the reorg",
  );
});

it("a reorg is noticed after a downtime in which all that it has undone became final", async () => {
  const [holder] = population.holders;
  const snapshot = await chain.snapshot();
  await write("mint", [holder.address, 5_000n]);
  host.patch("heroes", 15, { name: "On the lost side" });
  await write("emitMetadataUpdate", [15n]);
  await eventually(
    () => read(15n),
    ({ token }) => token?.name === "On the lost side",
  );
  await eventually(
    () => read(5_000n),
    ({ token }) => token !== null,
  );
  await service.stop();
  host.patch("heroes", 15, { name: "Long after the reorg" });

  await reorganise(snapshot);
  // Twice as many blocks as a chain without a rule of its own takes to be final, for the rows and for the reorg.
  await chain.mine(120);
  await start();
  await untilIndexed(service, chain);
  await chain.mine(2);

  await eventually(
    () => read(15n),
    ({ token }) => token?.name === "Long after the reorg",
  );
  await eventually(
    () => read(5_000n),
    ({ token }) => token === null,
  );
});

it("a restart in front of a node that is behind, and one that is away, reads nothing again", async () => {
  const path = host.path("heroes", 14);
  const node = await startEndpoint(chain.rpcUrl);
  onTestFinished(() => node.close());
  const before = Number(await chain.blockNumber());
  await chain.mine(2);
  host.patch("heroes", 14, { name: "Read once" });
  await write("emitMetadataUpdate", [14n]);
  await untilIndexed(service, chain);
  await eventually(
    () => read(14n),
    ({ token }) => token?.name === "Read once",
  );
  await service.stop();
  // Its recheck would read it as well.
  await site.query("update vitrine.refresh set looks = null");
  const asked = host.requests.get(path);

  node.lag(() => ({ head: before }));
  service = await site.spawn(SCHEMA, { [`PONDER_RPC_URL_${chain.chainId}`]: node.url });
  reader = createReader(service.baseUrl);
  await eventually(async () => (await fetch(`${service.baseUrl}/ready`).catch(() => undefined))?.ok, Boolean);
  // Longer than a chain stands still before it counts as shorter.
  await sleep(8_000);
  await node.goAway();
  await sleep(8_000);
  await node.comeBack();
  node.lag();
  await chain.mine();
  await untilIndexed(service, chain);

  // Those of the blocks that were indexed again are handled by now.
  await eventually(
    () => site.query<{ isCompared: boolean }>('select compared as "isCompared" from vitrine.cause_cursor'),
    (cursors) => cursors.every(({ isCompared }) => isCompared),
  );
  const rows = await site.query(`select trigger, wanted > done as waits from vitrine.refresh
    where token_id = 14 and collection = '${lower(population.erc721)}'`);
  expect(rows).toEqual([{ trigger: "event", waits: false }]);
  expect(host.requests.get(path)).toBe(asked);
});

it("a restart in front of a node that has not reached what the index has finalized serves it until the node has", async () => {
  const node = await startEndpoint(chain.rpcUrl);
  onTestFinished(() => node.close());
  await service.stop();
  await start();
  // Twice as many as are not final yet.
  await chain.mine(60);
  await untilIndexed(service, chain);
  await service.stop();
  node.lag(() => ({ head: 3 }));
  const lagging = { [`PONDER_RPC_URL_${chain.chainId}`]: node.url };
  const unsupervised = await site.spawn(SCHEMA, lagging);
  await unsupervised.exited;

  service = await site.spawn(SCHEMA, lagging, { isSupervised: true });
  reader = createReader(service.baseUrl);
  await eventually(async () => (await fetch(`${service.baseUrl}/livez`).catch(() => undefined))?.ok, Boolean);
  const served = await reader.list("tokenStates", `chainId: ${chain.chainId}`, "tokenId", "tokenId");

  expect(unsupervised.log().split("\n").map(findRefusal)).toContainEqual({
    kind: "node-behind",
    chainId: "31337",
  });
  expect(served.length).toBeGreaterThan(0);
  expect(service.log()).toMatch(/No endpoint in PONDER_RPC_URL_31337 answers with block \d+ or a later one/);
  node.lag();

  await eventually(
    async () => service.log().split("Each chain has a node again; starting the indexer.")[1] ?? "",
    (log) => log.includes("Started live indexing"),
  );
  await chain.mine();
  await untilIndexed(service, chain);
});

it("a restart in front of another chain of the same id ends with what to do, though that chain is higher", async () => {
  await service.stop();
  const other = await startChain();
  onTestFinished(() => other.close());
  await other.mine(Number(await chain.blockNumber()) + 100);

  service = await site.spawn(
    SCHEMA,
    { [`PONDER_RPC_URL_${chain.chainId}`]: other.rpcUrl },
    { isSupervised: true },
  );

  expect(await service.exited).toBe(1);
  expect(service.log()).toMatch(
    /Schema "reorg" holds an index of another chain 31337: its block \d+ is of [\dTZ:.-]+, and that of PONDER_RPC_URL_31337 \(endpoint 1\) of [\dTZ:.-]+\.\n.*build a new index: DATABASE_SCHEMA=reorg_2 npm start/,
  );
});
