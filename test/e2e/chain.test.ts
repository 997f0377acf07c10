import type { HDAccount } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import {
  type Cast,
  castStory,
  claimEveryToken,
  collectionsOf,
  HERO_IDS,
  ITEM_IDS,
  MAX,
  playStory,
} from "../support/chain/chain-story.ts";
import {
  createReader,
  createSite,
  type Reader,
  type Site,
  untilIndexed,
} from "../support/chain/chain-tables.ts";
import { balancesOf, delegationsOf, holdingsOf, lower, ownerOf } from "../support/chain/contract-answers.ts";
import { runVitrine } from "../support/processes/command.ts";

// Ponder treats a chain's last 30 blocks as unsettled and indexes them one by one, like live ones.
const UNSETTLED_BLOCKS = 30;
const CONSECUTIVE_TOKENS_MAX = 5_000n;

let chain: Chain;
let site: Site;
let service: Service;
let reader: Reader;
const casts = {} as { settled: Cast; live: Cast };
beforeAll(async () => {
  chain = await startChain();
  const registry = await chain.deploy("DelegateRegistryV2");
  casts.settled = await castStory(chain, registry, { first: 1, crowd: CONSECUTIVE_TOKENS_MAX });
  // A few hundred live rows take the same path as thousands.
  casts.live = await castStory(chain, registry, { first: 5, crowd: 200n });
  await Promise.all([playStory(chain, casts.settled), claimEveryToken(chain, casts.settled)]);
  await chain.mine(UNSETTLED_BLOCKS + 1);

  const collections = Object.values(casts).flatMap(collectionsOf);
  site = await createSite([{ chain, collections, registry: lower(registry) }]);
  service = await site.start("chain");
  reader = createReader(service.baseUrl);
  await playStory(chain, casts.live);
  await untilIndexed(service, chain);
});
afterAll(() => site.close());

const of = (contract: Contract): string => `collectionAddress: "${lower(contract)}"`;
const key = (contract: Contract): string => `chainId: ${chain.chainId}, ${of(contract)}`;
const peopleOf = ({ ada, ben, cy, dot }: Cast): readonly HDAccount[] => [ada, ben, cy, dot];

describe.each(["settled", "live"] as const)("after %s blocks, the index", (when) => {
  let cast: Cast;
  beforeAll(() => {
    cast = casts[when];
  });

  it("knows each ERC-721 token's owner and lock count as the contract does, burned and minted again or not", async () => {
    const rows = await reader.list(
      "tokenStates",
      of(cast.heroes),
      "tokenId owner burned standard lockCount",
      "tokenId",
    );

    const expected = HERO_IDS.map(async (id) => {
      const owner = await ownerOf(chain, cast.heroes, id);
      const lockCount = Number(await chain.read(cast.heroes, "lockCount", [id]));
      return { tokenId: String(id), owner, burned: owner === null, standard: "erc721", lockCount };
    });
    expect(rows).toEqual(await Promise.all(expected));
    const states = rows.map(({ burned, lockCount }) => `${burned ? "burned " : ""}${lockCount}`);
    expect(states).toEqual(["0", "0", "burned 0", "2", "0", "1", "1", "burned 1", "1"]);
  });

  it("reports every lock and unlock, whoever tracks it, and lets a surplus unlock pay for nothing", async () => {
    const rows = await reader.list(
      "lockEvents",
      of(cast.heroes),
      "tokenId direction countAfter anomaly approvedContract",
    );

    const { ada, ben, game, market } = cast;
    expect(rows.map((row) => Object.values(row))).toEqual([
      ["4", "lock", 1, false, lower(game)],
      ["4", "lock", 2, false, lower(market)],
      [String(MAX), "lock", 1, false, lower(game)],
      [String(MAX), "lock", 2, false, lower(market)],
      [String(MAX), "unlock", 1, false, lower(game)],
      ["5", "lock", 1, false, lower(ada)],
      ["5", "unlock", 0, false, lower(ben)],
      ["6", "unlock", 0, true, lower(ben)],
      ["6", "lock", 1, false, lower(game)],
      ["7", "lock", 1, false, lower(game)],
      ["8", "lock", 1, false, lower(market)],
    ]);
  });

  it("keeps one row per metadata event, whatever its range, in the final layout and in the draft's", async () => {
    const announced = 'source_not_in: ["mint", "first_seen"]';
    const fields = "source fromTokenId toTokenId scope";
    const read = async (contract: Contract) =>
      (await reader.list("metadataUpdates", `${of(contract)}, ${announced}`, fields)).map((row) =>
        Object.values(row),
      );

    expect(await read(cast.heroes)).toEqual([
      ["MetadataUpdate", "1", "1", "token"],
      ["BatchMetadataUpdate", "2", "5", "range"],
      ["BatchMetadataUpdate", "0", String(MAX), "collection"],
      ["BatchMetadataUpdate", "9", "2", "inverted"],
    ]);
    expect(await read(cast.early)).toEqual([
      ["MetadataUpdate", String(MAX), String(MAX), "token"],
      ["BatchMetadataUpdate", "2", "5", "range"],
      // One log that matches both layouts.
      ["MetadataUpdate", "1", "1", "token"],
    ]);
    expect(await read(cast.items)).toEqual([["URI", "1", "1", "token"]]);
  });

  it("asks for the metadata of each minted token, of none but that one, and again after a burn", async () => {
    const minted = `${of(cast.heroes)}, source: "mint"`;
    const rows = await reader.list("metadataUpdates", minted, "fromTokenId scope");

    const ids = [...HERO_IDS, 7n].map(String);
    expect(rows).toEqual(ids.map((fromTokenId) => ({ fromTokenId, scope: "token" })));
  });

  it("makes tokens of ERC-2309 mints, each with the owner that the contract names", async () => {
    const last = cast.crowd + 2n;
    for (const id of [0n, 2n, 3n, 99n, 100n, 101n, last, last + 1n]) {
      const row = await reader.one("tokenState", `${key(cast.early)}, tokenId: "${id}"`, "owner");
      expect(row?.owner ?? null, `token ${id}`).toBe(await ownerOf(chain, cast.early, id));
    }
    const owners = peopleOf(cast).map((person) =>
      reader.count("tokenStates", `${of(cast.early)}, owner: "${lower(person)}"`),
    );
    expect((await Promise.all(owners)).map(BigInt)).toEqual(
      await balancesOf(chain, cast.early, peopleOf(cast)),
    );
  });

  it("knows each ERC-1155 balance and supply as the contract does, above 2^53 and down to nothing", async () => {
    const owners = `${of(cast.items)}, balance_gt: "0"`;
    const balances = await reader.list("tokenBalances", owners, "tokenId holder balance", "tokenId");
    const states = await reader.list("tokenStates", of(cast.items), "tokenId supply burned owner", "tokenId");

    const holdings = await holdingsOf(chain, cast.items, peopleOf(cast), ITEM_IDS);
    expect(balances).toEqual(holdings);
    expect(states).toEqual(
      ITEM_IDS.map(String).map((tokenId) => {
        const own = holdings.filter((each) => each.tokenId === tokenId);
        const supply = own.reduce((sum, { balance }) => sum + BigInt(balance), 0n);
        return { tokenId, supply: String(supply), burned: supply === 0n, owner: null };
      }),
    );
    expect(states.map(({ burned }) => burned)).toEqual([false, false, false, true]);
  });

  it("reports every movement, those of a batch one by one", async () => {
    const fields = "from to quantity";
    const ofOne = (contract: Contract, id: number) =>
      reader.list("tokenTransfers", `${of(contract)}, tokenId: "${id}"`, fields);
    const from = "0x0000000000000000000000000000000000000000";
    const [ada, ben, cy] = peopleOf(cast).map(lower);

    expect(await ofOne(cast.heroes, 2)).toEqual([
      { from, to: ada, quantity: "1" },
      { from: ada, to: ben, quantity: "1" },
      { from: ben, to: cy, quantity: "1" },
      { from: cy, to: ben, quantity: "1" },
    ]);
    expect(await ofOne(cast.items, 1)).toEqual([
      { from, to: ada, quantity: "10" },
      { from, to: ben, quantity: "5" },
      { from: ada, to: cy, quantity: "4" },
      { from: ben, to: ada, quantity: "5" },
    ]);
    expect(await ofOne(cast.early, 100)).toHaveLength(2);
  });

  it("counts items and owners as a recount through the contracts does", async () => {
    const counts = (contract: Contract) => reader.one("collectionState", key(contract), "items owners");
    const owners = await Promise.all(HERO_IDS.map((id) => ownerOf(chain, cast.heroes, id)));
    const living = owners.filter((owner) => owner !== null);
    const early = await balancesOf(chain, cast.early, peopleOf(cast));
    const holdings = await holdingsOf(chain, cast.items, peopleOf(cast), ITEM_IDS);

    expect(await counts(cast.heroes)).toEqual({ items: living.length, owners: new Set(living).size });
    expect(await counts(cast.early)).toEqual({
      items: Number(early.reduce((sum, balance) => sum + balance, 0n)),
      owners: early.filter((balance) => balance > 0n).length,
    });
    expect(await counts(cast.items)).toEqual({
      items: new Set(holdings.map(({ tokenId }) => tokenId)).size,
      owners: new Set(holdings.map(({ holder }) => holder)).size,
    });
  });

  it("knows every delegation as the registry does, both ways and by its hash", async () => {
    const fields = "hash type from to rights contract tokenId amount";
    for (const person of peopleOf(cast)) {
      for (const side of ["to", "from"] as const) {
        const where = `${side}: "${lower(person)}", enabled: true`;
        expect(await reader.list("delegations", where, fields, "hash")).toEqual(
          await delegationsOf(chain, cast.registry, side, person),
        );
      }
    }
  });

  it("keeps revoked delegations, as such", async () => {
    const read = async (person: HDAccount, enabled: boolean) => {
      const where = `from: "${lower(person)}", enabled: ${enabled}`;
      return (await reader.list("delegations", where, "type", "type")).map(({ type }) => type);
    };

    expect(await read(cast.ada, true)).toEqual([
      "ALL",
      "CONTRACT",
      "ERC1155",
      "ERC20",
      "ERC20",
      "ERC721",
      "ERC721",
    ]);
    expect(await read(cast.ada, false)).toEqual([]);
    expect(await read(cast.ben, true)).toEqual(["ALL", "ALL"]);
    expect(await read(cast.ben, false)).toEqual(["CONTRACT", "ERC1155", "ERC20", "ERC721"]);
    expect(await read(cast.cy, false)).toEqual(["ALL"]);
  });
});

it("takes the first 5,000 tokens of a mint of 2^256-1, and says what it left out", async () => {
  const { endless } = casts.settled;
  const rows = await reader.list("indexAnomalys", of(endless), "kind count detail", "kind");

  expect(rows).toEqual([
    { kind: "consecutive_transfer_cut", count: 1, detail: expect.stringContaining(`tokens 1 to ${MAX}`) },
  ]);
  expect(await reader.count("tokenStates", of(endless))).toBe(5_000);
  expect(await reader.one("tokenState", `${key(endless)}, tokenId: "5000"`, "burned")).toEqual({
    burned: false,
  });
});

it.each([-1, 1_001])("a limit of %i is refused, not answered with more rows than that", async (limit) => {
  const { data, errors } = await reader.ask(`{ tokenStates(limit: ${limit}) { items { tokenId } } }`);

  expect(data ?? null).toBeNull();
  expect(errors?.[0]?.message).toContain(`limit is ${limit}`);
});

it("`npx vitrine locks reconcile` finds the contracts' own locks in the index, and a lock that no contract holds", async () => {
  const reconcile = (...args: string[]) =>
    runVitrine(["locks", "reconcile", ...args], { env: { ...site.env, BASE_URL: service.baseUrl } });

  const { heroes } = casts.live;
  const all = await reconcile("--json", "--page-size", "4");
  const reports = (JSON.parse(all.stdout) as { collections: Record<string, unknown>[] }).collections;
  const compared = {
    offers: "lockCount",
    compared_with: [{ function: "lockCount", standards: ["erc721x"] }],
    checked: HERO_IDS.length,
    unreadable: 0,
    drift: [],
  };
  const nothing = { offers: null, compared_with: [], checked: 0, unreadable: 0, drift: [] };
  const expected = Object.values(casts).flatMap((cast) =>
    [cast.heroes, cast.items, cast.early, cast.endless].map((contract) => ({
      collection: `${chain.chainId}:${lower(contract)}`,
      ...(contract === cast.heroes ? compared : nothing),
    })),
  );
  expect(reports).toEqual(expected);
  expect(all.code).toBe(0);

  await chain.write(heroes, "emitRawLock", [1n, casts.live.ada.address]);
  await untilIndexed(service, chain);
  const one = await reconcile("--collection", heroes.address);
  expect(one.stdout).toContain("token 1 (erc721x)  index 1, contract 0  unknown: ");
  expect(one.stdout).toContain(`${HERO_IDS.length} tokens compared with lockCount: 1 differ`);
  expect(one.code).toBe(2);

  expect(await reconcile("--collection", `1:${lower(heroes)}`)).toMatchObject({ stdout: "", code: 1 });
});
