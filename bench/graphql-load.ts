/** Queries both sides of the GraphQL bench in turn, and reports the cost per request. */

import { Pool } from "undici";
import type { QueryKind } from "./graphql-queries.ts";
import { byPace, median } from "./rounds.ts";

const CONNECTIONS = 16;
// Many short alternating rounds: other load affects both sides.
const SECONDS = byPace(0.4, 0.2);
const ROUNDS = byPace(25, 1);
const WARM_REQUESTS = byPace(400, 32);

const sides = ["bare", "vitrine"] as const;
type Side = (typeof sides)[number];
type Pools = Readonly<Record<Side, Pool>>;

/** One round; `cpu` is the process's own time, which says more than the clock on a shared machine. */
interface Round {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** Sends so many requests to a side. */
type Load = (side: Side, amount: number) => Promise<Round>;

type Post = (side: Side, body: string) => Promise<string>;

export interface Comparison {
  readonly vitrine_per_second: number;
  readonly bare_per_second: number;
  /** Our requests per second, as a ratio to Ponder's. */
  readonly ratio: number;
  /** The lowest and the highest pair's. */
  readonly spread: readonly [number, number];
  /** The same by processor time per request. */
  readonly cpu_ratio: number;
}

/** Measures one kind of query after another. `keys` belong to apps whose limits exceed this rate. */
export async function compareSides(
  urls: Readonly<Record<Side, string>>,
  keys: readonly string[],
  kinds: Readonly<Record<string, QueryKind>>,
  say: (line: string) => void,
): Promise<Record<string, Comparison>> {
  const pools = {
    bare: new Pool(urls.bare, { connections: CONNECTIONS }),
    vitrine: new Pool(urls.vitrine, { connections: CONNECTIONS }),
  };
  const results: Record<string, Comparison> = {};
  try {
    for (const [name, kind] of Object.entries(kinds)) {
      const post = createPost(pools, keys);
      await compareAnswers(post, kind);
      const rounds = await playRounds(createLoad(pools, post, kind));
      results[name] = compareRounds(rounds);
      say(`${name}: ${JSON.stringify(results[name])}`);
    }
  } finally {
    await Promise.all(sides.map((side) => pools[side].close()));
  }
  return results;
}

function createPost(pools: Pools, keys: readonly string[]): Post {
  let nth = 0;
  return async (side, body) => {
    const answer = await pools[side].request({
      path: "/graphql",
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": keys[nth++ % keys.length] ?? "" },
      body,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || !text.startsWith('{"data":')) {
      throw new Error(`${side} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    }
    return text;
  };
}

/** A side that answers less would win. */
async function compareAnswers(post: Post, kind: QueryKind): Promise<void> {
  const body = JSON.stringify(kind(7));
  const [bare = "", vitrine = ""] = await Promise.all(sides.map((side) => post(side, body)));
  // Ponder orders root fields as they settle.
  const inOneOrder = (text: string): string => JSON.stringify(Object.entries(JSON.parse(text).data).sort());
  if (inOneOrder(bare) !== inOneOrder(vitrine)) throw new Error(`${body}: ${bare} is not ${vitrine}`);
  if (bare.includes("null}") || bare.includes("[]")) throw new Error(`${body}: no rows in ${bare}`);
}

function createLoad({ bare }: Pools, post: Post, kind: QueryKind): Load {
  let nth = 0;
  return async (side, amount) => {
    const bodies = Array.from({ length: amount }, () => JSON.stringify(kind(nth++)));
    const cpuBefore = await cpuMs(bare);
    const startedAt = performance.now();
    const ask = async (): Promise<void> => {
      for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await post(side, body);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, ask));
    const perSecond = (amount * 1000) / (performance.now() - startedAt);
    return { perSecond, cpuMs: ((await cpuMs(bare)) - cpuBefore) / amount };
  };
}

async function cpuMs(bare: Pool): Promise<number> {
  const { body } = await bare.request({ path: "/cpu", method: "GET" });
  const { user, system } = (await body.json()) as NodeJS.CpuUsage;
  return (user + system) / 1000;
}

async function playRounds(load: Load): Promise<Record<Side, Round[]>> {
  const rounds: Record<Side, Round[]> = { bare: [], vitrine: [] };
  let amount = WARM_REQUESTS;
  // The first round warms up both sides.
  for (let round = 0; round <= ROUNDS; round++) {
    let perSecond = 0;
    // The second side finds the machine as the first has left it.
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const result = await load(side, amount);
      perSecond = Math.max(perSecond, result.perSecond);
      if (round > 0) rounds[side].push(result);
    }
    // The same for both sides of a pair.
    amount = Math.max(CONNECTIONS, Math.round(perSecond * SECONDS));
  }
  return rounds;
}

function compareRounds({ bare, vitrine }: Record<Side, Round[]>): Comparison {
  const pairs = (part: (ours: Round, theirs: Round) => number): number[] =>
    vitrine.flatMap((ours, nth) => (bare[nth] ? [part(ours, bare[nth])] : []));
  const ratios = pairs((ours, theirs) => ours.perSecond / theirs.perSecond);
  const rounded = (ratio: number): number => Number(ratio.toFixed(3));
  return {
    vitrine_per_second: Math.round(median(vitrine.map(({ perSecond }) => perSecond))),
    bare_per_second: Math.round(median(bare.map(({ perSecond }) => perSecond))),
    ratio: rounded(median(ratios)),
    spread: [rounded(Math.min(...ratios)), rounded(Math.max(...ratios))],
    cpu_ratio: rounded(median(pairs((ours, theirs) => theirs.cpuMs / ours.cpuMs))),
  };
}
