/** SQL for trait values, each stored once; tokens refer to their ids. */

import { LRUCache } from "lru-cache";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { type Trait, valueText } from "../document/traits.ts";
import { textKey } from "./text-key.ts";
import type { TraitTypes } from "./trait-type-store.ts";

const REMEMBERED_MAX = 100_000;

/** The columns of a value under one display type. */
export interface ValueRow {
  readonly typeId: number;
  readonly displayType: string;
  readonly key: string;
  readonly text: string;
  readonly number: number | null;
}

const valueKey = ({ typeId, displayType, key }: Pick<ValueRow, "typeId" | "displayType" | "key">): string =>
  `${typeId}:${displayType}:${key}`;

/** The row of an entry; undefined if its trait type is unknown. */
const rowOf = (types: TraitTypes, { trait_type, display_type, value }: Trait): ValueRow | undefined => {
  const type = types.get(trait_type);
  if (!type) return undefined;
  const text = valueText(value);
  return {
    typeId: type.id,
    displayType: display_type,
    key: textKey(text),
    text,
    number: typeof value === "number" ? value : null,
  };
};

/** The id of an entry's value; undefined if no token ever had it. */
export type ValueIds = (trait: Trait) => number | undefined;

/**
 * The ids of committed values, the last used of them, for one process. An entry holds as long as its trait type's
 * `valuesEpoch` is the same: no value is deleted while a transaction holds off approvals.
 */
export type RememberedValues = LRUCache<string, number>;
export const createRememberedValues = (entriesMax = REMEMBERED_MAX): RememberedValues =>
  // By size: with `max`, lru-cache reserves the memory of all entries at once.
  new LRUCache({ maxSize: entriesMax, sizeCalculation: () => 1 });

/** The ids of these entries' values, adding new ones. Their trait types must be known, read in this transaction. */
export async function internValues(
  tx: Queryable,
  types: TraitTypes,
  traits: readonly Trait[],
  remembered?: RememberedValues,
): Promise<ValueIds> {
  const epochs = new Map([...types.values()].map(({ id, valuesEpoch }) => [id, valuesEpoch]));
  const rememberedKey = (row: ValueRow): string => `${epochs.get(row.typeId)}:${valueKey(row)}`;
  const ids = new Map<string, number>();
  // Asked for again, entry by entry, once the ids are known.
  const keys = new Map<Trait, string>();
  const rows = distinct(types, traits, keys);
  const unknown: ValueRow[] = [];
  for (const row of rows) {
    const id = remembered?.get(rememberedKey(row));
    if (id === undefined) unknown.push(row);
    else ids.set(valueKey(row), id);
  }
  if (unknown.length === 0) return idsOf(types, keys, ids);
  const found = await readIds(tx, unknown);
  const missing: ValueRow[] = [];
  for (const row of unknown) {
    const { id, isOurs } = found.get(valueKey(row)) ?? {};
    if (id === undefined) missing.push(row);
    else {
      ids.set(valueKey(row), id);
      // This transaction may yet be rolled back.
      if (!isOurs) remembered?.set(rememberedKey(row), id);
    }
  }
  if (missing.length === 0) return idsOf(types, keys, ids);
  await addValues(tx, missing);
  for (const [key, { id }] of await readIds(tx, missing)) ids.set(key, id);
  return idsOf(types, keys, ids);
}

/** Adds each entry's key to `keys`. */
function distinct(
  types: TraitTypes,
  traits: readonly Trait[],
  keys: Map<Trait, string>,
): readonly ValueRow[] {
  const rows = new Map<string, ValueRow>();
  for (const trait of traits) {
    const row = rowOf(types, trait);
    if (!row) continue;
    const key = valueKey(row);
    rows.set(key, row);
    keys.set(trait, key);
  }
  return [...rows.values()];
}

const idsOf =
  (types: TraitTypes, keys: ReadonlyMap<Trait, string>, ids: ReadonlyMap<string, number>): ValueIds =>
  (trait) => {
    const known = keys.get(trait);
    const row = known === undefined ? rowOf(types, trait) : undefined;
    const key = row ? valueKey(row) : known;
    return key === undefined ? undefined : ids.get(key);
  };

interface StoredValue {
  readonly id: number;
  /** Added by this transaction. */
  readonly isOurs: boolean;
}

async function readIds(db: Queryable, rows: readonly ValueRow[]): Promise<ReadonlyMap<string, StoredValue>> {
  if (rows.length === 0) return new Map();
  const found = await db.query<StoredValue & { typeId: number; displayType: string; key: string }>(
    `select v.trait_type_id as "typeId", v.display_type as "displayType", v.key, v.id,
            coalesce(v.xmin = pg_current_xact_id_if_assigned()::xid, false) as "isOurs"
       from unnest($1::int[], $2::text[], $3::text[]) as k(trait_type_id, display_type, key)
      cross join lateral (
        -- By the order of the database index of keys: with "key =", PostgreSQL may read all values of the type for each.
        select v.*, v.xmin from vitrine.trait_value v
         where v.trait_type_id = k.trait_type_id and v.display_type = k.display_type and v.key between k.key and k.key
         order by v.key limit 1) v`,
    columnsOf(rows, "typeId", "displayType", "key"),
    "find values",
  );
  return new Map(found.map((row) => [valueKey(row), row]));
}

// Writes in a global order, so that two batches never deadlock.
async function addValues(tx: Queryable, missing: readonly ValueRow[]): Promise<void> {
  const rows = missing.toSorted((a, b) => (valueKey(a) < valueKey(b) ? -1 : 1));
  await tx.query(
    `insert into vitrine.trait_value (trait_type_id, display_type, key, value_text, value_number)
     select * from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::float8[]) on conflict do nothing`,
    columnsOf(rows, "typeId", "displayType", "key", "text", "number"),
  );
}

/**
 * After the deletion of tokens with these values: if one of them was a trait type's highest, that drops to the highest
 * number any token still has. The collection's traits must be locked.
 */
export async function lowerHighest(tx: Queryable, valueIds: readonly number[]): Promise<void> {
  await tx.query(
    `update vitrine.trait_type k
        set changed = pg_current_xact_id(), highest = (
              select v.value_number from vitrine.trait_value v
               where v.trait_type_id = k.id and v.display_type = 'number'
                 and exists (select from vitrine.token t where t.traits @> array[v.id])
               order by v.value_number desc limit 1)
      where exists (select from vitrine.trait_value g
                     where g.id = any($1::int[]) and g.trait_type_id = k.id and g.display_type = 'number'
                       and g.value_number = k.highest)
        and not exists (select from vitrine.trait_value h
                         where h.trait_type_id = k.id and h.display_type = 'number' and h.value_number = k.highest
                           and exists (select from vitrine.token t where t.traits @> array[h.id]))`,
    [valueIds],
  );
}
