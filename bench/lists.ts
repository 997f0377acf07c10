/** A hundred tokens at once, and pages of activity, at a million tokens of ten traits and three transfers each. */

import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { getRequestListener } from "@hono/node-server";
import pg from "pg";
import { chainTables } from "../src/api/chain/index/tables.ts";
import { createDatabase } from "../src/api/db/database.ts";
import { migrate } from "../src/api/db/migrate.ts";
import { silentLogger } from "../src/api/logging/logger.ts";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { createTestApp } from "../test/support/processes/app.ts";
import { COLLECTION } from "../test/support/refresh/refresh.ts";
import { CHAIN_ID, createChainTables, createCollection, createVersions } from "./catalog-data.ts";
import { joinPostgres } from "./postgres.ts";
import { byPace, say } from "./rounds.ts";

const TOKENS = Number(process.env.BENCH_TOKENS ?? byPace(1_000_000, 2_000));
const REQUESTS = byPace(500, 50);
const WARM_REQUESTS = 50;
const BATCH_IDS = 100;
const TRANSFERS_PER_TOKEN = 3;
const WALLETS = 10_000;
// Below the limit of an app.
const REQUESTS_PER_APP = 25;

interface Setting {
  readonly client: pg.Client;
  readonly tables: ReturnType<typeof chainTables>;
  /** Makes the next request one with a key that is not over its limit and has been used before. */
  renewKey(): Promise<void>;
  /** Sends a request over HTTP, checks that it is answered, and returns the answer. */
  ask(path: string, body?: unknown): Promise<string>;
}

const agent = new Agent({ keepAlive: true });

/** By Node's own client: what `fetch` leaves behind lives until V8's next full collection, and slows down every other one. */
async function send(url: string, key: string, body: unknown): Promise<{ status?: number; text: string }> {
  const asked = request(url, {
    agent,
    method: body === undefined ? "GET" : "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
  });
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return { status: answer.statusCode, text: await text(answer) };
}

async function withTokens<Result>(use: (setting: Setting) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const url = await joinPostgres(folder);
  await migrate(url);
  const database = createDatabase(url, silentLogger);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = chainTables("bench");
  const api = createTestApp({ database, tables }, { config: { dataFolder: folder } });
  const server = createServer(getRequestListener(api.app.fetch)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await createChainTables(client, tables, url);
    await createCollection(client, tables, TOKENS, "usual", COLLECTION);
    // The newest indexed block: 10 digits of the time, 16 each of the chain and of the block, and the rest.
    const digits = "lpad('1', 10, '0') || lpad('31337', 16, '0') || lpad('100', 16, '0') || repeat('9', 33)";
    await client.query(`update ${tables.checkpoint} set latest_checkpoint = ${digits}`);
    say(`${TOKENS} tokens written`);
    let [asked, key] = [0, ""];
    async function ask(path: string, body?: unknown): Promise<string> {
      const { status, text } = await send(`${origin}/market${path}`, key, body);
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return text;
    }
    return await use({
      client,
      tables,
      ask,
      async renewKey() {
        if (asked++ % REQUESTS_PER_APP !== 0) return;
        key = await api.createKey(["market"], `bench ${asked}`);
        await ask("/collections");
      },
    });
  } finally {
    server.closeAllConnections();
    server.close();
    api.usage.stop();
    await client.end();
    await database.close();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

const below = (limit: number): number => Math.floor(Math.random() * limit);
const collectionPath = `/collections/${COLLECTION}`;
const chain = `chain_id=${CHAIN_ID}`;

/** One request after the other, the first ones not counted. */
async function measure({ renewKey }: Setting, send: () => Promise<unknown>) {
  const times: number[] = [];
  for (let nth = 0; nth < WARM_REQUESTS + REQUESTS; nth++) {
    await renewKey();
    const started = performance.now();
    await send();
    if (nth >= WARM_REQUESTS) times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => Number((times[Math.floor(share * times.length)] ?? 0).toFixed(1));
  return { requests: REQUESTS, p50_ms: at(0.5), p99_ms: at(0.99) };
}

export const benchBatch = (): Promise<object> =>
  withTokens(async (setting) => {
    const { client, ask } = setting;
    await createVersions(client, COLLECTION, TOKENS);
    const ids = () => Array.from({ length: BATCH_IDS }, () => String(1 + below(TOKENS)));
    const path = `${collectionPath}/tokens/batch?${chain}`;
    await setting.renewKey();
    if (!(await ask(path, { token_ids: ids() })).includes('"traits":[{'))
      throw new Error("the tokens of a batch have no traits");
    const batch = await measure(setting, () => ask(path, { token_ids: ids() }));
    say(JSON.stringify(batch));
    return { tokens: TOKENS, ids: BATCH_IDS, ...batch, bar: { p99_ms: 25 } };
  });

export const benchActivity = (): Promise<object> =>
  withTokens(async (setting) => {
    const { client, tables, ask } = setting;
    const wallet = (number: string): string => `'0x' || lpad(to_hex(${number}), 40, '0')`;
    // A checkpoint: 10 digits of the time, 16 each of chain, block and transaction, 1 of the kind, 16 of the log.
    await client.query(
      `insert into ${tables.tokenTransfer} (id, chain_id, collection_address, token_id, "from", "to", quantity,
         block_number, block_timestamp, transaction_hash, log_index)
       select lpad((1700000000 + e.block)::text, 10, '0') || lpad('${CHAIN_ID}', 16, '0') || lpad(e.block::text, 16, '0')
                || lpad('0', 16, '0') || '5' || lpad('0', 16, '0'),
              ${CHAIN_ID}, '${COLLECTION}', e.token_id,
              case when e.nth = 0 then ${wallet("0")} else ${wallet(`1 + (e.token_id + e.nth - 1) % ${WALLETS}`)} end,
              ${wallet(`1 + (e.token_id + e.nth) % ${WALLETS}`)}, 1, e.block, 1700000000 + e.block,
              '0x' || repeat('ab', 32), 0
         from (select t as token_id, n as nth, (n::bigint * ${TOKENS} + t) as block
                 from generate_series(1, ${TOKENS}) t, generate_series(0, ${TRANSFERS_PER_TOKEN - 1}) n) e`,
    );
    await client.query(`analyze ${tables.tokenTransfer}`);
    say(`${TOKENS * TRANSFERS_PER_TOKEN} transfers written`);
    const address = () => `0x${(1 + below(WALLETS)).toString(16).padStart(40, "0")}`;
    const lists = {
      token: () => `${collectionPath}/tokens/${1 + below(TOKENS)}/activity?${chain}&limit=100`,
      collection: () => `${collectionPath}/activity?${chain}&limit=100`,
      collection_burns: () => `${collectionPath}/activity?${chain}&limit=100&type=burn`,
      wallet: () => `/wallets/${address()}/activity?limit=100`,
    };
    const measured: Record<string, object> = {};
    for (const [name, path] of Object.entries(lists)) {
      measured[name] = await measure(setting, () => ask(path()));
      say(`${name}: ${JSON.stringify(measured[name])}`);
    }
    return { tokens: TOKENS, transfers: TOKENS * TRANSFERS_PER_TOKEN, ...measured };
  });
