import { expect, it } from "vitest";
import { transactionsSince } from "../../../src/api/chain/index/index-trust.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const { database } = await createTestDatabase();

it.each([1, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 3_000_000_000, 2 ** 32 - 1])(
  "a reorg that was %d transactions ago counts as so long ago, though PostgreSQL reuses the ids of transactions",
  async (ago) => {
    const xid = `((pg_snapshot_xmax(pg_current_snapshot())::text::bigint - ${ago}) & 4294967295)::text::xid`;

    const [row] = await database.query(`select ${transactionsSince(xid)}::float8 as ago`);

    expect(row).toEqual({ ago });
  },
);
