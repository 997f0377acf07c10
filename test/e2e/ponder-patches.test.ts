/**
 * What patches/ changes in Ponder 0.17.7; ../patches.test.ts has what a start no longer loads,
 * ../api/graphql/sent-documents.test.ts what a query costs no longer, ../api/graphql/list-order.test.ts,
 * list-model.test.ts and hostile-arguments.test.ts which rows a list has, and ponder-faults.test.ts what a list says while
 * the database is away. A row that several events of a backfill change is written once: published, Ponder inserts it as the
 * first event left it and updates it in the same flush. And the package that our files import is the one that Node has
 * loaded already: published, Vite transforms Ponder, and all that it imports, a second time. Pruning also leaves what
 * replicas alone serve: published, it drops an index without an indexer.
 */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, startChain } from "../../demo/chain.ts";
import { freePort, type Service, startService } from "../../demo/service.ts";
import { createSite, type Site, untilIndexed } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { eventually } from "../support/processes/world.ts";

const PROJECT = resolve(import.meta.dirname, "../..");
const PONDER = "node_modules/ponder/dist/esm/bin/ponder.js";
const TOKENS = 500;
// The last ones are unfinalized to Ponder, and those are no backfill.
const BLOCKS_AFTER = 40;

let chain: Chain;
let site: Site;
let service: Service;

beforeAll(async () => {
  chain = await startChain();
  const storm = await chain.deploy("EventStorm");
  // Each token is minted, announced, locked and unlocked.
  await chain.write(storm, "storm", [1n, BigInt(TOKENS)]);
  await chain.mine(BLOCKS_AFTER);
  site = await createSite([{ chain, collections: [lower(storm)] }], {
    REFRESH_CONCURRENCY: "0",
    DEBUG: "vite-node:server:request",
  });
  service = await site.start("writes");
  await untilIndexed(service, chain);
});
afterAll(async () => {
  await site.close();
  await chain.close();
});

it("writes a row of several events once, as the last one left it", async () => {
  // PostgreSQL publishes its counts with a delay.
  const [written] = await eventually(
    () =>
      site.query<{ inserted: number; updated: number }>(
        `select n_tup_ins::int as inserted, n_tup_upd::int as updated from pg_stat_user_tables
          where schemaname = 'writes' and relname = 'token_state'`,
      ),
    ([row]) => row?.inserted === TOKENS,
  );
  const [state] = await site.query(
    `select count(*)::int as tokens, bool_and(lock_count = 0 and last_lock_change_block is not null) as unlocked
       from writes.token_state`,
  );

  expect(written).toEqual({ inserted: TOKENS, updated: 0 });
  expect(state).toEqual({ tokens: TOKENS, unlocked: true });
});

it("has Vite transform our files, and none of a package", () => {
  const transformed = service.log().match(/(?<=vite-node:server:request )\S+/g) ?? [];

  expect(transformed).toContainEqual(expect.stringMatching(/ponder\.config\.ts$/));
  expect(transformed.filter((path) => path.includes("/node_modules/"))).toEqual([]);
});

it("has `ponder db prune` leave an index that a replica serves, and drop it once nobody does", async () => {
  await service.stop();
  const port = await freePort();
  const replica = await startService({
    port,
    env: { ...site.env, BASE_URL: `http://localhost:${port}`, DATABASE_SCHEMA: "writes" },
    logFile: `${site.folder}/replica.log`,
    ponderArgs: ["serve"],
  });
  const prune = () =>
    promisify(execFile)("node", [PONDER, "db", "prune"], {
      cwd: PROJECT,
      env: { ...process.env, ...site.env, BASE_URL: replica.baseUrl },
    });
  const schemas = async () =>
    (await site.query<{ name: string }>("select nspname as name from pg_namespace where nspname = 'writes'"))
      .length;

  await prune();
  expect((await fetch(`${replica.baseUrl}/ready`)).status).toBe(200);
  expect(await schemas()).toBe(1);

  await replica.stop();
  const hash = createHash("sha256").update("writes").digest("hex").slice(0, 32);
  const listener = new pg.Client({
    connectionString: site.env.DATABASE_URL,
    application_name: `vitrine listener ${hash}`,
  });
  await listener.connect();
  await prune();
  expect(await schemas()).toBe(1);

  await listener.end();
  await prune();
  expect(await schemas()).toBe(0);
});
