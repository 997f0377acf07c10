/** Deletes values that no token has any more: a trait that changes at every fetch leaves one behind each time. */

import type { Database } from "../../db/database.ts";
import type { DailyJob } from "../../jobs/daily.ts";
import { type CollectionRef, lockTraits } from "./trait-type-store.ts";

const PAGE_ROWS = 5_000;
const DELETED_TOGETHER = 500;

export const forgetUnusedValues: DailyJob = {
  name: "delete unused trait values",
  async run(database) {
    let total = 0;
    for (const collection of await readCollections(database)) {
      total += await forgetIn(database, collection);
    }
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
  for (let after: string | undefined = "-1"; after !== undefined; ) {
    const rows: readonly { tokenId: string; traits: readonly number[] }[] = await database.query(
      `select token_id as "tokenId", traits from vitrine.token
        where chain_id = $1 and collection = $2 and token_id > $3 order by token_id limit $4`,
      [chainId, collection, after, PAGE_ROWS],
    );
    for (const { traits } of rows) for (const id of traits) used.add(id);
    after = rows.at(-1)?.tokenId;
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
       returning 1`,
      [ids],
    );
    return rows.length;
  });
}
