/** What a fault test measured, as one JSON line on stdout; docs/faults.md keeps the last ones. */

export type Figures = Readonly<Record<string, number | string | boolean>>;

/** Past the test runner's console, which would wrap each line in a heading. */
export const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

export interface Watch {
  /** Whole seconds since the watch was started, with one decimal. */
  seconds(): number;
  report(figures: Figures): void;
}

/** Started at the beginning of a test; reports its figures with the time that it took. */
export function startWatch(test: string): Watch {
  const startedAt = Date.now();
  const seconds = (): number => Math.round((Date.now() - startedAt) / 100) / 10;
  return { seconds, report: (figures) => say({ test, seconds: seconds(), ...figures }) };
}
