/** Lock events as Ponder would write them, and the resulting stream. */

import { raiseHeads } from "../../../src/api/chain/index/head-mark.ts";
import { type ChainTables, chainTables } from "../../../src/api/chain/index/tables.ts";
import { createEventWriter } from "../../../src/api/events/writer.ts";
import type { LockStandardName } from "../../../src/domain/lock-standards.ts";
import { checkpoint, type TestDatabase } from "../database/database.ts";
import { CHAIN_ID, COLLECTION } from "../refresh/refresh.ts";
import { reorgTrigger } from "./chain-ddl.ts";

export const LOCKER = "0x00000000000000000000000000000000000000c1";
/** Blocks are a second apart, on both sides of a fork. */
const timestampOf = (block: number): number => 1_700_000_000 + block;

export interface LockSpec {
  readonly block: number;
  readonly log?: number;
  /** Null means the collection's default. */
  readonly token?: bigint | null;
  readonly standard?: LockStandardName;
  /** Null means that nobody is named. */
  readonly by?: string | null;
  readonly direction?: "lock" | "unlock";
  readonly countAfter?: number;
  /** Defaults to `countAfter`. */
  readonly flagCountAfter?: number;
  readonly followsDefault?: boolean;
  readonly anomaly?: boolean;
  readonly transaction?: string;
  readonly collection?: string;
  /** The block's time in Unix seconds. */
  readonly at?: number;
}

export function createLockSetup(test: TestDatabase) {
  const { database } = test;
  return {
    async add(spec: LockSpec, tables: ChainTables = test.tables): Promise<void> {
      const { block, log = 0, direction = "lock" } = spec;
      const timestamp = spec.at ?? timestampOf(block);
      const countAfter = spec.countAfter ?? (direction === "lock" ? 1 : 0);
      await database.query(
        `insert into ${tables.lockEvent} (id, chain_id, collection_address, token_id, direction, approved_contract,
           count_after, anomaly, block_number, block_timestamp, transaction_hash, log_index, standard, flag_count_after,
           follows_default)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
        [
          checkpoint({ chainId: CHAIN_ID, block, timestamp, log }),
          CHAIN_ID,
          spec.collection ?? COLLECTION,
          spec.token === null ? null : String(spec.token ?? 1n),
          direction,
          spec.by === undefined ? LOCKER : spec.by,
          countAfter,
          spec.anomaly ?? false,
          block,
          timestamp,
          spec.transaction ?? `0xt${block}`,
          log,
          spec.standard ?? "erc721x",
          spec.flagCountAfter ?? countAfter,
          spec.followsDefault ?? spec.token !== null,
        ],
      );
      if (spec.token !== null) return;
      await database.query(
        `insert into ${tables.lockDefault} (chain_id, collection_address, standard, locked, last_lock_change_block)
         values ($1, $2, $3, $4, $5)
         on conflict (chain_id, collection_address, standard) do update set locked = excluded.locked`,
        [CHAIN_ID, spec.collection ?? COLLECTION, spec.standard ?? "erc721x", direction === "lock", block],
      );
    },

    /** Many lock events of one block, one per token from `from` on. */
    async addMany(block: number, count: number): Promise<void> {
      const id = checkpoint({ chainId: CHAIN_ID, block, timestamp: timestampOf(block), log: 0 });
      await database.query(
        `insert into ${test.tables.lockEvent} (id, chain_id, collection_address, token_id, direction, approved_contract,
           count_after, anomaly, block_number, block_timestamp, transaction_hash, log_index, standard, flag_count_after,
           follows_default)
         select left($1, 59) || lpad(n::text, 16, '0'), $2, $3, n, 'lock', $4, 1, false, $5, $6, '0xt', n, 'erc721x', 1, true
           from generate_series(1, $7::int) n`,
        [id, CHAIN_ID, COLLECTION, LOCKER, block, timestampOf(block), count],
      );
    },

    /** Reverts every lock event of this block or later, as a reorg does. Ponder keeps the head until its next block. */
    async revert(fromBlock: number): Promise<void> {
      const { lockEvent, lockDefault } = test.tables;
      await database.query(`delete from ${lockEvent} where block_number >= $1`, [fromBlock]);
      await database.query(`delete from ${lockDefault} where last_lock_change_block >= $1`, [fromBlock]);
    },

    /** The chain as indexed up to `block`, of which `settled` can't change any more. */
    async setChain(block: number, settled: number, tables: ChainTables = test.tables): Promise<void> {
      const at = (each: number) =>
        checkpoint({ chainId: CHAIN_ID, block: each, timestamp: timestampOf(each) });
      await database.query(
        `insert into ${tables.checkpoint} values ($1, $2, $3, $4, $3)
         on conflict (chain_name) do update set latest_checkpoint = excluded.latest_checkpoint,
           safe_checkpoint = excluded.safe_checkpoint, finalized_checkpoint = excluded.finalized_checkpoint`,
        [String(CHAIN_ID), CHAIN_ID, at(settled), at(block)],
      );
    },

    async setReady(isReady: boolean, tables: ChainTables = test.tables): Promise<void> {
      await database.query(
        `insert into ${tables.meta} values ('app', jsonb_build_object('is_ready', $1::int))
         on conflict (key) do update set value = excluded.value`,
        [isReady ? 1 : 0],
      );
      await raiseHeads(database, tables);
    },

    /** A second chain index of the same chain, at the first one's position. */
    async reindexAs(schema: string): Promise<ChainTables> {
      const tables = chainTables(schema);
      await database.query(`drop schema if exists ${schema} cascade; create schema ${schema}`);
      for (const table of ["lockEvent", "lockDefault", "tokenState", "checkpoint", "meta"] as const) {
        await database.query(`create table ${tables[table]} (like ${test.tables[table]} including all)`);
        await database.query(`insert into ${tables[table]} select * from ${test.tables[table]}`);
      }
      await database.query(reorgTrigger(schema));
      // Its first block.
      await database.query(`update ${tables.checkpoint} set latest_checkpoint = latest_checkpoint`);
      return tables;
    },

    /** Publishes a batch of both kinds of events at a time. */
    writer(tables: ChainTables = test.tables, collections: readonly string[] = [COLLECTION]) {
      const writer = createEventWriter({ database, tables, collections: new Map([[CHAIN_ID, collections]]) });
      return {
        async writeBatch(): Promise<boolean> {
          const isDueMore = await writer.writeDue();
          return (await writer.writeLocks()) || isDueMore;
        },
      };
    },

    async clear(): Promise<void> {
      const { lockEvent, lockDefault, checkpoint: head, meta } = test.tables;
      await database.query(
        `truncate ${lockEvent}, ${lockDefault}, ${head}, ${meta}, vitrine.event, vitrine.event_feed, vitrine.event_due, vitrine.chain_head`,
      );
      await database.query("update vitrine.event_counter set last = 0");
    },

    /** The stream so far. */
    async published(): Promise<{ id: number; type: string; token: string; reverts: number | null }[]> {
      return database.query(
        `select id::int, type, token_id::text as token, reverts::int from vitrine.event order by id`,
      );
    },
  };
}
