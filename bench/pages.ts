/** Milliseconds until a page of a collection of a million tokens has loaded, without scripts and pictures. */

import pg from "pg";
import { Agent, request } from "undici";
import { createServingIndexes } from "../src/api/chain/index/serving-indexes.ts";
import { chainTables } from "../src/api/chain/index/tables.ts";
import { eventually } from "../test/support/eventually.ts";
import {
  CHAIN_ID,
  createCollection,
  createVersions,
  NUMBER_TRAIT,
  traitName,
  valueAt,
} from "./catalog-data.ts";
import { SCHEMA, withIndexed } from "./indexed-service.ts";
import { byPace, say } from "./rounds.ts";

const TOKENS = Number(process.env.BENCH_TOKENS ?? byPace(1_000_000, 10_000));
// So many that p99 is not the slowest one: the first page by a trait sorts the whole collection.
const REQUESTS = byPace(500, 20);
const FIRST_PAGE_TIMEOUT_MS = 300_000;

const below = (limit: number): number => Math.floor(Math.random() * limit);

const is = (trait: number, nth: number): [string, string] => [`is:${traitName(trait)}`, valueAt(trait, nth)];
const numbers = (from: number, to: number): [string, string][] => [
  [`from:${traitName(NUMBER_TRAIT)}`, String(from)],
  [`to:${traitName(NUMBER_TRAIT)}`, String(to)],
];
const owner = (): string => `0x${below(1_000).toString(16).padStart(40, "0")}`;

/** Each call makes a different URL. */
const pages: Readonly<Record<string, () => [string, string][]>> = {
  all: () => [],
  narrow: () => [is(7, 50 + below(100)), is(4, 10 + below(8))],
  broad: () => [is(0, below(2))],
  any_of: () => [is(3, below(20)), is(3, below(20)), is(3, below(20))],
  range: () => numbers(below(8_000), 9_000),
  three_traits_and_a_range: () => [
    is(0, below(2)),
    is(1, below(3)),
    is(2, below(5)),
    ...numbers(below(5_000), 9_000),
  ],
  text: () => [["q", `#${1 + below(9)}${below(10)}${below(10)}`]],
  owner: () => [["owner", owner()]],
  broad_by_name: () => [is(0, below(2)), ["sort", "name_asc"]],
  broad_by_a_trait: () => [is(0, below(2)), ["sort", `trait:${traitName(NUMBER_TRAIT)}:desc`]],
};

export const benchPages = (): Promise<object> =>
  withIndexed(
    async (chain) => (await chain.deploy("EventStorm")).address.toLowerCase(),
    async ({ collection, url, serve }) => {
      await fill(url, collection);
      // Each request comes from another address, since visitors are limited by address.
      const { baseUrl } = await serve([], { TRUSTED_PROXIES: "127.0.0.1,::1" });
      const path = `/collections/${CHAIN_ID}/${collection}`;
      const loading = performance.now();
      await eventually(
        () => get(baseUrl, path),
        ({ status }) => status === 200,
        FIRST_PAGE_TIMEOUT_MS,
      );
      const first_page_ms = Math.round(performance.now() - loading);
      const results: Record<string, object> = {};
      for (const [name, make] of Object.entries(pages)) {
        results[name] = await measure(baseUrl, () => `${path}?${new URLSearchParams(make())}`);
        say(`${name}: ${JSON.stringify(results[name])}`);
      }
      results.token = await measure(baseUrl, () => `${path}/${1 + below(TOKENS)}`);
      say(`token: ${JSON.stringify(results.token)}`);
      return { tokens: TOKENS, first_page_ms, pages: results, bar: { p99_ms: 100 } };
    },
  );

/** Written directly into the tables: minting so many on a chain would take hours. */
async function fill(url: string, collection: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Ponder's triggers record each row for reorgs, of which there are none here.
  await client.query("set session_replication_role = replica");
  await createCollection(client, chainTables(SCHEMA), TOKENS, "usual", collection);
  await createVersions(client, collection, TOKENS);
  await client.end();
  await createServingIndexes(url, SCHEMA);
}

const agent = new Agent({ connections: 1 });

async function get(baseUrl: string, path: string): Promise<{ status: number; text: string }> {
  const from = [10, below(256), below(256), below(256)].join(".");
  const { statusCode, body } = await request(`${baseUrl}${path}`, {
    dispatcher: agent,
    headers: { "x-forwarded-for": from },
  });
  return { status: statusCode, text: await body.text() };
}

async function measure(baseUrl: string, makePath: () => string) {
  const ms: number[] = [];
  let isEmpty = true;
  for (let nth = 0; nth < REQUESTS; nth++) {
    const path = makePath();
    const startedAt = performance.now();
    const { status, text } = await get(baseUrl, path);
    ms.push(performance.now() - startedAt);
    // A burned token has no page.
    if (status !== 200 && status !== 404)
      throw new Error(`${path} answered ${status}: ${text.slice(0, 300)}`);
    isEmpty &&= !text.includes("Hero #");
  }
  if (isEmpty) throw new Error(`no token on any page such as ${makePath()}`);
  const sorted = ms.toSorted((a, b) => a - b);
  const nth = (place: number): number => Number((sorted[place] ?? 0).toFixed(1));
  const at = (share: number): number => nth(Math.floor(ms.length * share));
  return { p50_ms: at(0.5), p99_ms: at(0.99), max_ms: nth(ms.length - 1) };
}
