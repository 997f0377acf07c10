/** Ranges and whole collections: known tokens are asked for in batches, with a cursor, at the lowest priority. */

import type { MetadataService } from "../metadata/service.ts";
import type { Database, Queryable } from "../store/database.ts";
import { want } from "./queue.ts";

// A sweep of a million tokens keeps this many queued, so that it never stands before anything else.
const QUEUED_MAX = 500;

export interface NewSweep {
  readonly chainId: number;
  readonly collection: string;
  /** Decimal ids, both included. */
  readonly from: string;
  readonly to: string;
  readonly block: number;
  /** Set for a cause that may have been answered already: tokens read at its block or later are left out. */
  readonly skipRead: boolean;
}

export async function addSweep(db: Queryable, sweep: NewSweep): Promise<void> {
  await db.query(
    `insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read)
     values ($1, $2, $3, $4, $5, $6)`,
    [sweep.chainId, sweep.collection, sweep.from, sweep.to, sweep.block, sweep.skipRead],
  );
}

interface OpenSweep extends NewSweep {
  readonly id: string;
  readonly cursor: string | null;
}

export function createSweeps({ database, metadata }: { database: Database; metadata: MetadataService }) {
  return {
    /** Moves each open sweep on by what the queue has room for. True when one of them moved. */
    async advance(): Promise<boolean> {
      const open = await database.query<{ id: string }>(
        "select id from vitrine.sweep where finished_at is null order by id",
      );
      let moved = false;
      for (const { id } of open) moved = (await database.transaction((tx) => advanceOne(tx, id))) || moved;
      return moved;
    },
  };

  async function advanceOne(tx: Queryable, id: string): Promise<boolean> {
    const [row] = await tx.query<Omit<OpenSweep, "chainId" | "block"> & { chainId: string; block: string }>(
      `select id, chain_id as "chainId", collection, from_token_id as "from", to_token_id as "to", block,
              skip_read as "skipRead", cursor
         from vitrine.sweep where id = $1 and finished_at is null for update skip locked`,
      [id],
    );
    if (!row) return false;
    const sweep: OpenSweep = { ...row, chainId: Number(row.chainId), block: Number(row.block) };

    const [queued] = await tx.query<{ count: number }>(
      `select count(*)::int as count from vitrine.refresh
        where chain_id = $1 and collection = $2 and wanted > done and trigger = 'sweep'`,
      [sweep.chainId, sweep.collection],
    );
    const room = QUEUED_MAX - (queued?.count ?? 0);
    if (room <= 0) return false;

    const tokenIds = await metadata.knownInRange(tx, sweep, sweep.cursor, room);
    const all = new Map(tokenIds.map((tokenId) => [tokenId, sweep.block]));
    const tokens = sweep.skipRead
      ? await metadata.notReadSince(tx, sweep.chainId, sweep.collection, all)
      : all;
    if (tokens.size > 0) await want(tx, { ...sweep, tokens, trigger: "sweep" });
    await tx.query(
      `update vitrine.sweep set cursor = coalesce($2::numeric, cursor), asked = asked + $3,
              finished_at = case when $4 then now() end where id = $1`,
      [id, tokenIds.at(-1) ?? null, tokens.size, tokenIds.length < room],
    );
    return true;
  }
}

export type Sweeps = ReturnType<typeof createSweeps>;
