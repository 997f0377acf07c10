/** Interleaved rounds of two sides, so that whatever else the machine does affects both. */

/** `--quick`: fewer and shorter rounds, to see that nothing is far off. Its figures say little more. */
export const isQuick = process.argv.includes("--quick");

/** One of two values, by `--quick`. */
export const byPace = <Value>(whole: Value, quick: Value): Value => (isQuick ? quick : whole);

export const say = (text: string): boolean => process.stderr.write(`${text}\n`);

export interface Round {
  readonly perSecond: number;
  /** Of single requests, in milliseconds. */
  readonly p50?: number;
  readonly p99?: number;
}

export interface Comparison {
  /** Median of the pairs' ratios. */
  readonly ratio: number;
  /** The lowest and the highest pair. */
  readonly spread: readonly [number, number];
  readonly vitrine_per_second: number;
  readonly bare_per_second: number;
  readonly vitrine_p50_ms?: number;
  readonly vitrine_p99_ms?: number;
  readonly bare_p99_ms?: number;
}

type Side = "vitrine" | "bare";

/** What both sides did, a pair at each place. */
export type Pairs = Readonly<Record<Side, readonly Round[]>>;

/**
 * So many pairs, the sides taking turns going first; before them one that warms both sides up, unless `isCold`: rounds
 * that start everything anew. `play` gets the round's number, from 0 for the warm one and from 1 for those that count.
 */
export async function compareRounds(
  rounds: number,
  play: Readonly<Record<Side, (round: number) => Promise<Round>>>,
  { isCold = false } = {},
): Promise<Comparison> {
  const played: Record<Side, Round[]> = { vitrine: [], bare: [] };
  for (let round = isCold ? 1 : 0; round <= rounds; round++) {
    const sides: Side[] = round % 2 === 0 ? ["vitrine", "bare"] : ["bare", "vitrine"];
    for (const side of sides) {
      const result = await play[side](round);
      say(`  ${side}, round ${round}: ${result.perSecond.toFixed(result.perSecond < 100 ? 1 : 0)}/s`);
      if (round > 0) played[side].push(result);
    }
  }
  return comparePairs(played);
}

/** The ratio of each pair, their median and spread, and each side's medians. */
export function comparePairs(played: Pairs): Comparison {
  const ratios = played.vitrine.map(({ perSecond }, nth) => perSecond / (played.bare[nth]?.perSecond ?? 0));
  const middle = (side: Side, of: (round: Round) => number | undefined): number =>
    median(played[side].flatMap((round) => of(round) ?? []));
  const hasLatency = played.vitrine[0]?.p99 !== undefined;
  return {
    ratio: Number(median(ratios).toFixed(2)),
    spread: [Number(Math.min(...ratios).toFixed(2)), Number(Math.max(...ratios).toFixed(2))],
    vitrine_per_second: Math.round(middle("vitrine", ({ perSecond }) => perSecond)),
    bare_per_second: Math.round(middle("bare", ({ perSecond }) => perSecond)),
    ...(hasLatency && {
      vitrine_p50_ms: middle("vitrine", ({ p50 }) => p50),
      vitrine_p99_ms: middle("vitrine", ({ p99 }) => p99),
      bare_p99_ms: middle("bare", ({ p99 }) => p99),
    }),
  };
}

/** Works on each of the values, a fixed number at once, and returns the seconds that all took. */
export async function secondsFor<Value>(
  values: Iterable<Value>,
  atOnce: number,
  work: (value: Value) => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  const left = values[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return (performance.now() - startedAt) / 1000;
}

/** Between the two in the middle of an even number; 0 for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return (lower + upper) / 2;
}
