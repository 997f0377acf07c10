/** Interleaved rounds of two sides, so that whatever else the machine does affects both. */

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

/** So many pairs after one that warms both sides up. The sides take turns in going first. */
export async function compareRounds(
  rounds: number,
  play: Readonly<Record<Side, () => Promise<Round>>>,
): Promise<Comparison> {
  const played: Record<Side, Round[]> = { vitrine: [], bare: [] };
  for (let round = 0; round <= rounds; round++) {
    const sides: Side[] = round % 2 === 0 ? ["vitrine", "bare"] : ["bare", "vitrine"];
    for (const side of sides) {
      const result = await play[side]();
      if (round > 0) played[side].push(result);
    }
  }
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

/** The upper one of two in the middle; 0 for none. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
