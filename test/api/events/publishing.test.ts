import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Database, Queryable } from "../../../src/api/db/database.ts";
import { createEventHub, startEvents } from "../../../src/api/events/module.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createLockSetup } from "../../support/chain/lock-events.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const locks = createLockSetup(test);
const POLL_MS = 1_000;

beforeEach(async () => {
  await locks.clear();
  await locks.setChain(100, 70);
  await locks.setReady(true);
});

/** Publishes until the test ends; returns the number of times that the chain index's locks were read. */
function publish(): () => number {
  let reads = 0;
  const counted = (db: Queryable): Queryable => ({
    query(sql, parameters, name) {
      if (sql.includes(`full join (select * from ${test.tables.lockEvent}`)) reads++;
      return db.query(sql, parameters, name);
    },
  });
  const database: Database = {
    ...test.database,
    transaction: (work, ...rest) => test.database.transaction((tx) => work(counted(tx)), ...rest),
  };
  const logger = silentLogger;
  const { stop } = startEvents({
    ...{ hub: createEventHub({ database, mediaBaseUrl: "", logger }), database, tables: test.tables, logger },
    connectionString: test.url,
    collections: [{ chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 }],
  });
  onTestFinished(stop);
  return () => reads;
}

const publishedTokens = async (): Promise<string[]> => (await locks.published()).map(({ token }) => token);

const awaitTokens = (...tokens: string[]): Promise<unknown> =>
  eventually(publishedTokens, (published) => String(published) === String(tokens));

describe("publishing", () => {
  it("compares locks about once a second, however often metadata changes", async () => {
    const startedAt = performance.now();
    const reads = publish();
    for (let token = 1; token <= 20; token++) {
      await test.database.query(
        `insert into vitrine.event_due (type, chain_id, collection, token_id)
         values ('metadata', ${CHAIN_ID}, '${COLLECTION}', ${token}); notify vitrine_event`,
      );
      await eventually(publishedTokens, (published) => published.length === token);
    }

    // One more as it starts, and one as it begins to listen.
    expect(reads()).toBeLessThanOrEqual(3 + (performance.now() - startedAt) / POLL_MS);
  });

  it("finds locks, and those that a reorg reverts, without the chain index's notification", async () => {
    publish();
    await locks.add({ block: 91, token: 7n });
    await awaitTokens("7");

    await locks.revert(91);

    await awaitTokens("7", "7");
  });
});
