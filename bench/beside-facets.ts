/** Events per second of the live chain index while one client asks for facets as fast as it can, against none. */

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Chain, Contract } from "../demo/chain.ts";
import { createServingIndexes } from "../src/api/chain/index/serving-indexes.ts";
import { chainTables } from "../src/api/chain/index/tables.ts";
import { eventually } from "../test/support/eventually.ts";
import { CHAIN_ID, createCollection, traitName, valueAt } from "./catalog-data.ts";
import { type Indexed, SCHEMA, withIndexed } from "./indexed-service.ts";
import { byPace, compareRounds, type Round, say } from "./rounds.ts";
import { createKeys } from "./served-collection.ts";

const TOKENS = Number(process.env.BENCH_TOKENS ?? byPace(1_000_000, 2_000));
const ROUNDS = byPace(5, 1);
const CALLS = byPace(6, 1);
const TOKENS_PER_CALL = byPace(1_000, 500);
const EVENTS_PER_TOKEN = 4;
const POLL_MS = 20;
const TIMEOUT_MS = 300_000;
const APPS = 4;

export async function benchBesideFacets(): Promise<object> {
  let deployed: { chain: Chain; storm: Contract } | undefined;
  return withIndexed(
    async (chain) => {
      deployed = { chain, storm: await chain.deploy("EventStorm") };
      return deployed.storm.address.toLowerCase();
    },
    async (indexed) => {
      if (!deployed) throw new Error("nothing is deployed");
      await fill(indexed);
      return compare(indexed, deployed);
    },
  );
}

/** Written directly into the tables: minting so many on a chain would take hours. */
async function fill({ url, collection }: Indexed): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Ponder's triggers record each row for reorgs, of which there are none here.
  await client.query("set session_replication_role = replica");
  await createCollection(client, chainTables(SCHEMA), TOKENS, "usual", collection);
  await client.end();
  await createServingIndexes(url, SCHEMA);
}

async function compare(indexed: Indexed, { chain, storm }: { chain: Chain; storm: Contract }) {
  const { baseUrl } = await indexed.index();
  const keys = await createKeys(baseUrl, indexed.operatorToken, APPS);
  let asked = 0;
  const facets = async (): Promise<number> => {
    const values = Array.from({ length: 4 }, () => valueAt(3, Math.floor(Math.random() * 20)));
    const criteria = encodeURIComponent(JSON.stringify([{ name: traitName(3), values }]));
    const answer = await fetch(
      `${baseUrl}/market/collections/${indexed.collection}/traits?criteria=${criteria}`,
      { headers: { "x-api-key": keys[asked++ % keys.length] ?? "" } },
    );
    await answer.arrayBuffer();
    return answer.status;
  };
  await eventually(facets, (status) => status === 200, TIMEOUT_MS);

  let nextId = TOKENS + 1;
  let facetsAnswered = 0;
  const index = async (): Promise<Round> => {
    const startedAt = performance.now();
    for (let call = 0; call < CALLS; call++, nextId += TOKENS_PER_CALL)
      await chain.write(storm, "storm", [BigInt(nextId), BigInt(TOKENS_PER_CALL)]);
    const last = await chain.blockNumber();
    await waitForBlock(baseUrl, last);
    const seconds = (performance.now() - startedAt) / 1000;
    return { perSecond: (CALLS * TOKENS_PER_CALL * EVENTS_PER_TOKEN) / seconds };
  };
  const besideFacets = async (): Promise<Round> => {
    let isOver = false;
    const ask = async (): Promise<void> => {
      while (!isOver) {
        const status = await facets();
        if (status !== 200) throw new Error(`facets were answered with ${status}`);
        facetsAnswered++;
      }
    };
    const indexing = index().finally(() => {
      isOver = true;
    });
    const [round] = await Promise.all([indexing, ask()]);
    return round;
  };
  const compared = await compareRounds(ROUNDS, { vitrine: besideFacets, bare: index });
  say(`${facetsAnswered} facets were answered meanwhile`);
  return { tokens: TOKENS, facets: facetsAnswered, ...compared, bar: { ratio: 0.9 } };
}

async function waitForBlock(baseUrl: string, block: bigint): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while ((await indexedBlock(baseUrl)) < block) {
    if (Date.now() > deadline) throw new Error(`block ${block} was not indexed in ${TIMEOUT_MS} ms`);
    await sleep(POLL_MS);
  }
}

async function indexedBlock(baseUrl: string): Promise<bigint> {
  const status = (await (await fetch(`${baseUrl}/status`)).json()) as Record<
    string,
    { id: number; block: { number: number } }
  >;
  return BigInt(Object.values(status).find(({ id }) => id === CHAIN_ID)?.block.number ?? 0);
}
