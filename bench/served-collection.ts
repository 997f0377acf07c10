/** The whole service on a live chain, with a collection whose documents it has read, for benches over HTTP. */

import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Chain, type Contract, startChain } from "../demo/chain.ts";
import { freePort, startService } from "../demo/service.ts";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { installMulticall3 } from "../test/support/chain/multicall.ts";
import { BLOCKS_AFTER } from "./indexed-service.ts";
import { joinPostgres } from "./postgres.ts";
import { isQuick, say } from "./rounds.ts";
import { startScript } from "./script.ts";

// Not 31337: of a development chain Ponder keeps no logs, and would read them all again beside the first read.
const CHAIN_ID = 31_338;
const MINTED_TOGETHER = 250;
const DEADLINE_MS = 180_000;
// The duration is read from the versions; counting all tokens more often would take from what is measured.
const SETTLE_POLL_MS = 1_000;
/** Fetches at once. */
export const CONCURRENCY = 64;

export interface ServedCollection {
  readonly baseUrl: string;
  readonly url: string;
  readonly chainId: number;
  readonly chain: Chain;
  /** A VitrineHeroes. */
  readonly contract: Contract;
  /** Where the documents come from (origin.ts). */
  readonly originUrl: string;
  /** From the first document that was read to the last one; with `--quick`, while the chain is indexed. */
  readonly firstReadSeconds: number;
  /** In lower case; its tokens are 1 to `tokens`. */
  readonly collection: string;
  /** Keys of as many apps of the highest tier; of the market API by default. */
  createKeys(apps: number, apis?: readonly string[]): Promise<string[]>;
}

export interface ServedOptions {
  readonly tokens: number;
  readonly env?: Record<string, string>;
  /** Of PostgreSQL, that take effect when it starts: "track_commit_timestamp = on". */
  readonly settings?: readonly string[];
}

/** Mints the tokens, waits until their metadata is served, and passes the service to `use`; nothing outlives it. */
export async function withServedCollection<Result>(
  { tokens, env = {}, settings = [] }: ServedOptions,
  use: (served: ServedCollection) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const operatorToken = randomBytes(24).toString("hex");
  const origin = await startScript("origin.ts");
  const host = `127.0.0.1:${origin.line}`;
  const chain = await startChain({ chainId: CHAIN_ID });
  let url = await joinPostgres(folder);
  try {
    if (settings.length > 0) {
      for (const setting of settings) await query(url, `alter system set ${setting}`);
      await stopEmbeddedPostgres(folder);
      url = await joinPostgres(folder);
    }
    // As on public chains; the plain script uses it as well.
    await installMulticall3(chain);
    const heroes = await chain.deploy("VitrineHeroes", [`http://${host}/`]);
    for (let from = 1; from <= tokens; from += MINTED_TOGETHER) {
      await chain.write(heroes, "mintRange", [
        chain.account(0).address,
        BigInt(from),
        BigInt(MINTED_TOGETHER),
      ]);
    }
    await chain.mine(BLOCKS_AFTER);
    await chain.mineEvery(1);
    const collectionsFile = join(folder, "collections.json");
    const collection = heroes.address.toLowerCase();
    writeFileSync(
      collectionsFile,
      JSON.stringify([{ chainId: chain.chainId, address: collection, startBlock: 0 }]),
    );
    const options = (refreshConcurrency: number) => ({
      env: {
        DATABASE_URL: url,
        VITRINE_DATA: folder,
        VITRINE_OPERATOR_TOKEN: operatorToken,
        COLLECTIONS_FILE: collectionsFile,
        [`PONDER_RPC_URL_${chain.chainId}`]: chain.rpcUrl,
        [`DELEGATE_REGISTRY_${chain.chainId}`]: "off",
        ALLOW_PRIVATE_HOSTS: host,
        ...env,
        REFRESH_CONCURRENCY: String(refreshConcurrency),
      },
      logFile: join(folder, "service.log"),
    });
    // Indexed first, so that the time of the first read is that of reading alone.
    if (!isQuick) {
      const indexing = await startService({ port: await freePort(), ...options(0) });
      try {
        await settle(url, tokens, 0);
      } finally {
        await indexing.stop();
      }
    }
    const service = await startService({ port: await freePort(), ...options(CONCURRENCY) });
    try {
      await settle(url, tokens, 1);
      say(`${tokens} tokens are served`);
      return await use({
        baseUrl: service.baseUrl,
        url,
        chainId: chain.chainId,
        chain,
        contract: heroes,
        originUrl: `http://${host}`,
        firstReadSeconds: await readingSeconds(url),
        collection,
        createKeys: (apps, apis) => createKeys(service.baseUrl, operatorToken, apps, apis),
      });
    } finally {
      await service.stop();
    }
  } finally {
    origin.stop();
    await stopEmbeddedPostgres(folder);
    await chain.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until all tokens have so many versions. */
async function settle(url: string, tokens: number, versions: number): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const [row] = await query<{ ready: number }>(
      url,
      `select count(*)::int as ready from vitrine.token where versions >= ${versions}`,
    );
    if (row?.ready === tokens) return;
    if (Date.now() > deadline) throw new Error(`${row?.ready} of ${tokens} tokens have ${versions} versions`);
    await sleep(SETTLE_POLL_MS);
  }
}

async function readingSeconds(url: string): Promise<number> {
  const [row] = await query<{ seconds: number }>(
    url,
    "select extract(epoch from max(fetched_at) - min(fetched_at))::float8 as seconds from vitrine.version",
  );
  return row?.seconds ?? 0;
}

/** One statement on a connection of its own. */
async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Keys of as many apps of the highest tier. */
export async function createKeys(
  baseUrl: string,
  operatorToken: string,
  apps: number,
  apis: readonly string[] = ["market"],
): Promise<string[]> {
  const create = async (_: unknown, nth: number): Promise<string> => {
    const answer = await fetch(`${baseUrl}/admin/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      body: JSON.stringify({ app: `bench ${nth}`, apis }),
    });
    if (answer.status !== 201) throw new Error(`no key: ${await answer.text()}`);
    return ((await answer.json()) as { key: string }).key;
  };
  return Promise.all(Array.from({ length: apps }, create));
}
