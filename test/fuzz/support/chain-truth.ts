/** What the contracts say, and what the service says, in one form. */

import { parseAbiItem } from "viem";
import type { Contract } from "../../../demo/chain.ts";
import type { TokenView } from "../../../src/api/catalog/tokens/token-view.ts";
import type { Reader } from "../../support/chain/chain-tables.ts";
import { delegationsOf, holdingsOf, lower, ownerOf } from "../../support/chain/contract-answers.ts";
import type { createPartner } from "../../support/processes/world.ts";
import { HERO_IDS, ITEM_IDS, type Ledger, mintedEarly } from "./chain-moves.ts";

const ZERO = `0x${"0".repeat(40)}`;
const TRANSFER = parseAbiItem(
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
);

export interface Truth {
  readonly heroes: Readonly<Record<string, Hero | null>>;
  /** Amounts by item and holder. */
  readonly items: Readonly<Record<string, string>>;
  readonly itemNames: Readonly<Record<string, string>>;
  /** Hero ids by what they are found by. */
  readonly found: Readonly<Record<string, readonly string[]>>;
  /** The same of tokens that were minted in ranges. */
  readonly foundEarly: Readonly<Record<string, readonly string[]>>;
  /** Numbers of heroes by the value of their trait. */
  readonly sides: Readonly<Record<string, number>>;
  /** Numbers of heroes by owner, now and at a block. */
  readonly owners: Readonly<Record<string, string>>;
  readonly ownersBefore: Readonly<Record<string, string>>;
  readonly earlyOwnersBefore: Readonly<Record<string, string>>;
  /** Transfers, newest first. */
  readonly transfers: readonly string[];
  /** Hashes of delegations, by who granted them. */
  readonly delegations: Readonly<Record<string, readonly string[]>>;
}

interface Hero {
  readonly owner: string | null;
  readonly locks: number;
  readonly name: string | null;
}

export async function contractsSay(ledger: Ledger, before: bigint): Promise<Truth> {
  const { chain, heroes, items, early, registry, actors, documents } = ledger;
  const pathOf = (uri: unknown): string => String(uri).slice(documents.length);
  const found: [string, Hero | null][] = await each(HERO_IDS, async (id) => {
    const owner = await ownerOf(chain, heroes, id);
    if (owner === null) return [String(id), null];
    const [locks, uri] = await Promise.all([
      chain.read(heroes, "lockCount", [id]),
      chain.read(heroes, "tokenURI", [id]),
    ]);
    return [String(id), { owner, locks: Number(locks), name: pathOf(uri) }];
  });
  const live = found.filter((one): one is [string, Hero] => one[1] !== null);
  const idsWhere = (holds: (hero: Hero) => boolean): string[] =>
    live.filter(([, hero]) => holds(hero)).map(([id]) => id);
  const ownersAt = async (contract: Contract, ids: readonly bigint[]): Promise<Record<string, string>> => {
    const owners = await each(ids, async (id) =>
      chain.publicClient
        .readContract({ ...contract, functionName: "ownerOf", args: [id], blockNumber: before })
        .then(
          (owner) => String(owner).toLowerCase(),
          () => undefined,
        ),
    );
    return texts(count(owners.filter((owner) => owner !== undefined)));
  };
  const earlyIds = Array.from({ length: await mintedEarly(ledger) }, (_, nth) => BigInt(nth + 1));
  const earlyOwners = await each(earlyIds, async (id) => ({
    id: String(id),
    owner: await ownerOf(chain, early, id),
  }));
  const holdings = await holdingsOf(chain, items, actors.holders, ITEM_IDS);
  const logs = await chain.publicClient.getLogs({
    address: heroes.address,
    event: TRANSFER,
    fromBlock: 0n,
  });
  return {
    heroes: Object.fromEntries(found),
    items: Object.fromEntries(
      holdings.map(({ tokenId, holder, balance }) => [`${tokenId} ${holder}`, balance]),
    ),
    itemNames: Object.fromEntries(
      await each(
        ITEM_IDS.filter((id) => holdings.some(({ tokenId }) => tokenId === String(id))),
        async (id) => [String(id), pathOf(await chain.read(items, "uri", [id])).replace("{id}", inHex(id))],
      ),
    ),
    found: {
      all: idsWhere(() => true),
      locked: idsWhere(({ locks }) => locks > 0),
      ...Object.fromEntries(
        actors.holders.map((holder) => [lower(holder), idsWhere(({ owner }) => owner === lower(holder))]),
      ),
    },
    foundEarly: {
      all: earlyOwners.map(({ id }) => id),
      ...Object.fromEntries(
        actors.holders.map((holder) => [
          lower(holder),
          earlyOwners.filter(({ owner }) => owner === lower(holder)).map(({ id }) => id),
        ]),
      ),
    },
    sides: count(live.map(([, { name }]) => String(name).split("/")[1] ?? "")),
    owners: texts(count(live.map(([, { owner }]) => String(owner)))),
    ownersBefore: await ownersAt(heroes, HERO_IDS),
    earlyOwnersBefore: await ownersAt(early, earlyIds),
    transfers: logs
      .map(
        ({ blockNumber, args: { from, to, tokenId } }) =>
          `${blockNumber} ${tokenId} ${from?.toLowerCase()} ${to?.toLowerCase()}`,
      )
      .toReversed(),
    delegations: Object.fromEntries(
      await each(actors.holders, async (holder) => [
        lower(holder),
        (await delegationsOf(chain, registry, "from", holder)).map(({ hash }) => hash),
      ]),
    ),
  };
}

export async function serviceSays(
  { chain, heroes, items, early, actors }: Ledger,
  { call, token }: ReturnType<typeof createPartner>,
  reader: Reader,
  before: bigint,
): Promise<Truth> {
  const market = `/market/collections/${lower(heroes)}`;
  const get = async <Body>(path: string): Promise<Body> => {
    const { status, body } = await call(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body as Body;
  };
  const list = async (of: Contract, filter = ""): Promise<string[]> => {
    const path = `/market/collections/${lower(of)}/tokens?limit=100${filter}`;
    const page = await get<{ items: TokenView[]; total: number }>(path);
    const ids = page.items.map(({ token_id }) => token_id);
    if (page.total !== ids.length) ids.push(`total ${page.total}`);
    return ids;
  };
  const shown: [string, Hero | null][] = await each(HERO_IDS, async (id) => {
    const { status, body } = await call(`${market}/tokens/${id}`);
    const view = body as unknown as TokenView;
    const isThere = status === 200 && !view.burned;
    return [
      String(id),
      isThere ? { owner: view.owner ?? null, locks: view.lock?.lock_count ?? 0, name: view.name } : null,
    ];
  });
  const balances = await reader.list(
    "tokenBalances",
    `collectionAddress: "${lower(items)}", balance_gt: "0"`,
    "tokenId holder balance",
    "tokenId",
  );
  const holdings = balances
    .map(({ tokenId, holder, balance }): [string, string] => [`${tokenId} ${holder}`, String(balance)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const byHolder = async (of: Contract): Promise<Record<string, string[]>> =>
    Object.fromEntries(
      await each(actors.holders, async (holder) => [
        lower(holder),
        await list(of, `&owner=${lower(holder)}`),
      ]),
    );
  const { traits } = await get<{
    traits: { trait_type: string; values: { value: string; count: number }[] }[];
  }>(`${market}/traits`);
  const ownersOf = async (of: Contract, query = ""): Promise<Record<string, string>> => {
    const path = `/market/collections/${lower(of)}/owners${query}`;
    const page = await get<{ items: { owner: string; quantity: string }[] }>(path);
    return Object.fromEntries(page.items.map(({ owner, quantity }) => [owner, quantity]));
  };
  const events: { block: number; token_id: string; from: string | null; to: string | null; type: string }[] =
    [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: { items: typeof events; next_cursor: string | null } = await get(
      `${market}/activity?limit=100&type=mint,transfer,burn${cursor && `&cursor=${cursor}`}`,
    );
    events.push(...page.items);
    cursor = page.next_cursor;
  }
  return {
    heroes: Object.fromEntries(shown),
    items: Object.fromEntries(holdings),
    itemNames: Object.fromEntries(
      await each(
        ITEM_IDS.filter((id) => holdings.some(([key]) => key.startsWith(`${id} `))),
        async (id) => [String(id), String((await token(lower(items), String(id))).name)],
      ),
    ),
    found: {
      all: await list(heroes),
      locked: await list(heroes, "&locked=true"),
      ...(await byHolder(heroes)),
    },
    foundEarly: { all: await list(early), ...(await byHolder(early)) },
    sides: Object.fromEntries(
      (traits.find(({ trait_type }) => trait_type === "Side")?.values ?? []).map(({ value, count: of }) => [
        value,
        of,
      ]),
    ),
    owners: await ownersOf(heroes),
    ownersBefore: await ownersOf(heroes, `?at_block=${before}`),
    earlyOwnersBefore: await ownersOf(early, `?at_block=${before}`),
    transfers: events.map(
      ({ block, token_id, from, to }) => `${block} ${token_id} ${from ?? ZERO} ${to ?? ZERO}`,
    ),
    delegations: Object.fromEntries(
      await each(actors.holders, async (holder) => [
        lower(holder),
        (
          await reader.list(
            "delegations",
            `chainId: ${chain.chainId}, from: "${lower(holder)}", enabled: true`,
            "hash",
            "hash",
          )
        ).map(({ hash }) => hash as string),
      ]),
    ),
  };
}

/** As ERC-1155 puts it in place of `{id}`. */
const inHex = (id: bigint): string => id.toString(16).padStart(64, "0");

const each = <Item, Result>(
  items: readonly Item[],
  find: (item: Item) => Promise<Result>,
): Promise<Result[]> => Promise.all(items.map(find));

function count(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

const texts = (counts: Record<string, number>): Record<string, string> =>
  Object.fromEntries(Object.entries(counts).map(([key, of]) => [key, String(of)]));
