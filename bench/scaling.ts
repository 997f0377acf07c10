/**
 * What n replicas hold behind a load balancer that hashes by collection: a simulation of docs/scaling.md, from measured
 * costs. Sizes and popularity of collections follow Zipf's law, as on public marketplaces.
 */

import { createHash } from "node:crypto";
import { byPace, median } from "./rounds.ts";

// Measured: `bench -- catalog`, `bench -- reads`.
const SEARCH_BYTES_PER_TOKEN = 200;
const REQUESTS_PER_SECOND = 2_500;

const TOKENS = [1_000_000, 10_000_000, 100_000_000];
const REPLICAS = [1, 3, 10, 30];
const COLLECTIONS = 1_000;
const DRAWS = byPace(50, 5);
// As HAProxy places a server of weight 100 on its ring.
const POINTS = 1_600;
const BYTES_PER_MB = 1_000_000;

const hash = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE(0);

/** Which of so many replicas serves a collection: the first point of the ring at or above its hash. */
function ringOf(replicas: number): (collection: string) => number {
  const points = Array.from({ length: replicas }, (_, replica) =>
    Array.from({ length: POINTS }, (_, point) => ({ at: hash(`replica ${replica} ${point}`), replica })),
  )
    .flat()
    .sort((a, b) => a.at - b.at);
  return (collection) => {
    const at = hash(collection);
    let [from, to] = [0, points.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((points[middle]?.at ?? 0) < at) from = middle + 1;
      else to = middle;
    }
    return (points[from % points.length] ?? points[0])?.replica ?? 0;
  };
}

/** Shares of a whole by Zipf's law, in a random order. */
function zipf(count: number): number[] {
  const weights = Array.from({ length: count }, (_, rank) => 1 / (rank + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights
    .map((weight) => ({ share: weight / sum, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ share }) => share);
}

/** The share of the fullest replica, by collections' sizes and, independent of these, by their requests. */
function drawShares(replicas: number): { readonly memory: number; readonly requests: number } {
  const find = ringOf(replicas);
  const [sizes, requests] = [zipf(COLLECTIONS), zipf(COLLECTIONS)];
  const memory = new Array<number>(replicas).fill(0);
  const load = new Array<number>(replicas).fill(0);
  for (let nth = 0; nth < COLLECTIONS; nth++) {
    const replica = find(`collection ${Math.random()}`);
    memory[replica] = (memory[replica] ?? 0) + (sizes[nth] ?? 0);
    load[replica] = (load[replica] ?? 0) + (requests[nth] ?? 0);
  }
  return { memory: Math.max(...memory), requests: Math.max(...load) };
}

export async function benchScaling() {
  const replicas = REPLICAS.map((count) => {
    const draws = Array.from({ length: DRAWS }, () => drawShares(count));
    const memory = median(draws.map((each) => each.memory));
    const requests = median(draws.map((each) => each.requests));
    return {
      replicas: count,
      fullest_share_of_memory: Number(memory.toFixed(3)),
      busiest_share_of_requests: Number(requests.toFixed(3)),
      requests_per_second: Math.round(REQUESTS_PER_SECOND / requests),
      search_mb_of_the_fullest: Object.fromEntries(
        TOKENS.map((tokens) => [
          tokens,
          Math.round((tokens * SEARCH_BYTES_PER_TOKEN * memory) / BYTES_PER_MB),
        ]),
      ),
    };
  });
  return { collections: COLLECTIONS, draws: DRAWS, replicas };
}
