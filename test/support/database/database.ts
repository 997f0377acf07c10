/** A test file's own database, migrated, with Ponder's tables beside ours as Ponder would create them. */

import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { afterAll } from "vitest";
import * as chainSchema from "../../../ponder.schema.ts";
import { type ChainTables, chainTables } from "../../../src/api/chain/index/tables.ts";
import { createDatabase, type Database, type Queryable } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { CHAIN_SCHEMA, chainTrigger } from "../chain/chain-ddl.ts";
import { TEMPLATE } from "../setup/global-postgres.ts";
import { createDatabaseOf } from "./run-database.ts";

export { CHAIN_SCHEMA } from "../chain/chain-ddl.ts";

const CHECKPOINT_DIGITS = { timestamp: 10, chain: 16, block: 16 };

export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  readonly tables: ChainTables;
  /** Inserts a row into one of Ponder's tables, by schema field names. */
  insert(table: keyof typeof chainSchema, row: Record<string, unknown>): Promise<void>;
  /** Moves a chain's checkpoint, and marks the chain index ready. `age` is seconds since that block. */
  setHead(head: {
    chainId: number;
    block: number;
    age?: number;
    ready?: boolean;
    safeBlock?: number;
  }): Promise<void>;
  /** Changes rows as Ponder does after a reorg: without its triggers, and without moving the checkpoint. */
  revert(work: (tx: Queryable) => Promise<unknown>): Promise<void>;
}

/** Dropped after the file's tests. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, drop } = await createDatabaseOf(TEMPLATE);
  const database = createDatabase(url, silentLogger);
  const tables = chainTables(CHAIN_SCHEMA);
  afterAll(async () => {
    await database.close();
    await drop();
  });

  return {
    url,
    database,
    tables,
    async insert(table, row) {
      const { name: tableName, columns } = getTableConfig(chainSchema[table] as unknown as PgTable);
      const entries = Object.entries(row).map(([field, value]) => {
        const column = (chainSchema[table] as unknown as Record<string, { name: string }>)[field];
        if (!column || !columns.some((each) => each.name === column.name))
          throw new Error(`${tableName} has no ${field}`);
        return [column.name, typeof value === "bigint" ? value.toString() : value] as const;
      });
      await database.query(
        `insert into ${CHAIN_SCHEMA}.${tableName} (${entries.map(([column]) => `"${column}"`).join(", ")})
         values (${entries.map((_, index) => `$${index + 1}`).join(", ")})`,
        entries.map(([, value]) => value),
      );
    },
    revert: (work) =>
      database.transaction(async (tx) => {
        await tx.query(`drop trigger reorg on ${tables.tokenState}`);
        await work(tx);
        await tx.query(chainTrigger());
      }),
    async setHead({ chainId, block, age = 0, ready = true, safeBlock = Math.max(0, block - 30) }) {
      const timestamp = Math.floor(Date.now() / 1000) - age;
      await database.query(
        `insert into ${tables.checkpoint} values ($1, $2, $4, $3, $4)
         on conflict (chain_name) do update
           set latest_checkpoint = excluded.latest_checkpoint, safe_checkpoint = excluded.safe_checkpoint,
               finalized_checkpoint = excluded.finalized_checkpoint`,
        [
          String(chainId),
          chainId,
          checkpoint({ chainId, block, timestamp }),
          checkpoint({ chainId, block: safeBlock, timestamp: timestamp - (block - safeBlock) }),
        ],
      );
      await database.query(
        `insert into ${tables.meta} values ('app', jsonb_build_object('is_ready', $1::int))
         on conflict (key) do update set value = excluded.value`,
        [ready ? 1 : 0],
      );
    },
  };
}

/** Ponder's 75-digit checkpoint of the end of a block; with `log`, the id of an event in it. */
export function checkpoint(at: { chainId: number; block: number; timestamp: number; log?: number }): string {
  const digits = (value: number, length: number): string => String(value).padStart(length, "0");
  const head =
    digits(at.timestamp, CHECKPOINT_DIGITS.timestamp) +
    digits(at.chainId, CHECKPOINT_DIGITS.chain) +
    digits(at.block, CHECKPOINT_DIGITS.block);
  return at.log === undefined ? head + "9".repeat(33) : `${head}${digits(0, 16)}5${digits(at.log, 16)}`;
}

/** How many rows of the tables of these schemas the work reads in this transaction. */
export async function countRowsRead(
  tx: Queryable,
  schemas: readonly string[],
  work: () => Promise<void>,
): Promise<number> {
  const read = async (): Promise<number> => {
    const [row] = await tx.query<{ rows: number }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
         from pg_stat_xact_user_tables where schemaname = any($1)`,
      [schemas],
    );
    return row?.rows ?? 0;
  };
  const before = await read();
  await work();
  return (await read()) - before;
}
