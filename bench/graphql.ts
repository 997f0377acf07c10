/** Requests per second of Ponder's own queries through our POST /graphql, beside Ponder's bare middleware in the same process. */

import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Chain, startChain } from "../demo/chain.ts";
import { freePort, startService } from "../demo/service.ts";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../src/api/store/embedded-postgres.ts";
import { compareSides } from "./graphql-load.ts";
import { type IndexedTokens, type QueryKind, queryKinds } from "./graphql-queries.ts";

const CHAIN_ID = 31337;
const TOKENS_PER_CALL = 1_000;
const CALLS = 5;
// Ponder takes the last thirty blocks for unfinalized and answers before it has read them.
const BLOCKS_AFTER = 40;
const SCHEMA = "vitrine_bench";
const BOTH_SIDES = fileURLToPath(new URL("./graphql-app/", import.meta.url));

// An app of the operator may send 1,500 requests a second.
const APPS = 6;
const BAR = 0.95;

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

export async function benchGraphql() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const operatorToken = randomBytes(24).toString("hex");
  const chain = await startChain();
  try {
    const collection = await emitTokens(chain);
    const env = await environment(folder, chain.rpcUrl, collection, operatorToken);
    const indexer = await start(["start"], env, folder);
    await indexer.stop();
    const service = await start(["serve", "--root", BOTH_SIDES], env, folder);
    try {
      const keys = await createKeys(service.baseUrl, operatorToken);
      const tokens = { chainId: CHAIN_ID, collection, tokens: CALLS * TOKENS_PER_CALL };
      return { ...(await compareSides(service.baseUrl, keys, askedKinds(tokens), say)), bar: BAR };
    } finally {
      await service.stop();
    }
  } finally {
    await stopEmbeddedPostgres(folder);
    await chain.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All of them, or those that BENCH_QUERIES names. */
function askedKinds(tokens: IndexedTokens): Record<string, QueryKind> {
  const asked = process.env.BENCH_QUERIES?.split(",");
  return Object.fromEntries(
    Object.entries(queryKinds(tokens)).filter(([name]) => asked === undefined || asked.includes(name)),
  );
}

async function emitTokens(chain: Chain): Promise<string> {
  const storm = await chain.deploy("EventStorm");
  for (let call = 0; call < CALLS; call++) {
    await chain.write(storm, "storm", [BigInt(call * TOKENS_PER_CALL + 1), BigInt(TOKENS_PER_CALL)]);
  }
  await chain.mine(BLOCKS_AFTER);
  return storm.address.toLowerCase();
}

async function environment(folder: string, rpcUrl: string, collection: string, operatorToken: string) {
  const collectionsFile = join(folder, "collections.json");
  const collections = [{ chainId: CHAIN_ID, address: collection, startBlock: 0 }];
  writeFileSync(collectionsFile, JSON.stringify(collections));
  return {
    DATABASE_URL: await joinEmbeddedPostgres(folder),
    VITRINE_DATA: folder,
    VITRINE_OPERATOR_TOKEN: operatorToken,
    COLLECTIONS_FILE: collectionsFile,
    [`PONDER_RPC_URL_${CHAIN_ID}`]: rpcUrl,
    [`DELEGATE_REGISTRY_${CHAIN_ID}`]: "off",
    // Nothing to fetch from.
    REFRESH_CONCURRENCY: "0",
  };
}

const start = async (ponderArgs: readonly string[], env: Record<string, string>, folder: string) =>
  startService({
    port: await freePort(),
    env,
    logFile: join(folder, "service.log"),
    ponderArgs: [...ponderArgs, "--schema", SCHEMA],
  });

async function createKeys(baseUrl: string, operatorToken: string): Promise<string[]> {
  const create = async (_: unknown, nth: number): Promise<string> => {
    const answer = await fetch(`${baseUrl}/admin/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      body: JSON.stringify({ app: `bench ${nth}`, apis: ["market"] }),
    });
    if (answer.status !== 201) throw new Error(`no key: ${await answer.text()}`);
    return ((await answer.json()) as { key: string }).key;
  };
  return Promise.all(Array.from({ length: APPS }, create));
}
