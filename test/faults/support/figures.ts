/** A fault test's measurements, as one JSON line on stdout; docs/faults.md has the latest. */

export type Figures = Readonly<Record<string, number | string | boolean>>;

/** Bypasses the test runner's console, which would put a heading before each line. */
export const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

export interface Watch {
  /** Seconds since the start, with one decimal. */
  seconds(): number;
  report(figures: Figures): void;
}

/** Start it at the beginning of a test; it reports the figures with the elapsed time. */
export function startWatch(test: string): Watch {
  const startedAt = Date.now();
  const seconds = (): number => Math.round((Date.now() - startedAt) / 100) / 10;
  return { seconds, report: (figures) => say({ test, seconds: seconds(), ...figures }) };
}
