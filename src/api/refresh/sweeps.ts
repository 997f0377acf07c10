/** Ranges and whole collections: known tokens are asked for in batches, with a cursor, at the lowest priority. */

import type { MetadataService } from "../metadata/service.ts";
import type { Database, Queryable } from "../store/database.ts";
import { want } from "./queue.ts";

// A sweep of a million tokens keeps this many queued, so that it never stands before anything else.
const QUEUED_MAX = 500;
// Then it is the causes' turn again.
const STEPS_MAX = 100;

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

/**
 * Adds a sweep. One that covers it and has not started takes it along: a contract that tells of its whole collection at
 * every turn costs one sweep after the one that runs.
 */
export async function addSweep(db: Queryable, sweep: NewSweep): Promise<void> {
  await db.query(
    `with covering as (
       update vitrine.sweep s
          set block = case when $5 = 0 or s.block = 0 then 0 else greatest(s.block, $5) end,
              skip_read = s.skip_read and $6
        where s.id = (select id from vitrine.sweep
                       where chain_id = $1 and collection = $2 and finished_at is null and cursor is null
                         and from_token_id <= $3::numeric and to_token_id >= $4::numeric
                       order by id limit 1 for update)
       returning 1
     )
     insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read)
     select $1, $2, $3, $4, $5, $6 where not exists (select from covering)`,
    [sweep.chainId, sweep.collection, sweep.from, sweep.to, sweep.block, sweep.skipRead],
  );
}

interface OpenSweep extends NewSweep {
  readonly id: string;
  readonly cursor: string | null;
}

export function createSweeps({ database, metadata }: { database: Database; metadata: MetadataService }) {
  return {
    /**
     * Moves the oldest open sweep of each collection on by what the queue has room for, and the next ones while there
     * is room. True when one of them moved.
     */
    async advance(): Promise<boolean> {
      let steps = 0;
      let moved = false;
      let more = true;
      while (more && steps < STEPS_MAX) {
        const open = await database.query<{ id: string }>(
          `select distinct on (chain_id, collection) id from vitrine.sweep
            where finished_at is null order by chain_id, collection, id`,
        );
        more = false;
        for (const { id } of open) {
          more = (await database.transaction((tx) => advanceOne(tx, id))) || more;
          steps++;
        }
        moved ||= more;
      }
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
