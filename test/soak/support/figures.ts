/** Summarises samples and times, and prints them as tables. */

import type { Sample } from "./samples.ts";
import type { Tally } from "./traffic.ts";

/** 0 for no values. */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The smallest value that this share of them, from 0 to 1, does not exceed; 0 for no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** The samples of the first, second and last third of so many seconds. */
export const thirdsOf = (samples: readonly Sample[], seconds: number): [Sample[], Sample[], Sample[]] => {
  const part = (third: number): Sample[] =>
    samples.filter((each) => Math.floor((each.seconds / seconds) * 3) === third);
  return [part(0), part(1), part(2)];
};

/** Columns as wide as needed; numbers right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const texts = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  const isNumber = head.map((_, column) => rows.every((row) => typeof row[column] === "number"));
  return texts
    .map((row) =>
      row
        .map((text, column) => text[isNumber[column] ? "padStart" : "padEnd"](widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One row per kind of request. */
export function requestTable(tallies: readonly Tally[]): string {
  const rows = tallies.map(({ name, times, count, labels, skipped }) => [
    name,
    count,
    Math.round(percentile(times, 0.5)),
    Math.round(percentile(times, 0.99)),
    Object.entries(labels)
      .map(([label, count]) => `${label}: ${count}`)
      .join(", ") + (skipped > 0 ? `, not sent: ${skipped}` : ""),
  ]);
  return table(["requests", "count", "p50 ms", "p99 ms", "answers"], rows);
}
