/** On-chain triggers as Ponder would write them, and their results. */

import { raiseHeads } from "../../../src/api/chain/index/head-mark.ts";
import { type ChainTables, chainTables } from "../../../src/api/chain/index/tables.ts";
import type { Database, Queryable } from "../../../src/api/db/database.ts";
import { type Logger, silentLogger } from "../../../src/api/logging/logger.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createChainTriggers } from "../../../src/api/refresh/triggers/chain-triggers.ts";
import type { EnqueueMedia } from "../../../src/api/refresh/triggers/seen-tokens.ts";
import { createSweeps } from "../../../src/api/refresh/triggers/sweeps.ts";
import { refreshScope } from "../../../src/domain/refresh-scope.ts";
import { UINT256_MAX } from "../../../src/domain/token-ref.ts";
import { reorgTrigger } from "../chain/chain-ddl.ts";
import { checkpoint, type TestDatabase } from "../database/database.ts";
import { CHAIN_ID, COLLECTION, createFakeResolve, found } from "./refresh.ts";

/** Blocks are a second apart, on both sides of a fork. */
const timestampOf = (block: number): number => 1_700_000_000 + block;

export interface TriggerSpec {
  readonly block: number;
  readonly log?: number;
  readonly source?: "mint" | "first_seen" | "retracted" | "MetadataUpdate" | "BatchMetadataUpdate" | "URI";
  readonly token?: bigint;
  readonly from?: bigint;
  readonly to?: bigint;
  readonly hash?: string;
  readonly chainId?: number;
  readonly collection?: string;
}

/** Without `media`, no media in documents are probed. */
export function createTriggerSetup(
  test: TestDatabase,
  media: EnqueueMedia = {
    enqueue: async () => undefined,
    fateOf: () => ({ status: "none" }),
    readFiles: async () => new Map(),
  },
  logger: Logger = silentLogger,
) {
  const { database } = test;
  const metadata = (tables: ChainTables) =>
    createMetadata({ resolve: createFakeResolve(() => found({})).resolve, tables });

  async function removeFrom(db: Queryable, fromBlock: number): Promise<void> {
    await db.query(`delete from ${test.tables.metadataUpdate} where block_number >= $1`, [fromBlock]);
  }

  return {
    /** Writes a trigger for one token or a range. Returns its id. */
    async add(spec: TriggerSpec): Promise<string> {
      const { block, log = 0, source = "MetadataUpdate", chainId = CHAIN_ID } = spec;
      const from = spec.token ?? spec.from ?? 0n;
      const to = spec.token ?? spec.to ?? UINT256_MAX;
      const id = checkpoint({ chainId, block, timestamp: timestampOf(block), log });
      await test.insert("metadataUpdate", {
        id,
        chainId,
        collectionAddress: spec.collection ?? COLLECTION,
        source,
        fromTokenId: from,
        toTokenId: to,
        scope: refreshScope(from, to),
        blockNumber: BigInt(block),
        blockHash: spec.hash ?? `0xa${block}`,
        blockTimestamp: BigInt(timestampOf(block)),
        transactionHash: `0xt${block}`,
        logIndex: log,
      });
      return id;
    },

    /** A token's first transfer, as handlers write it. */
    async mint(tokenId: string, block: number): Promise<void> {
      const token = BigInt(tokenId);
      await test.insert("tokenState", {
        chainId: CHAIN_ID,
        collectionAddress: COLLECTION,
        tokenId: token,
        standard: "erc721",
        burned: false,
        lockCount: 0,
      });
      await this.add({ block, log: Number(tokenId), source: "mint", token });
    },

    /** Reverts every trigger of this block or later, as a reorg does. */
    revert: (fromBlock: number) => removeFrom(database, fromBlock),

    /** The chain as indexed up to `block`, of which `settled` can't change any more. */
    async setChain(block: number, settled: number, chainId = CHAIN_ID): Promise<void> {
      const at = (each: number) => checkpoint({ chainId, block: each, timestamp: timestampOf(each) });
      await database.query(
        `insert into ${test.tables.checkpoint} values ($1, $2, $3, $4, $3)
         on conflict (chain_name) do update set latest_checkpoint = excluded.latest_checkpoint,
           safe_checkpoint = excluded.safe_checkpoint, finalized_checkpoint = excluded.finalized_checkpoint`,
        [String(chainId), chainId, at(settled), at(block)],
      );
      // Unless a test has said otherwise.
      await database.query(
        `insert into ${test.tables.meta} values ('app', '{"is_ready": 1}') on conflict do nothing`,
      );
    },

    /** Whether Ponder's backfill is complete. */
    async setReady(isReady: boolean): Promise<void> {
      await database.query(
        `insert into ${test.tables.meta} values ('app', jsonb_build_object('is_ready', $1::int))
         on conflict (key) do update set value = excluded.value`,
        [isReady ? 1 : 0],
      );
    },

    /**
     * Stops and starts Ponder, which removes the rows of this block or later, and keeps the head until its first block.
     */
    async restart(fromBlock: number): Promise<void> {
      await this.setReady(false);
      await test.revert((tx) => removeFrom(tx, fromBlock));
      await raiseHeads(database, test.tables);
    },

    /** A second chain index of the same chain, at the first one's position. */
    async reindexAs(schema: string): Promise<ChainTables> {
      const tables = chainTables(schema);
      await database.query(`create schema ${schema}`);
      for (const table of [
        "metadataUpdate",
        "checkpoint",
        "meta",
        "tokenState",
        "tokenRange",
        "tokenTransfer",
        "collectionState",
      ] as const) {
        await database.query(`create table ${tables[table]} (like ${test.tables[table]} including all)`);
        await database.query(`insert into ${tables[table]} select * from ${test.tables[table]}`);
      }
      await database.query(reorgTrigger(schema));
      // Its first block.
      await database.query(`update ${tables.checkpoint} set latest_checkpoint = latest_checkpoint`);
      return tables;
    },

    metadata: metadata(test.tables),
    triggers: (tables: ChainTables = test.tables, now?: () => number, of: Database = database) =>
      createChainTriggers({
        database: of,
        tables,
        metadata: metadata(tables),
        media,
        logger,
        ...(now && { now }),
      }),
    sweeps: (of: Database = database) =>
      createSweeps({ database: of, metadata: metadata(test.tables), media, logger }),

    async clear(): Promise<void> {
      await database.query(
        `truncate ${test.tables.metadataUpdate}, ${test.tables.checkpoint}, ${test.tables.meta}, vitrine.chain_head`,
      );
    },

    /** The ids of remembered triggers, which may still change. */
    async remembered(): Promise<string[]> {
      return (await database.query<{ id: string }>("select id from vitrine.cause order by id")).map(
        ({ id }) => id,
      );
    },

    /** Known tokens, with the block at which each was last read successfully. */
    async know(tokens: Readonly<Record<string, number | null>>): Promise<void> {
      await database.query(
        `insert into vitrine.token (chain_id, collection, token_id, good_block)
         select $1, $2, * from unnest($3::numeric[], $4::bigint[])
         on conflict (chain_id, collection, token_id) do update set good_block = excluded.good_block`,
        [CHAIN_ID, COLLECTION, Object.keys(tokens), Object.values(tokens)],
      );
    },
  };
}
