/** How much PostgreSQL does for statements: for tests of plans that are bad only by some statistics. */

import type { Queryable } from "../../../src/api/db/database.ts";

interface PlanNode {
  readonly Plans?: readonly PlanNode[];
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
}

const rowsOf = (node: PlanNode): number =>
  (node.Plans ?? []).reduce(
    (sum, each) => sum + rowsOf(each),
    node["Actual Loops"] *
      (node["Actual Rows"] +
        (node["Rows Removed by Filter"] ?? 0) +
        (node["Rows Removed by Join Filter"] ?? 0)),
  );

/**
 * How many rows all steps of the work's statements handle, those removed by filters included, and how many pages they read.
 * Statistics of tables count neither removed rows nor the pages of a database index that is walked. Each statement runs
 * twice.
 */
export async function countPlanWork(
  tx: Queryable,
  work: (tx: Queryable) => Promise<unknown>,
): Promise<number> {
  let sum = 0;
  await work({
    async query<Row>(text: string, parameters?: readonly unknown[], name?: string): Promise<Row[]> {
      if (/^\s*(select|with|insert|update|delete|\()/.test(text)) {
        const [row] = await tx.query<{ "QUERY PLAN": readonly [{ readonly Plan: PlanNode }] }>(
          `explain (analyze, buffers, timing off, format json) ${text}`,
          parameters,
        );
        const plan = row?.["QUERY PLAN"][0].Plan;
        if (plan) sum += rowsOf(plan) + plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
      }
      return tx.query<Row>(text, parameters, name);
    },
  });
  return sum;
}
