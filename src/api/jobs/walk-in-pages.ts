/** Daily work on a table whose rows mostly stay, in pages: a statement that looked for those that go would read them all. */

import type { Database } from "../db/database.ts";
import { createPageSize } from "./page-size.ts";

const PAGE_ROWS = 5_000;

interface Page {
  readonly place: readonly string[];
  readonly changed: number;
}

/**
 * Repeats a statement from place to place until no row is left; returns how many rows it changed. Its parameters are the
 * maximum number of rows that it reads, and the place of the last one, which begins with `start`. It returns the next place
 * and how many it `changed`, or no row where there was none to read. A page that takes too long is done in smaller ones.
 */
export async function walkInPages(
  database: Database,
  sql: string,
  start: readonly string[],
): Promise<number> {
  const size = createPageSize(PAGE_ROWS);
  let total = 0;
  for (let place: readonly string[] | undefined = start; place; ) {
    const from: readonly string[] = place;
    const [page] = await size.run((rows) => database.query<Page>(sql, [rows, ...from]));
    total += page?.changed ?? 0;
    place = page?.place;
  }
  return total;
}
