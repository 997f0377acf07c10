/**
 * Tokens per second from URI to traits against a plain loop of fetch and JSON.parse: without recording anything, and through
 * queue and worker into PostgreSQL.
 */

import { fetch } from "undici";
import { CHAIN_ID } from "./catalog-data.ts";
import { withIngest } from "./ingest.ts";
import { byPace, compareRounds, secondsFor } from "./rounds.ts";

const TOKENS = byPace(6_000, 1_000);
const CONCURRENCY = 32;
// What a worker may do at once, of which one host gets three quarters.
const OF_ALL_HOSTS = Math.ceil((CONCURRENCY * 4) / 3);
const ROUNDS = byPace(5, 1);

export const benchResolve = (): Promise<object> =>
  withIngest(OF_ALL_HOSTS, async ({ database, originUrl, resolve, refresh }) => {
    const plain = async (tokenId: string): Promise<void> => {
      const response = await fetch(`${originUrl}/${tokenId}`);
      JSON.parse(await response.text());
    };
    const tokenIds = Array.from({ length: TOKENS }, (_, index) => String(index));
    const collection = (round: number): string => `0x${String(round).padStart(40, "0")}`;
    const bare = async () => ({ perSecond: TOKENS / (await secondsFor(tokenIds, CONCURRENCY, plain)) });
    const resolveOne = async (tokenId: string): Promise<void> => {
      const token = { chainId: CHAIN_ID, collection: collection(0), tokenId };
      const { kind } = await resolve(token, "erc721", 1);
      if (kind !== "document") throw new Error(`token ${tokenId}: ${kind}`);
    };
    const resolved = await compareRounds(ROUNDS, {
      vitrine: async () => ({ perSecond: TOKENS / (await secondsFor(tokenIds, CONCURRENCY, resolveOne)) }),
      bare,
    });
    const recorded = await compareRounds(ROUNDS, {
      vitrine: async (round) => ({ perSecond: TOKENS / (await refresh(collection(round), tokenIds)) }),
      bare,
    });
    const [row] = await database.query<{ traits: number }>(
      "select sum(cardinality(traits))::int as traits from vitrine.token",
    );
    if (row?.traits !== TOKENS * (ROUNDS + 1) * 10) throw new Error(`${row?.traits} traits were stored`);
    return { tokens: TOKENS, resolved: { ...resolved, bar: { ratio: 0.7 } }, recorded };
  });
