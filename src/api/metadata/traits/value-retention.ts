/**
 * Deletes values that no token has any more, and later their trait types: a trait whose value or name changes at every
 * fetch leaves one behind each time.
 */

import { type CollectionRef, collectionKey } from "../../../domain/token-ref.ts";
import type { Database } from "../../db/database.ts";
import { isDatabaseAway } from "../../db/database-away.ts";
import type { DailyJob } from "../../jobs/daily.ts";
import { createPageSize } from "../../jobs/page-size.ts";
import { lockTraits } from "./trait-type-store.ts";

const PAGE_ROWS = 5_000;
// Each may have a thousand values.
const TOKENS_AT_ONCE = 500;
const DELETED_TOGETHER = 500;

/**
 * SQL: a trait type `k` that no token has had for a while. Until then it keeps its display type and its highest number,
 * in case a host only left it out by mistake. With the type go its conflicts, which no token has either. One whose display
 * type the operator approved stays. Values are looked up type by type: a join may read all of them.
 */
const IS_UNUSED_TYPE = `
  not k.approved and k.values_deleted_at < now() - interval '7 days'
  and (select v.id from vitrine.trait_value v where v.trait_type_id = k.id limit 1) is null`;

export const forgetUnusedValues: DailyJob = {
  name: "delete unused trait values",
  async run(database) {
    let total = 0;
    const failed: string[] = [];
    for (const collection of await readCollections(database)) {
      try {
        total += await forgetIn(database, collection);
        total += await forgetTypesIn(database, collection);
      } catch (error) {
        if (isDatabaseAway(error)) throw error;
        failed.push(`${collectionKey(collection)}: ${(error as Error).message}`);
      }
    }
    // Only now, so that no other collection waits for one that fails.
    if (failed.length > 0) throw new Error(`${failed.length} collections failed; first, ${failed[0]}`);
    return total;
  },
};

async function readCollections(database: Database): Promise<readonly CollectionRef[]> {
  const rows = await database.query<{ chainId: string; collection: string }>(
    `select distinct chain_id as "chainId", collection from vitrine.trait_type`,
  );
  return rows.map(({ chainId, collection }) => ({ chainId: Number(chainId), collection }));
}

async function forgetIn(database: Database, collection: CollectionRef): Promise<number> {
  const used = await readUsed(database, collection);
  let total = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const stored: readonly { id: number }[] = await database.query<{ id: number }>(
      `select v.id from vitrine.trait_value v join vitrine.trait_type k on k.id = v.trait_type_id
        where k.chain_id = $1 and k.collection = $2 and v.id > $3 order by v.id limit $4`,
      [collection.chainId, collection.collection, after, PAGE_ROWS],
    );
    after = stored.at(-1)?.id;
    const unused = stored.map(({ id }) => id).filter((id) => !used.has(id));
    for (let from = 0; from < unused.length; from += DELETED_TOGETHER) {
      total += await forgetThese(database, collection, unused.slice(from, from + DELETED_TOGETHER));
    }
  }
  return total;
}

/** The value ids of the collection's tokens, read in pages: one lookup per value takes far longer. */
async function readUsed(
  database: Database,
  { chainId, collection }: CollectionRef,
): Promise<ReadonlySet<number>> {
  const used = new Set<number>();
  const size = createPageSize(TOKENS_AT_ONCE);
  for (let after: string | null = "-1"; after !== null; ) {
    const from: string = after;
    const [page] = await size.run((limit) =>
      database.query<{ last: string | null; values: readonly number[] }>(
        `with page as materialized (
           select token_id, traits from vitrine.token
            where chain_id = $1 and collection = $2 and token_id > $3 order by token_id limit $4)
         select (select max(token_id) from page) as last, array(select distinct unnest(traits) from page) as values`,
        [chainId, collection, from, limit],
      ),
    );
    for (const id of page?.values ?? []) used.add(id);
    after = page?.last ?? null;
  }
  return used;
}

/** Takes the lock because a version being recorded may have found these values and not refer to them yet. */
function forgetThese(database: Database, collection: CollectionRef, ids: readonly number[]): Promise<number> {
  return database.transaction(async (tx) => {
    await lockTraits(tx, collection);
    const rows = await tx.query(
      `delete from vitrine.trait_value v
        where v.id = any($1::int[]) and not exists (select from vitrine.token t where t.traits @> array[v.id])
          -- Deleted meanwhile, its id may be that of a value whose collection isn't locked.
          and exists (select from vitrine.trait_type k
                       where k.id = v.trait_type_id and k.chain_id = $2 and k.collection = $3)
       returning 1`,
      [ids, collection.chainId, collection.collection],
    );
    return rows.length;
  });
}

async function forgetTypesIn(database: Database, collection: CollectionRef): Promise<number> {
  let total = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const stored: readonly { key: string; id: number; isUnused: boolean }[] = await database.query(
      `select k.key, k.id, ${IS_UNUSED_TYPE} as "isUnused" from vitrine.trait_type k
        where k.chain_id = $1 and k.collection = $2 and k.key > $3 order by k.key limit $4`,
      [collection.chainId, collection.collection, after, PAGE_ROWS],
    );
    after = stored.at(-1)?.key;
    const unused = stored.filter(({ isUnused }) => isUnused).map(({ id }) => id);
    for (let from = 0; from < unused.length; from += DELETED_TOGETHER) {
      total += await forgetTheseTypes(database, collection, unused.slice(from, from + DELETED_TOGETHER));
    }
  }
  return total;
}

/** Takes the lock because a version being recorded may have found these types and not added their values yet. */
function forgetTheseTypes(
  database: Database,
  collection: CollectionRef,
  ids: readonly number[],
): Promise<number> {
  return database.transaction(async (tx) => {
    await lockTraits(tx, collection);
    const rows = await tx.query<{ id: number }>(
      `delete from vitrine.trait_type k
        where k.id = any($1::int[]) and k.chain_id = $2 and k.collection = $3 and ${IS_UNUSED_TYPE} returning id`,
      [ids, collection.chainId, collection.collection],
    );
    await tx.query("delete from vitrine.held_type where trait_type_id = any($1::int[])", [
      rows.map(({ id }) => id),
    ]);
    return rows.length;
  });
}
