/** Contracts with unusual token events, each on a real chain, before the start and after it. */

import { concatHex, encodeAbiParameters, type Hex, pad, toEventSelector, toHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import {
  createReader,
  createSite,
  type Reader,
  type Site,
  untilIndexed,
} from "../support/chain/chain-tables.ts";
import { lower, ownerOf } from "../support/chain/contract-answers.ts";
import { deployTestContract } from "../support/chain/test-contracts.ts";
import { signatures } from "../support/chain/token-logs.ts";
import { eventually } from "../support/eventually.ts";
import { createPartner } from "../support/processes/world.ts";
import { createKey } from "../support/service-key.ts";

// Ponder treats a chain's last 30 blocks as unsettled and indexes them one by one, like live ones.
const UNSETTLED_BLOCKS = 30;
const NOBODY = "0x0000000000000000000000000000000000000000";
/** Tokens of one mint: in the past, and while it is indexed live, which takes the same way from the event on. */
const LARGE = { settled: 200_000n, live: 20_000n };
const KNOWN_WITHIN_MS = 120_000;

interface Cast {
  readonly axies: Contract;
  readonly kitties: Contract;
  readonly coin: Contract;
  readonly assets: Contract;
  readonly raw: Contract;
  readonly range: Contract;
  readonly large: Contract;
  readonly met: Contract;
}

let chain: Chain;
let site: Site;
let service: Service;
let reader: Reader;
let partner: ReturnType<typeof createPartner>;
let lost: Contract;
const casts = {} as { settled: Cast; live: Cast };
const ada = () => chain.account(1);
const ben = () => chain.account(2);

async function castAll(): Promise<Cast> {
  return {
    axies: await deployTestContract(chain, "AxieLike"),
    kitties: await deployTestContract(chain, "KittyLike"),
    coin: await deployTestContract(chain, "CoinAndHeroes", [ada().address, 10_000n * 10n ** 18n]),
    assets: await deployTestContract(chain, "AssetLike"),
    raw: await deployTestContract(chain, "RawLogs"),
    range: await deployTestContract(chain, "RangeHeroes"),
    large: await deployTestContract(chain, "RangeHeroes"),
    met: await deployTestContract(chain, "RawLogs"),
  };
}

const word = (value: bigint | string): Hex => pad(toHex(BigInt(value)), { size: 32 });

/** Logs of every watched topic, all of them unreadable. */
const unreadable: readonly (readonly [signature: string, topics: readonly Hex[], data: Hex])[] = [
  [signatures.transfer, [word(1n)], "0x"],
  [signatures.single, [word(1n), word(2n), word(3n)], word(4n)],
  [signatures.batch, [word(1n), word(2n), word(3n)], encodeAbiParameters([{ type: "uint256[]" }], [[1n]])],
  [
    signatures.batch,
    [word(1n), word(2n), word(3n)],
    encodeAbiParameters([{ type: "uint256[]" }, { type: "uint256[]" }], [[1n, 2n], [1n]]),
  ],
  // An offset, then an array of 2^256-1 numbers.
  [signatures.batch, [word(1n), word(2n), word(3n)], `${word(32n)}${"f".repeat(64)}`],
  [signatures.consecutive, [word(1n), word(0n), word(2n)], "0x"],
  [signatures.uri, [], "0x1234"],
  ["MetadataUpdate(uint256)", [], "0x"],
  ["BatchMetadataUpdate(uint256,uint256)", [], word(1n)],
  ["BatchMetadataUpdate(uint256,uint256,string)", [], word(1n)],
  ["TokenLocked(uint256,address)", [word(1n)], "0x"],
  ["TokenUnlocked(uint256,address)", [], word(1n)],
  ["Locked(uint256)", [], "0x"],
  ["Unlocked(uint256)", [word(1n), word(2n)], "0x"],
  ["Locked(uint256,bool)", [word(5n)], word(2n)],
  ["DefaultLocked(bool)", [], word(2n)],
  ["Lock(address,uint256)", [word(2n ** 160n), word(1n)], "0x"],
  ["Unlock(uint256)", [], "0x1234"],
];

async function emitAll(cast: Cast, tokens: bigint): Promise<void> {
  const { axies, kitties, coin, assets, raw, range, large, met } = cast;
  const [a, b] = [ada(), ben()];
  for (const contract of [axies, kitties, coin, assets]) {
    for (const id of [1n, 2n, 3n]) await chain.write(contract, "mint", [a.address, id]);
    await chain.write(contract, "transferFrom", [a.address, b.address, 2n], a);
    await chain.write(contract, "burn", [3n], a);
  }
  await chain.write(coin, "pay", [b.address, 77n], a);
  for (const [signature, topics, data] of unreadable) {
    await chain.write(raw, "emitLog", [[toEventSelector(signature), ...topics], data]);
  }
  await chain.write(range, "mintConsecutive", [a.address, 1n, 6_000n]);
  await chain.write(range, "mintConsecutive", [b.address, 6_001n, 6_010n]);
  await chain.write(range, "transferFrom", [a.address, b.address, 5_500n], a);
  await chain.write(range, "burn", [6_000n], a);
  await chain.write(range, "lockId", [5_999n]);
  await chain.write(large, "mintConsecutive", [b.address, 0n, tokens - 1n]);
  const emit = (signature: string, topics: readonly (bigint | string)[], data: Hex) =>
    chain.write(met, "emitLog", [[toEventSelector(signature), ...topics.map(word)], data]);
  await emit(signatures.transfer, [NOBODY, a.address, 5n], "0x");
  await emit(signatures.transfer, [a.address, NOBODY, 5n], "0x");
  await emit(signatures.consecutive, [1n, NOBODY, b.address], word(6_000n));
  await emit(signatures.transfer, [NOBODY, b.address, 6n], "0x");
  await emit(signatures.single, [b.address, b.address, a.address], concatHex([word(7n), word(1n)]));
}

beforeAll(async () => {
  chain = await startChain();
  casts.settled = await castAll();
  casts.live = await castAll();
  lost = await deployTestContract(chain, "RangeHeroes");
  await emitAll(casts.settled, LARGE.settled);
  await chain.mine(UNSETTLED_BLOCKS + 1);
  const collections = [...Object.values(casts).flatMap((cast) => Object.values(cast)), lost].map(lower);
  site = await createSite([{ chain, collections }]);
  service = await site.start("strange");
  reader = createReader(service.baseUrl);
  partner = createPartner(service.baseUrl, await createKey(service));
  await emitAll(casts.live, LARGE.live);
  // The guard trusts a chain index only while blocks keep coming.
  await chain.mineEvery(1);
  await untilIndexed(service, chain);
});
afterAll(() => site.close());

const path = (contract: Contract): string => `/market/collections/${lower(contract)}`;
const readCollection = async (contract: Contract) => (await partner.call(path(contract))).body;
const anomaliesOf = async (contract: Contract) =>
  ((await readCollection(contract)).anomalies as { kind: string; count: number; detail: string }[]).map(
    ({ kind, count }) => [kind, count],
  );
const countTokens = async (contract: Contract, query = ""): Promise<number> =>
  (await partner.call(`${path(contract)}/tokens?limit=1${query}`)).body.total as number;
async function readOwner(contract: Contract, id: bigint): Promise<string | null | undefined> {
  const { status, body } = await partner.call(`${path(contract)}/tokens/${id}`);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return (body.owner as string | null | undefined) ?? null;
}
async function readHistory(contract: Contract, id: bigint): Promise<unknown[]> {
  const { data, errors } = await partner.graphql(
    `query ($address: String!, $id: String!) {
       erc721Token(tokenAddress: $address, tokenId: $id) { transferHistory(from: 0, size: 10) { results { from to } } } }`,
    { address: lower(contract), id: String(id) },
  );
  if (!data || errors) throw new Error(JSON.stringify(errors));
  const token = data.erc721Token as { transferHistory: { results: { from: string; to: string }[] } };
  return token.transferHistory.results.map(({ from, to }) => [from, to]);
}
async function check(contract: Contract, ids: readonly bigint[], wallet: string): Promise<(string | null)[]> {
  const items = ids.map((id) => ({ collection_address: lower(contract), token_id: String(id) }));
  const { body } = await partner.call("/market/trade_checks", { action: "trade", items, wallet });
  return (body.items as { reason: string | null }[]).map(({ reason }) => reason);
}

describe.each(["settled", "live"] as const)("after %s blocks,", (when) => {
  const large = LARGE[when];
  let cast: Cast;
  beforeAll(() => {
    cast = casts[when];
  });

  it.each(["axies", "kitties", "coin", "assets"] as const)(
    "the tokens of %s have the owners that the contract names, and a history",
    async (name) => {
      const contract = cast[name];
      for (const id of [1n, 2n])
        expect(await readOwner(contract, id)).toBe(await ownerOf(chain, contract, id));
      expect(await readOwner(contract, 3n)).toBeNull();
      expect(await readHistory(contract, 2n)).toEqual([
        [lower(ada()), lower(ben())],
        [NOBODY, lower(ada())],
      ]);
      expect(await readCollection(contract)).toMatchObject({ standard: "erc721", items: 2, owners: 2 });
      await eventually(
        () => countTokens(contract),
        (total) => total === 2,
      );
      expect(await check(contract, [1n, 2n, 3n], ada().address)).toEqual([null, "not_owner", "burned"]);
    },
  );

  it("a coin's amounts are no tokens, and are reported", async () => {
    const rows = await reader.list(
      "tokenStates",
      `collectionAddress: "${lower(cast.coin)}"`,
      "tokenId",
      "tokenId",
    );

    expect(rows.map(({ tokenId }) => tokenId)).toEqual(["1", "2", "3"]);
    // The supply before its first token, an amount with each of five transfers, and one payment.
    expect(await anomaliesOf(cast.coin)).toEqual([["mixed_transfer_layouts", 7]]);
    expect(await anomaliesOf(cast.axies)).toEqual([]);
    expect(await readOwner(cast.coin, 10_000n * 10n ** 18n)).toBeUndefined();
  });

  it("logs that can't be read are reported, and leave nothing else", async () => {
    expect(await anomaliesOf(cast.raw)).toEqual([
      ["unreadable_transfer", 6],
      ["unreadable_metadata_update", 4],
      ["unreadable_lock", 8],
    ]);
    expect(await readCollection(cast.raw)).toMatchObject({ items: null, owners: null });
    expect(await reader.count("tokenTransfers", `collectionAddress: "${lower(cast.raw)}"`)).toBe(0);
  });

  it("tokens of a range have the owners that the contract names, moved, burned, locked or not", async () => {
    const { range } = cast;
    for (const id of [1n, 5_000n, 5_300n, 5_500n, 5_999n, 6_000n, 6_001n, 6_010n]) {
      expect(await readOwner(range, id), `token ${id}`).toBe(await ownerOf(chain, range, id));
    }
    expect(await readOwner(range, 6_011n)).toBeUndefined();
    expect(await readCollection(range)).toMatchObject({ items: 6_009, owners: 2, anomalies: [] });
    expect(await check(range, [1n, 5_500n, 5_999n, 6_000n, 6_011n], ada().address)).toEqual([
      null,
      "not_owner",
      "locked",
      "burned",
      "unknown_token",
    ]);
  });

  it("their histories begin with their mint", async () => {
    const mint = [NOBODY, lower(ada())];
    expect(await readHistory(cast.range, 1n)).toEqual([mint]);
    expect(await readHistory(cast.range, 5_300n)).toEqual([mint]);
    expect(await readHistory(cast.range, 5_500n)).toEqual([[lower(ada()), lower(ben())], mint]);
  });

  it("all of them are searched, by their owner as well", async () => {
    await eventually(
      () => countTokens(cast.range),
      (total) => total === 6_009,
      KNOWN_WITHIN_MS,
    );
    expect(await countTokens(cast.range, `&owner=${ada().address}`)).toBe(5_998);
    expect(await countTokens(cast.range, `&owner=${ben().address}`)).toBe(11);
    expect(await countTokens(cast.range, "&locked=true")).toBe(1);
  });

  it("tokens with transfers before the mint of their range, or of both standards, are counted once", async () => {
    const { met } = cast;
    expect(await readCollection(met)).toMatchObject({ items: 6_000, owners: 2, anomalies: [] });
    for (const id of [1n, 4n, 5n, 6n, 8n, 6_000n]) {
      expect(await readOwner(met, id), `token ${id}`).toBe(lower(ben()));
    }
    expect(await readHistory(met, 4n)).toEqual([[NOBODY, lower(ben())]]);
    expect(await readHistory(met, 5n)).toEqual([
      [NOBODY, lower(ben())],
      [lower(ada()), NOBODY],
      [NOBODY, lower(ada())],
    ]);
    expect(await check(met, [5n, 7n], ada().address)).toEqual(["not_owner", null]);
    expect(await check(met, [5n, 7n], ben().address)).toEqual([null, "not_owner"]);
  });

  it(`${large} of them are three rows, and are all found`, async () => {
    const where = `collectionAddress: "${lower(cast.large)}"`;
    expect(await reader.count("tokenStates", where)).toBe(0);
    expect(await reader.count("tokenRanges", where)).toBe(1);
    expect(await reader.count("tokenTransfers", where)).toBe(1);
    expect(await reader.count("metadataUpdates", where)).toBe(1);
    expect(await readCollection(cast.large)).toMatchObject({
      items: Number(large),
      owners: 1,
      anomalies: [],
    });
    // A read waits until its token is known, and is refused when that takes long: so many take seconds.
    await eventually(
      () => countTokens(cast.large),
      (total) => total === Number(large),
      KNOWN_WITHIN_MS,
    );
    expect(await readOwner(cast.large, 0n)).toBe(lower(ben()));
    expect(await readOwner(cast.large, large - 1n)).toBe(lower(ben()));
    expect(await readOwner(cast.large, large)).toBeUndefined();
    expect(await countTokens(cast.large, `&owner=${ben().address}`)).toBe(Number(large));
  });
});

it("a range whose mint a reorg reverts is gone, with all that was known of it", async () => {
  const snapshot = await chain.snapshot();
  await chain.write(lost, "mintConsecutive", [ada().address, 1n, 20_000n]);
  await chain.write(lost, "transferFrom", [ada().address, ben().address, 9_000n], ada());
  await untilIndexed(service, chain);
  expect(await readOwner(lost, 19_999n)).toBe(lower(ada()));
  await eventually(
    () => countTokens(lost),
    (total) => total === 20_000,
    KNOWN_WITHIN_MS,
  );

  const head = await chain.blockNumber();
  await chain.revert(snapshot);
  await chain.mine(Number(head - (await chain.blockNumber())) + 1);

  await eventually(
    () => readOwner(lost, 19_999n),
    (owner) => owner === undefined,
    KNOWN_WITHIN_MS,
  );
  await eventually(
    () => countTokens(lost),
    (total) => total === 0,
    KNOWN_WITHIN_MS,
  );
  expect(await readOwner(lost, 9_000n)).toBeUndefined();
  expect(await readCollection(lost)).toMatchObject({ items: null, owners: null });
  expect(await check(lost, [19_999n], ada().address)).toEqual(["unknown_token"]);
});
