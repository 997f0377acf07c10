/** Refresh requests over REST, on a database of their own that is empty before each test. */

import { beforeEach } from "vitest";
import { createTestDatabase } from "../database/database.ts";
import { createTestApp, type Sent } from "../processes/app.ts";
import { COLLECTION, emptyTables } from "./refresh.ts";

export async function createRefreshRequests() {
  const test = await createTestDatabase();
  const api = createTestApp(test);
  const key = await api.createKey();
  beforeEach(async () => {
    await emptyTables(test.database);
    api.existing.clear();
  });

  return {
    ...test,
    test,
    api,
    key,
    refresh: (
      body: unknown,
      { query = "", address = COLLECTION, ...sent }: Sent & { query?: string; address?: string } = {},
    ) =>
      api.call(`/market-partner/collections/${address}/refresh_metadata${query}`, {
        method: "POST",
        key,
        body,
        ...sent,
      }),
    /** Makes the contract confirm these tokens. */
    exist: (...tokenIds: readonly string[]): void => tokenIds.forEach((id) => void api.existing.add(id)),
  };
}

/** So many token ids, from 0. */
export const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));
