/** Actions of partners, readers and operators over REST, with valid and invalid keys. */

import { createRandom, type Random } from "../../support/random.ts";
import type { Answered, Ask, Client } from "./client.ts";
import type { Kind } from "./traffic.ts";

export interface Subject {
  readonly client: Client;
  readonly key: string;
  readonly operatorToken: string;
  readonly chainId: number;
  /** The collection's address. */
  readonly address: string;
  /** Ids of existing tokens. */
  readonly ids: () => readonly number[];
  readonly wallets: readonly string[];
  /** Ids of accepted refreshes, for the test to check later. */
  readonly accepted: string[];
  /** Paths of pictures in answers. */
  readonly images: string[];
}

const IMAGES_KEPT = 200;
const PAGES = 3;

export function restKinds(subject: Subject): Kind[] {
  const { client, key, address, ids, wallets, accepted, images } = subject;
  const keyed = { "x-api-key": key };
  const ask = (random: Random, path: string, body?: unknown): Promise<Answered> =>
    client.ask(random, { path, headers: keyed, body });
  const tokenIds = (random: Random, most: number): string[] =>
    Array.from({ length: random.whole(1, most) }, () => String(random.pick(ids())));
  const market = `/market/collections/${address}`;
  const partner = `/market-partner/collections/${address}`;

  const refresh = async (random: Random, query = ""): Promise<Answered> => {
    const answered = await ask(random, `${partner}/refresh_metadata${query}`, {
      token_ids: tokenIds(random, 5),
    });
    if (answered.json?.refresh_id) accepted.push(answered.json.refresh_id);
    return answered;
  };
  const remember = (path: string | null | undefined): void => {
    if (!path) return;
    images.push(new URL(path).pathname);
    if (images.length > IMAGES_KEPT) images.shift();
  };

  return [
    { name: "refresh", perSecond: 2, send: refresh },
    { name: "refresh ?wait=5", perSecond: 0.5, send: (random) => refresh(random, "?wait=5") },
    {
      name: "receipt",
      perSecond: 1,
      send: (random) =>
        ask(
          random,
          `/market-partner/refreshes/${accepted.at(-random.whole(1, 50)) ?? accepted[0] ?? "none"}`,
        ),
    },
    {
      name: "token",
      perSecond: 3,
      async send(random) {
        const answered = await ask(random, `${market}/tokens/${random.pick(ids())}`);
        remember(answered.json?.image?.url);
        return answered;
      },
    },
    {
      name: "search",
      perSecond: 2,
      send: (random) => ask(random, `${market}/tokens?${searchOf(random, wallets)}`),
    },
    {
      name: "search by cursors",
      perSecond: 0.3,
      async send(random) {
        const query = searchOf(random, wallets);
        let answered = await ask(random, `${market}/tokens?${query}`);
        for (let page = 1; page < PAGES && answered.json?.next_cursor && !answered.fault; page++) {
          query.set("cursor", answered.json.next_cursor);
          answered = await ask(random, `${market}/tokens?${query}`);
        }
        return answered;
      },
    },
    {
      name: "traits",
      perSecond: 0.5,
      send(random) {
        // So few conditions that all the facets that are kept have been counted after a third.
        const query = searchOf(createRandom(random.whole(1, 40), 0), wallets);
        for (const name of ["limit", "sort"]) query.delete(name);
        return ask(random, `${market}/traits?${query}`);
      },
    },
    { name: "trade checks", perSecond: 1, send: (random) => ask(random, ...tradeCheck(random)) },
    {
      name: "trade checks on chain",
      perSecond: 0.3,
      send: (random) => ask(random, ...tradeCheck(random, { verify: "chain" })),
    },
    {
      name: "report",
      perSecond: 0.5,
      send: (random) => ask(random, `${partner}/tokens/${random.pick(ids())}/report`),
    },
    {
      name: "validate",
      perSecond: 0.3,
      send: (random) =>
        ask(random, "/market-partner/metadata/validate", {
          document: { name: `A ${random.next()}`, image: "https://img.example/a.png", attributes: [{}] },
          collection_address: address,
        }),
    },
    {
      name: "collections, wallets, registry",
      perSecond: 1,
      send: (random) =>
        ask(
          random,
          random.pick([
            "/market/collections",
            market,
            `${partner}/information`,
            `/market/wallets/${random.pick(wallets)}/delegations`,
            `/registry/v2/${random.pick(wallets)}`,
          ]),
        ),
    },
    { name: "keys come and go", perSecond: 0.1, send: keysComeAndGo },
    {
      name: "wrong keys",
      perSecond: 0.5,
      send: (random) =>
        client.ask(random, {
          path: `${market}/tokens/1`,
          headers: { "x-api-key": `vk_${random.whole(100_000, 999_999)}${"0123456789abcdef".repeat(3)}` },
        }),
    },
    {
      name: "bad requests",
      perSecond: 0.5,
      send: (random) =>
        client.ask(random, {
          headers: keyed,
          ...random.pick<Ask>([
            { path: `${partner}/refresh_metadata`, body: '{"token_ids": [' },
            { path: `${partner}/refresh_metadata`, body: { token_ids: [`${random.whole(1, 1e9)}x`] } },
            { path: `${market}/tokens?criteria=[{"name":${random.whole(1, 1e9)}}]` },
            { path: `/market/${random.whole(1, 1e9)}` },
            { path: `${market}/tokens/99999999${random.whole(1, 1e9)}` },
            { path: "/market/trade_checks", body: { action: "steal", items: [] } },
          ]),
        }),
    },
  ];

  function tradeCheck(random: Random, more: object = {}): [path: string, body: object] {
    const action = random.pick(["list", "transfer", "trade"]);
    const items = tokenIds(random, 10).map((token_id) => ({ collection_address: address, token_id }));
    const wallet = random.chance(0.5) ? { wallet: random.pick(wallets) } : {};
    return ["/market/trade_checks", { action, items, ...wallet, ...more }];
  }

  /** Creates, uses and revokes a key. */
  async function keysComeAndGo(random: Random): Promise<Answered> {
    const headers = { authorization: `Bearer ${subject.operatorToken}` };
    const body = { app: `App ${random.whole(1, 50)}`, apis: ["market"] };
    const made = await client.ask(random, { path: "/admin/keys", headers, body });
    if (made.fault || !made.json?.key) return made;
    const used = await client.ask(random, { path: market, headers: { "x-api-key": made.json.key } });
    const path = `/admin/keys/${made.json.id}`;
    const revoked = await client.ask(random, { method: "DELETE", path, headers });
    return used.fault ? used : revoked;
  }
}

/** Random conditions, sort and size of a search. */
function searchOf(random: Random, wallets: readonly string[]): URLSearchParams {
  const query = new URLSearchParams({ limit: String(random.pick([5, 20, 20, 100])) });
  if (random.chance(0.4)) {
    const criteria = [{ name: "Class", values: [random.pick(["Knight", "Mage", "Dragon"]), "Rogue"] }];
    query.set("criteria", JSON.stringify(criteria));
  }
  if (random.chance(0.3)) {
    const range = { from: String(random.whole(0, 50)), to: String(random.whole(50, 99)) };
    query.set("range_criteria", JSON.stringify([{ name: "Level", range }]));
  }
  if (random.chance(0.2))
    query.set("q", random.pick(["hero", "revision 1", "knight", `${random.whole(1, 99)}`]));
  if (random.chance(0.2)) query.set("owner", random.pick(wallets));
  if (random.chance(0.2)) query.set("locked", random.pick(["true", "false"]));
  if (random.chance(0.5)) {
    query.set("sort", random.pick(["id_desc", "name_asc", "latest", "updated", "trait:Level:desc"]));
  }
  return query;
}
