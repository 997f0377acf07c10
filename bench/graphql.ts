/** Requests per second of Ponder's queries through POST /graphql, against Ponder's own server in the same process. */

import { fileURLToPath } from "node:url";
import type { Chain } from "../demo/chain.ts";
import { freePort } from "../demo/service.ts";
import { CHAIN_ID } from "./catalog-data.ts";
import { compareSides } from "./graphql-load.ts";
import { type IndexedTokens, type QueryKind, queryKinds } from "./graphql-queries.ts";
import { withIndexed } from "./indexed-service.ts";
import { byPace, say } from "./rounds.ts";
import { createKeys } from "./served-collection.ts";

const TOKENS_PER_CALL = 1_000;
const CALLS = byPace(5, 1);
const BOTH_SIDES = fileURLToPath(new URL("./graphql-app/", import.meta.url));

// An operator's app may send 1,500 requests a second.
const APPS = 6;
const BAR = { ratio: 0.95 };

export const benchGraphql = (): Promise<object> =>
  withIndexed(emitTokens, async ({ collection, operatorToken, serve }) => {
    const barePort = await freePort();
    const { baseUrl } = await serve(["--root", BOTH_SIDES], { BENCH_BARE_PORT: String(barePort) });
    const urls = { bare: `http://127.0.0.1:${barePort}`, vitrine: baseUrl };
    const keys = await createKeys(baseUrl, operatorToken, APPS);
    const tokens = { chainId: CHAIN_ID, collection, tokens: CALLS * TOKENS_PER_CALL };
    const results = await compareSides(urls, keys, askedKinds(tokens), say);
    return Object.fromEntries(Object.entries(results).map(([name, each]) => [name, { ...each, bar: BAR }]));
  });

/** All kinds, or those that BENCH_QUERIES names. */
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
  return storm.address.toLowerCase();
}
