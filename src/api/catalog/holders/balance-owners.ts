/** The current owners of ERC-1155 collections. Every read adds up a whole collection, so readers share the sum. */

import { collectionKey } from "../../../domain/token-ref.ts";
import { createBatch } from "../../async/batch.ts";
import { createConcurrencyLimit } from "../../async/concurrency.ts";
import { memoizeByKey } from "../../async/memoize.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import { createProcessLimit } from "../../http/limits/in-flight-limiter.ts";
import type { InFlightLimit } from "../../http/limits/rate-limit.ts";
import { type OwnersAnswer, type OwnersQuery, readBalanceOwners } from "./owners-store.ts";

const pagesLimit: InFlightLimit = { requests: 50, retrySeconds: 2, unit: "pages of ERC-1155 owners" };
// Each occupies a connection and a core of PostgreSQL; other reads need the rest.
const SUMS_AT_ONCE = 2;
// A page takes a sixth of its sum's time, and a statement has five seconds.
const PAGES_PER_SUM = 5;

/**
 * Returns a reader of pages with `limit` owners each. Pages of a collection that are asked for while it is added up come
 * from the next sum, so they hold all that was committed before. Throws RATE_LIMITED while too many wait.
 */
export function createBalanceOwners(database: Database, tables: ChainTables, limit: number) {
  const within = createProcessLimit(pagesLimit);
  const sum = createConcurrencyLimit(SUMS_AT_ONCE);
  const pagesOf = memoizeByKey(
    ({ chainId, address }: Pick<OwnersQuery, "chainId" | "address">) =>
      createBatch<OwnersAnswer>(
        async (pages) => {
          const afters = pages.map((page): OwnersQuery["after"] => JSON.parse(page) ?? undefined);
          const query = { chainId, address, afters, limit };
          const answers = await sum(() => readBalanceOwners(database, tables, query));
          return new Map(answers.map((answer, nth) => [pages[nth] ?? "", answer]));
        },
        { atOnce: 1, max: PAGES_PER_SUM },
      ),
    collectionKey,
  );
  return ({ chainId, address, after }: Omit<OwnersQuery, "limit">): Promise<OwnersAnswer> =>
    within(async () => {
      const answer = await pagesOf({ chainId, address })(JSON.stringify(after ?? null));
      return answer ?? { owners: [], total: 0 };
    });
}
