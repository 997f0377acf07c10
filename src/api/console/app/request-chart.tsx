/** Requests over time by how they ended: a chart made on the server, and the same numbers as a table. */

import type { StatusRow } from "../../access/requests/request-log.ts";
import { formatNumber as count } from "../../ui/numbers.ts";
import { Table } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";

const HOUR_MS = 3_600_000;
const TICKS = 4;
const PLOT = { height: 180, tipWidth: 176, tipLine: 18 };

export const ranges = {
  "24h": { hours: 1, bars: 24 },
  "7d": { hours: 6, bars: 28 },
  "30d": { hours: 24, bars: 30 },
} as const;
export type Range = keyof typeof ranges;

/** How a request ended, in the order in which bars stack. */
const outcomes = ["answered", "refused", "limited", "failed"] as const;
export type Outcome = (typeof outcomes)[number];

export const outcomeOf = (status: number): Outcome => {
  if (status === 429) return "limited";
  if (status >= 500) return "failed";
  return status >= 400 ? "refused" : "answered";
};

export type Counts = Readonly<Record<Outcome, number>>;

export interface Bar extends Counts {
  readonly from: Date;
  readonly total: number;
}

/** When the first bar of a range starts, whose last bar contains `now`. Bars start at whole multiples of their length (UTC). */
export function startOf(range: Range, now: number): Date {
  const { hours, bars } = ranges[range];
  const length = hours * HOUR_MS;
  return new Date((Math.floor(now / length) - bars + 1) * length);
}

export function sumOf(rows: readonly StatusRow[]): Counts {
  const sums = { answered: 0, refused: 0, limited: 0, failed: 0 };
  for (const { status, requests } of rows) sums[outcomeOf(status)] += requests;
  return sums;
}

export const totalOf = (counts: Counts): number =>
  outcomes.reduce((total, outcome) => total + counts[outcome], 0);

/** One entry per bar, oldest first, also where there was no request. */
export function barsOf(rows: readonly StatusRow[], range: Range, now: number): Bar[] {
  const { hours, bars } = ranges[range];
  const start = startOf(range, now).getTime();
  const length = hours * HOUR_MS;
  const perBar = Array.from({ length: bars }, (): StatusRow[] => []);
  for (const row of rows) perBar[Math.floor((row.hour.getTime() - start) / length)]?.push(row);
  return perBar.map((own, at) => {
    const sums = sumOf(own);
    return { from: new Date(start + at * length), ...sums, total: totalOf(sums) };
  });
}

/** The values at the lines of the axis, from 0: whole numbers, of which the last is at least `most`. */
export function ticksOf(most: number): number[] {
  const rough = Math.max(1, most / TICKS);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.ceil([1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? 1);
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, nth) => nth * step);
}

const time = (at: Date, range: Range): string => {
  const text = at.toISOString();
  const day = text.slice(5, 10);
  if (range === "24h") return text.slice(11, 16);
  return range === "7d" ? `${day} ${text.slice(11, 16)}` : day;
};

/** Shown while the pointer, or a finger, is on its bar. */
const Tip = ({ bar, range, isLeft }: { bar: Bar; range: Range; isLeft: boolean }) => {
  const text = words().consoleApp.requests;
  const lines = [
    `${time(bar.from, range)} UTC: ${count(bar.total)}`,
    ...outcomes.map((outcome) => text.outcomeCount(text.outcomes[outcome], count(bar[outcome]))),
  ];
  const x = isLeft ? 4 : -PLOT.tipWidth - 4;
  return (
    <g class="tip">
      <rect x={x} y={4} width={PLOT.tipWidth} height={lines.length * PLOT.tipLine + 10} rx={6} />
      {lines.map((line, nth) => (
        <text x={x + 10} y={22 + nth * PLOT.tipLine}>
          {line}
        </text>
      ))}
    </g>
  );
};

const share = (value: number, of: number): string => `${((value / of) * 100).toFixed(3)}%`;

const Column = ({ bar, at, of, top }: { bar: Bar; at: number; of: number; top: number }) => {
  let y = PLOT.height;
  return outcomes.map((outcome) => {
    const height = (bar[outcome] / top) * PLOT.height;
    y -= height;
    return (
      bar[outcome] > 0 && (
        <rect
          class={outcome}
          x={share(at + 0.12, of)}
          y={y.toFixed(1)}
          width={share(0.76, of)}
          height={Math.max(1, height).toFixed(1)}
        />
      )
    );
  });
};

/** What a pointer touches. Drawn after all bars, which would otherwise cover the tip. */
const Touch = ({ bar, at, of, range }: { bar: Bar; at: number; of: number; range: Range }) => {
  const isLeft = at < of / 2;
  return (
    <g class="touch">
      <rect x={share(at, of)} y={0} width={share(1, of)} height={PLOT.height} />
      <svg
        x={share(isLeft ? at + 1 : at, of)}
        y={0}
        width={1}
        height={1}
        overflow="visible"
        aria-hidden="true"
      >
        <Tip bar={bar} range={range} isLeft={isLeft} />
      </svg>
    </g>
  );
};

/** `bars` in the order of time. Times are UTC. */
export const RequestChart = ({ bars, range }: { bars: readonly Bar[]; range: Range }) => {
  const text = words().consoleApp.requests;
  const ticks = ticksOf(Math.max(...bars.map(({ total }) => total)));
  const top = ticks.at(-1) ?? 1;
  const lines = ticks.map((tick) => PLOT.height - (tick / top) * PLOT.height);
  const labels = [0, Math.floor(bars.length / 3), Math.floor((2 * bars.length) / 3), bars.length - 1];
  const sum = bars.reduce((total, bar) => total + bar.total, 0);
  return (
    <figure class="chart">
      <div class="chart-y small soft" aria-hidden="true">
        {ticks.toReversed().map((tick) => (
          <span>{count(tick)}</span>
        ))}
      </div>
      <svg
        class="plot"
        height={PLOT.height}
        role="img"
        aria-label={text.chart(text.ranges[range], count(sum))}
      >
        {lines.map((y) => (
          <line class="line" x1="0" x2="100%" y1={y.toFixed(1)} y2={y.toFixed(1)} />
        ))}
        {bars.map((bar, at) => (
          <Column bar={bar} at={at} of={bars.length} top={top} />
        ))}
        {bars.map((bar, at) => (
          <Touch bar={bar} at={at} of={bars.length} range={range} />
        ))}
      </svg>
      <div class="chart-x small soft" aria-hidden="true">
        {labels.map((at) => (
          <span>{bars[at] && time(bars[at].from, range)}</span>
        ))}
      </div>
      <figcaption class="row small">
        {outcomes.map((outcome) => (
          <span class="legend">
            <svg width="12" height="12" aria-hidden="true" class="plot">
              <rect class={outcome} width="12" height="12" rx="2" />
            </svg>
            {text.outcomes[outcome]}
          </span>
        ))}
      </figcaption>
    </figure>
  );
};

/** The bars with requests, as a table that people open. */
export const RequestTable = ({ bars, range }: { bars: readonly Bar[]; range: Range }) => {
  const text = words().consoleApp.requests;
  return (
    <details>
      <summary>{text.showTable}</summary>
      <Table
        caption={text.tableCaption(text.ranges[range])}
        empty={text.noneInTable}
        columns={[
          text.from,
          ...outcomes.map((outcome) => ({ head: text.outcomes[outcome], isNumber: true })),
        ]}
        rows={bars
          .filter(({ total }) => total > 0)
          .map((bar) => [time(bar.from, range), ...outcomes.map((outcome) => count(bar[outcome]))])}
      />
    </details>
  );
};
