/** Tokens per second from URI to traits through queue and worker, against a plain loop of fetch and JSON.parse. */

import { fetch } from "undici";
import { withIngest } from "./ingest.ts";
import { byPace, compareRounds, secondsFor } from "./rounds.ts";

const TOKENS = byPace(6_000, 2_000);
const CONCURRENCY = 32;
const ROUNDS = byPace(5, 2);

export const benchResolve = (): Promise<object> =>
  // One host gets half of it.
  withIngest(2 * CONCURRENCY, async ({ database, originUrl, refresh }) => {
    const plain = async (tokenId: string): Promise<void> => {
      const response = await fetch(`${originUrl}/${tokenId}`);
      JSON.parse(await response.text());
    };
    const tokenIds = Array.from({ length: TOKENS }, (_, index) => String(index));
    const compared = await compareRounds(ROUNDS, {
      vitrine: async (round) => ({
        perSecond: TOKENS / (await refresh(`0x${String(round).padStart(40, "0")}`, tokenIds)),
      }),
      bare: async () => ({ perSecond: TOKENS / (await secondsFor(tokenIds, CONCURRENCY, plain)) }),
    });
    const [row] = await database.query<{ traits: number }>(
      "select sum(cardinality(traits))::int as traits from vitrine.token",
    );
    if (row?.traits !== TOKENS * (ROUNDS + 1) * 10) throw new Error(`${row?.traits} traits were stored`);
    return { tokens: TOKENS, ...compared, bar: { ratio: 0.7 } };
  });
