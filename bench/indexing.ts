/**
 * Events per second of Vitrine's backfill as `npm start` runs it, against a bare Ponder app under `ponder start` that
 * writes the same rows by plain inserts, with drizzle-orm as it is published. With BENCH_PATCHED it has our patch too.
 */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { startChain } from "../demo/chain.ts";
import { freePort, startService } from "../demo/service.ts";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { joinPostgres } from "./postgres.ts";
import { byPace, compareRounds, say } from "./rounds.ts";

const TOKENS_PER_CALL = 1_000;
const EVENTS_PER_TOKEN = 4;
const CALLS = byPace(30, 2);
// Ponder treats the last thirty blocks as unfinalized, and those are no backfill.
const BLOCKS_AFTER = 40;
const ROUNDS = byPace(5, 1);
const LOG_FORMAT = ["--log-format", "json"];
const BARE_APP = fileURLToPath(new URL("./bare-app/", import.meta.url));
const PUBLISHED = {
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import ${new URL("./published-drizzle.mjs", import.meta.url)}`,
};

export async function benchIndexing() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const chain = await startChain();
  try {
    const storm = await chain.deploy("EventStorm");
    for (let call = 0; call < CALLS; call++) {
      await chain.write(storm, "storm", [BigInt(call * TOKENS_PER_CALL + 1), BigInt(TOKENS_PER_CALL)]);
    }
    await chain.mine(BLOCKS_AFTER);
    const events = CALLS * TOKENS_PER_CALL * EVENTS_PER_TOKEN;
    const collectionsFile = join(folder, "collections.json");
    writeFileSync(
      collectionsFile,
      JSON.stringify([{ chainId: 31337, address: storm.address, startBlock: 0 }]),
    );
    const env = {
      DATABASE_URL: await joinPostgres(folder),
      VITRINE_DATA: folder,
      COLLECTIONS_FILE: collectionsFile,
      BENCH_ADDRESS: storm.address,
      PONDER_RPC_URL_31337: chain.rpcUrl,
      // The bare app watches no registry.
      DELEGATE_REGISTRY_31337: "off",
      // Fetching is a separate measurement; finding what to fetch stays on.
      REFRESH_CONCURRENCY: "0",
    };
    say(`${events} events on the chain`);

    const play = (side: "vitrine" | "bare") => async (round: number) => ({
      perSecond: events / (await backfill(side, `${side}_${round}`, env, folder)),
    });
    const compared = await compareRounds(
      ROUNDS,
      { vitrine: play("vitrine"), bare: play("bare") },
      { isCold: true },
    );
    const rows = await compareRows(env.DATABASE_URL);
    return { events, ...compared, bar: { ratio: 0.9 }, rows };
  } finally {
    await stopEmbeddedPostgres(folder);
    await chain.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Seconds from the start to the end of the backfill by Ponder's own log, including the reading of logs. */
async function backfill(
  side: "vitrine" | "bare",
  schema: string,
  env: Record<string, string>,
  folder: string,
) {
  const service = await startService({
    port: await freePort(),
    env: { ...env, DATABASE_SCHEMA: schema, ...(side === "bare" && !process.env.BENCH_PATCHED && PUBLISHED) },
    logFile: join(folder, `${schema}.log`),
    ...(side === "bare"
      ? { ponderArgs: ["start", "--root", BARE_APP, ...LOG_FORMAT] }
      : { startArgs: LOG_FORMAT }),
  });
  const log = service.log();
  await service.stop();
  const times = new Map<string, number>();
  for (const line of log.split("\n")) {
    if (!line.startsWith("{")) continue;
    const { msg, time } = JSON.parse(line) as { msg: string; time: number };
    times.set(msg, time);
  }
  const from = times.get("Started backfill indexing") ?? times.get("Created database tables");
  const to =
    times.get("Completed backfill indexing across all chains") ?? times.get("Completed backfill indexing");
  if (from === undefined || to === undefined) throw new Error(`no backfill in the log of ${schema}\n${log}`);
  return (to - from) / 1000;
}

/** Rows per table of both sides, which must match: a side that wrote less would win. */
async function compareRows(url: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const counts: Record<string, number> = {};
  for (const table of [
    "token_state",
    "token_transfer",
    "metadata_update",
    "lock_event",
    "collection_holder",
  ]) {
    const { rows } = await client.query<{ vitrine: number; bare: number }>(
      `select (select count(*)::int from vitrine_1.${table}) as vitrine, (select count(*)::int from bare_1.${table}) as bare`,
    );
    const [row] = rows;
    if (!row || row.vitrine !== row.bare) throw new Error(`${table} differs: ${JSON.stringify(row)}`);
    counts[table] = row.vitrine;
  }
  await client.end();
  return counts;
}
