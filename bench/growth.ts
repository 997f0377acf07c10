/**
 * What reading a token costs as work grows: time, bytes in the database, WAL and memory, by the number of tokens of one
 * collection, by the number of collections, and for another version of each token.
 */

import type { Cost, Size } from "./growth-size.ts";
import { byPace, say } from "./rounds.ts";
import { runScript } from "./script.ts";

const SIZES = byPace([10_000, 100_000, 1_000_000], [1_000]);
const COLLECTIONS = byPace([10, 100, 1_000], [5]);
const TOKENS_OF_EACH = 100;

export async function benchGrowth(): Promise<object> {
  const by_tokens: Cost[] = [];
  let another_version: object = {};
  for (const [nth, tokens] of SIZES.entries()) {
    const { cost, anotherVersion } = await measure(1, tokens, nth === 0);
    by_tokens.push(cost);
    another_version = anotherVersion ?? another_version;
    say(`${tokens} tokens: ${JSON.stringify(cost)}`);
  }
  const by_collections: (Cost & { readonly collections: number })[] = [];
  for (const collections of COLLECTIONS) {
    const { cost } = await measure(collections, TOKENS_OF_EACH);
    by_collections.push({ collections, ...cost });
    say(`${collections} collections: ${JSON.stringify(cost)}`);
  }
  return { by_tokens, by_collections, another_version };
}

/** In a process of its own, whose memory no other size has filled. */
async function measure(collections: number, tokensOfEach: number, hasVersions = false): Promise<Size> {
  const sizes = [String(collections), String(tokensOfEach), ...(hasVersions ? ["versions"] : [])];
  return JSON.parse(await runScript("growth-size.ts", ...sizes)) as Size;
}
