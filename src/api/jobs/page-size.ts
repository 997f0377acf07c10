/** How many rows a statement takes at once, where some rows take far longer than others. */

import type pg from "pg";

const CANCELED = "57014";
const GROWTH = 1 / 16;

export interface PageSize {
  /** Runs the statement with fewer rows until it ends within the statement timeout; rejects if one row takes too long. */
  run<Result>(statement: (rows: number) => Promise<Result>): Promise<Result>;
}

/** Starts with the most rows; after a page that was too large, pages are half of it, and grow slowly. */
export function createPageSize(rowsMax: number): PageSize {
  let rows = rowsMax;
  return {
    async run(statement) {
      for (;;) {
        try {
          const result = await statement(rows);
          rows = Math.min(rowsMax, rows + Math.ceil(rows * GROWTH));
          return result;
        } catch (error) {
          if ((error as pg.DatabaseError).code !== CANCELED || rows === 1) throw error;
          rows = Math.floor(rows / 2);
        }
      }
    },
  };
}
