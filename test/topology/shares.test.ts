/** Three replicas behind the HAProxy of deploy/haproxy.cfg, over a PostgreSQL of their own: shares of memory, and kills. */

import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrate } from "../../src/api/db/migrate.ts";
import { type PostgresServer, startPostgresServer } from "../faults/support/postgres-server.ts";
import { CHAIN_SCHEMA, chainDdl } from "../support/chain/chain-ddl.ts";
import { eventually } from "../support/eventually.ts";
import { makeFolder } from "../support/folder.ts";
import { type Replica, startReplica } from "../support/processes/replica.ts";
import { CHAIN_ID } from "../support/refresh/refresh.ts";
import { type Balancer, startHaproxy } from "./haproxy.ts";

const COLLECTIONS = Array.from({ length: 60 }, (_, nth) => `0x${(nth + 1).toString(16).padStart(40, "0")}`);
/** Each collection has a number of tokens of its own, so that one's answer is never another's. */
const tokensOf = (collection: string): number => Number(BigInt(collection)) + 5;

const folder = makeFolder();
let postgres: PostgresServer;
let replicas: Replica[];
let balancer: Balancer;

const start = () =>
  startReplica({
    connectionString: postgres.url,
    schema: CHAIN_SCHEMA,
    collections: COLLECTIONS.map((address) => ({ chainId: CHAIN_ID, address, startBlock: 0 })),
    memoryMb: 500,
    apps: 2,
  });

beforeAll(async () => {
  postgres = await startPostgresServer(folder);
  await migrate(postgres.url);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(chainDdl());
  for (const collection of COLLECTIONS)
    await client.query(
      `insert into vitrine.token (chain_id, collection, token_id, name)
       select $1, $2, n, 'Hero ' || n from generate_series(1, $3::int) n`,
      [CHAIN_ID, collection, tokensOf(collection)],
    );
  await client.end();
  replicas = await Promise.all([start(), start(), start()]);
  const [a, b, c] = replicas.map(({ port }) => port);
  balancer = await startHaproxy([a ?? 0, b ?? 0, c ?? 0]);
});
afterAll(async () => {
  await balancer?.stop();
  await Promise.all((replicas ?? []).map((each) => each.kill()));
  await postgres?.stop("immediate");
  rmSync(folder, { recursive: true, force: true });
});

let asked = 0;

/** The number of tokens a search finds, or the status of an error. */
async function search(collection: string): Promise<{ total: number } | { status: number }> {
  const keys = replicas.flatMap((each) => each.keys);
  const response = await fetch(`${balancer.url}/market/collections/${collection}/traits?q=hero`, {
    headers: { "x-api-key": keys[asked++ % keys.length] ?? "" },
  });
  if (response.status !== 200) {
    await response.arrayBuffer();
    return { status: response.status };
  }
  return { total: ((await response.json()) as { total: number }).total };
}

const loads = () => Promise.all(replicas.map(async (each) => (await each.report()).loads));

it("each holds the search indexes of about a third of the collections, and no other holds them too", async () => {
  for (let round = 0; round < 3; round++)
    for (const collection of COLLECTIONS)
      expect(await search(round === 1 ? collection.toUpperCase().replace("0X", "0x") : collection)).toEqual({
        total: tokensOf(collection),
      });

  const held = await loads();

  expect(held.reduce((sum, each) => sum + each, 0)).toBe(COLLECTIONS.length);
  for (const each of held) {
    expect(each).toBeGreaterThan(COLLECTIONS.length / 6);
    expect(each).toBeLessThan(COLLECTIONS.length / 2);
  }
});

/** Searches all collections by turns, four at once, until `work` is over. Returns what was wrong, and the errors' statuses. */
async function searchDuring(work: () => Promise<void>) {
  const wrong: unknown[] = [];
  const statuses = new Set<number>();
  let answers = 0;
  let isOver = false;
  const client = async (first: number): Promise<void> => {
    for (let nth = first; !isOver; nth++) {
      const collection = COLLECTIONS[nth % COLLECTIONS.length] ?? "";
      const answer = await search(collection);
      if ("status" in answer) {
        statuses.add(answer.status);
        await sleep(10);
      }
      if ("total" in answer && answer.total === tokensOf(collection)) answers++;
      else if ("total" in answer) wrong.push({ collection, answer });
    }
  };
  const clients = Promise.all([0, 15, 30, 45].map(client));
  await work().finally(() => {
    isOver = true;
  });
  await clients;
  return { wrong, statuses: [...statuses], answers };
}

const allAreAnswered = () =>
  eventually(
    () => Promise.all(COLLECTIONS.map(search)),
    (answers) =>
      answers.every((each, nth) => "total" in each && each.total === tokensOf(COLLECTIONS[nth] ?? "")),
    30_000,
  );

it("kill -9 of PostgreSQL during searches causes errors and no wrong answer, and all are answered after it is back", async () => {
  const { wrong, statuses, answers } = await searchDuring(async () => {
    await sleep(500);
    await postgres.kill();
    await sleep(1_000);
    await postgres.start();
    await allAreAnswered();
  });

  expect(wrong).toEqual([]);
  expect(answers).toBeGreaterThan(0);
  expect(statuses.filter((status) => status < 500)).toEqual([]);
});

it("kill -9 of a replica during searches causes no wrong answer, and the others take over its share and keep theirs", async () => {
  const before = await loads();
  const { wrong, statuses } = await searchDuring(async () => {
    await sleep(500);
    await replicas[0]?.kill();
    await allAreAnswered();
  });
  const [, ...after] = [
    0,
    ...(await Promise.all(replicas.slice(1).map(async (each) => (await each.report()).loads))),
  ];

  expect(wrong).toEqual([]);
  expect(statuses.filter((status) => status < 500)).toEqual([]);
  const taken = after.map((each, nth) => each - (before[nth + 1] ?? 0));
  // A third moves; hashed anew, two thirds would.
  expect(taken.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(COLLECTIONS.length / 2);
  for (const each of taken) expect(each).toBeGreaterThan(0);
});
