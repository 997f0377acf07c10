import { beforeAll, describe, expect, it } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { claim } from "../../../src/api/refresh/queue/claim.ts";
import { complete, type Lease, lockLeases } from "../../../src/api/refresh/queue/leases.ts";
import { settle } from "../../../src/api/refresh/receipts/receipts.ts";
import { countRowsRead, createTestDatabase } from "../../support/database.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  failed,
  found,
  recordOne,
  ref,
  SHARE,
} from "../../support/refresh.ts";

const TOKENS = 5_000;
// Each token is looked up a few times, by several statements.
const ROWS_PER_TOKEN = 20;

const test = await createTestDatabase();
const { database, tables } = test;
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });

beforeAll(async () => {
  // As in the first minute of a new service: PostgreSQL has no table statistics yet.
  for (const table of ["token", "refresh", "version", "document"]) {
    await database.query(`alter table vitrine.${table} set (autovacuum_enabled = false)`);
  }
  const ids = Array.from({ length: TOKENS }, (_, index) => String(index));
  await metadata.addKnownTokens(database, CHAIN_ID, COLLECTION, new Map(ids.map((id) => [id, 1])));
  await ask(database, ids);
});

describe("in a collection that PostgreSQL knows nothing of yet", () => {
  let leases: readonly Lease[] = [];

  it("a claim reads the rows of what it takes, and not the queue", async () => {
    const read = await database.transaction((tx) =>
      countRowsRead(tx, ["vitrine"], async () => {
        leases = await claim(tx, tables, SHARE, 10);
      }),
    );

    expect(leases).toHaveLength(10);
    expect(read).toBeLessThan(10 * ROWS_PER_TOKEN);
  });

  it("a recording reads the rows of its token, and not the collection", async () => {
    const [lease] = leases;
    if (!lease) throw new Error("no lease");
    const document = { name: "Hero", image: "https://x.example/a.png", attributes: [{ value: "Mage" }] };

    const record = async (tx: Queryable): Promise<void> => {
      await lockLeases(tx, [lease]);
      await recordOne(metadata, tx, ref(lease.tokenId), "rest", found(document));
      await settle(tx, [{ lease, status: "updated", reason: null }]);
      await complete(tx, [lease]);
    };
    const read = await database.transaction(
      (tx) => countRowsRead(tx, ["vitrine"], () => record(tx)),
      "byKey",
    );

    expect(read).toBeLessThan(ROWS_PER_TOKEN);
  });
});
