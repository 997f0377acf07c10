/** SQL for trait types and their known display types. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import { epochOf } from "../../db/changes.ts";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import type { DisplayType, Trait } from "../document/traits.ts";
import type { DisplayTypes } from "./display-types.ts";
import { textKey } from "./text-key.ts";

export interface TraitType {
  readonly id: number;
  readonly displayType: DisplayType;
  /** The highest value ever shown as a number. Only `lowerHighest` decreases it, and it ends with the type. */
  readonly highest: number | null;
  /** Changes when values of the type are deleted, or the database may be another one. */
  readonly valuesEpoch: string;
}

export type TraitTypes = ReadonlyMap<string, TraitType>;

/** The known trait types among these, by name; omits those the collection never had. */
export async function readTraitTypes(
  db: Queryable,
  { chainId, collection }: CollectionRef,
  names: Iterable<string>,
): Promise<TraitTypes> {
  const asked = [...new Set(names)];
  if (asked.length === 0) return new Map();
  const rows = await db.query<TraitType & { name: string }>(
    `select trait_type as name, id, display_type as "displayType", highest,
            -- The time as well: another type may have had the id before.
            concat_ws(' ', forgotten, extract(epoch from values_deleted_at), ${epochOf("vitrine.trait_value")}) as "valuesEpoch"
       from vitrine.trait_type
      where chain_id = $1 and collection = $2 and key = any($3::text[])`,
    [chainId, collection, asked.map(textKey)],
    "read trait types",
  );
  return new Map(rows.map(({ name, ...type }) => [name, type]));
}

/**
 * The names of a collection's trait types, in the order in which they were learned: at most `limit`, and of each, which
 * may be as long as a document, at most `characters`.
 */
export async function readTraitNames(
  db: Queryable,
  { chainId, collection }: CollectionRef,
  { limit, characters }: { readonly limit: number; readonly characters: number },
): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select left(trait_type, $4) as name from vitrine.trait_type
      where chain_id = $1 and collection = $2 order by id limit $3`,
    [chainId, collection, limit, characters],
  );
  return rows.map(({ name }) => name);
}

/** The known display type of each of these entries' trait types; adds none. */
export async function readDisplayTypes(
  db: Queryable,
  collection: CollectionRef,
  traits: readonly Trait[],
): Promise<DisplayTypes> {
  const names = traits.map((trait) => trait.trait_type);
  return displayTypesOf(await readTraitTypes(db, collection, names));
}

export const displayTypesOf = (types: TraitTypes): DisplayTypes =>
  new Map([...types].map(([name, { displayType }]) => [name, displayType]));

/**
 * Learns from the entries of versions about to be served, in their transaction: a trait type keeps its first display
 * type, higher numbers raise its highest, and other display types are recorded for the operator. Writes only what is
 * new, so versions of one collection block each other only over what neither has seen before. Returns the known trait
 * types.
 */
export async function settleTraitTypes(
  tx: Queryable,
  collection: CollectionRef,
  traits: readonly Trait[],
): Promise<TraitTypes> {
  const first = new Map<string, DisplayType>();
  for (const { trait_type, display_type } of traits) {
    if (!first.has(trait_type)) first.set(trait_type, display_type);
  }
  const read = () => readTraitTypes(tx, collection, first.keys());
  let [, known] = await Promise.all([awaitApproval(tx, collection), read()]);
  const missing = [...first].filter(([name]) => !known.has(name));
  if (missing.length > 0) {
    await addTraitTypes(tx, collection, missing);
    known = await read();
  }
  const isKnownAs = ({ trait_type, display_type }: Trait): boolean =>
    known.get(trait_type)?.displayType === display_type;
  await raiseHighest(tx, higher(traits.filter(isKnownAs), known));
  await noteConflict(
    tx,
    traits.flatMap((trait) => {
      const type = known.get(trait.trait_type);
      return type && !isKnownAs(trait) ? { typeId: type.id, displayType: trait.display_type } : [];
    }),
  );
  return known;
}

/** The highest number of each trait type, if it exceeds the known one. */
function higher(traits: readonly Trait[], known: TraitTypes): ReadonlyMap<number, number> {
  const rises = new Map<number, number>();
  for (const { trait_type, display_type, value } of traits) {
    const type = known.get(trait_type);
    if (display_type !== "number" || !type) continue;
    const before = rises.get(type.id) ?? type.highest;
    if (before === null || Number(value) > before) rises.set(type.id, Number(value));
  }
  return rises;
}

const approvalLock = "hashtextextended('vitrine display types ' || $1 || ':' || $2, 0)";

/**
 * Waits for a running approval, and blocks the next one until this transaction ends: an approval that missed a
 * hidden number would leave the highest value too low.
 */
async function awaitApproval(tx: Queryable, { chainId, collection }: CollectionRef): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock_shared(${approvalLock})`,
    [String(chainId), collection],
    "await approval",
  );
}

/** Allows one change of the collection's stored traits at a time, and none while versions are being recorded. */
export async function lockTraits(tx: Queryable, { chainId, collection }: CollectionRef): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${approvalLock})`, [String(chainId), collection]);
}

// Writes rows in a global order: two versions with the same new names must not deadlock.
async function addTraitTypes(
  tx: Queryable,
  { chainId, collection }: CollectionRef,
  missing: readonly (readonly [string, DisplayType])[],
): Promise<void> {
  const rows = missing.toSorted(([a], [b]) => (a < b ? -1 : 1));
  await tx.query(
    `insert into vitrine.trait_type (chain_id, collection, key, trait_type, display_type)
     select $1, $2, * from unnest($3::text[], $4::text[], $5::text[]) on conflict do nothing`,
    [
      chainId,
      collection,
      rows.map(([name]) => textKey(name)),
      rows.map(([name]) => name),
      rows.map(([, displayType]) => displayType),
    ],
  );
}

async function raiseHighest(tx: Queryable, rises: ReadonlyMap<number, number>): Promise<void> {
  if (rises.size === 0) return;
  await tx.query(
    `with rising as (
       select k.id, r.value from vitrine.trait_type k join unnest($1::int[], $2::float8[]) as r(id, value) using (id)
        where k.highest is null or k.highest < r.value
        order by k.id for no key update of k)
     update vitrine.trait_type k set highest = r.value, changed = pg_current_xact_id() from rising r where k.id = r.id`,
    [[...rises.keys()], [...rises.values()]],
  );
}

interface ConflictingType {
  readonly typeId: number;
  readonly displayType: DisplayType;
}

async function noteConflict(tx: Queryable, conflicts: readonly ConflictingType[]): Promise<void> {
  if (conflicts.length === 0) return;
  const rows = conflicts.toSorted((a, b) => a.typeId - b.typeId || (a.displayType < b.displayType ? -1 : 1));
  await tx.query(
    `insert into vitrine.held_type (trait_type_id, display_type)
     select * from unnest($1::int[], $2::text[]) on conflict do nothing`,
    columnsOf(rows, "typeId", "displayType"),
  );
}
