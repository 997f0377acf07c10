/** Trait types, each with the display type it is known with, in PostgreSQL. */

import type { Queryable } from "../store/database.ts";
import type { DisplayTypes } from "./display-types.ts";
import type { DisplayType, Trait } from "./traits.ts";

/** One contract on one chain. */
export interface CollectionRef {
  readonly chainId: number;
  /** Lower-case address. */
  readonly collection: string;
}

export interface TraitType {
  readonly displayType: DisplayType;
  /** The highest value that was ever shown as a number; it never falls. */
  readonly highest: number | null;
}

/** What is known of these trait types, by name; those that the collection never had are left out. */
export async function readTraitTypes(
  db: Queryable,
  { chainId, collection }: CollectionRef,
  names: Iterable<string>,
): Promise<ReadonlyMap<string, TraitType>> {
  const asked = [...new Set(names)];
  if (asked.length === 0) return new Map();
  const rows = await db.query<TraitType & { name: string }>(
    `select k.trait_type as name, k.display_type as "displayType", k.highest
       from unnest($3::text[]) as w(name)
       join vitrine.trait_type k
         on k.chain_id = $1 and k.collection = $2 and md5(k.trait_type) = md5(w.name) and k.trait_type = w.name`,
    [chainId, collection, asked],
  );
  return new Map(rows.map(({ name, displayType, highest }) => [name, { displayType, highest }]));
}

/** The display type that each trait type of these entries is known with. */
export async function readDisplayTypes(
  db: Queryable,
  collection: CollectionRef,
  traits: readonly Trait[],
): Promise<DisplayTypes> {
  const names = traits.map((trait) => trait.trait_type);
  return displayTypesOf(await readTraitTypes(db, collection, names));
}

const displayTypesOf = (types: ReadonlyMap<string, TraitType>): DisplayTypes =>
  new Map([...types].map(([name, { displayType }]) => [name, displayType]));

/**
 * Learns from the entries of a version that is about to be served, in its transaction: the first display type of a
 * trait type stays, higher numbers raise its highest, and other display types are noted for the operator. Writes only
 * what is new, so versions of one collection wait for each other only over what neither has seen before. Returns the
 * display type that each trait type is known with.
 */
export async function settleTraitTypes(
  tx: Queryable,
  collection: CollectionRef,
  traits: readonly Trait[],
): Promise<DisplayTypes> {
  const first = new Map<string, DisplayType>();
  for (const { trait_type, display_type } of traits) {
    if (!first.has(trait_type)) first.set(trait_type, display_type);
  }
  const read = () => readTraitTypes(tx, collection, first.keys());
  let known = await read();
  const missing = [...first].filter(([name]) => !known.has(name));
  if (missing.length > 0) {
    await addTraitTypes(tx, collection, missing);
    known = await read();
  }
  const isKnownAs = ({ trait_type, display_type }: Trait): boolean =>
    known.get(trait_type)?.displayType === display_type;
  if (traits.some((trait) => trait.display_type === "number" && !isKnownAs(trait))) {
    await awaitApproval(tx, collection);
    known = await read();
  }
  await raiseHighest(tx, collection, higher(traits.filter(isKnownAs), known));
  await noteConflicts(
    tx,
    collection,
    traits.filter((trait) => !isKnownAs(trait)),
  );
  return displayTypesOf(known);
}

/** The highest number of each trait type, where it is above what is known. */
function higher(
  traits: readonly Trait[],
  known: ReadonlyMap<string, TraitType>,
): ReadonlyMap<string, number> {
  const rises = new Map<string, number>();
  for (const { trait_type, display_type, value } of traits) {
    if (display_type !== "number") continue;
    const before = rises.get(trait_type) ?? known.get(trait_type)?.highest ?? null;
    if (before === null || Number(value) > before) rises.set(trait_type, Number(value));
  }
  return rises;
}

const approvalLock = "hashtextextended('vitrine display types ' || $1 || ':' || $2, 0)";

/**
 * Waits for an approval that runs, and keeps the next one waiting until this transaction ends. Needed for a number that
 * is held back: an approval that does not see it yet would leave the highest value below it.
 */
async function awaitApproval(tx: Queryable, { chainId, collection }: CollectionRef): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(${approvalLock})`, [String(chainId), collection]);
}

/** Lets one approval of the collection run at a time, and none beside a version with numbers that are held back. */
export async function lockForApproval(tx: Queryable, { chainId, collection }: CollectionRef): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${approvalLock})`, [String(chainId), collection]);
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

// Rows are written in one order everywhere: two versions that bring the same new names must not wait for each other.
async function addTraitTypes(
  tx: Queryable,
  { chainId, collection }: CollectionRef,
  missing: readonly (readonly [string, DisplayType])[],
): Promise<void> {
  const rows = missing.toSorted(byName);
  await tx.query(
    `insert into vitrine.trait_type (chain_id, collection, trait_type, display_type)
     select $1, $2, * from unnest($3::text[], $4::text[]) on conflict do nothing`,
    [chainId, collection, rows.map(([name]) => name), rows.map(([, displayType]) => displayType)],
  );
}

async function raiseHighest(
  tx: Queryable,
  { chainId, collection }: CollectionRef,
  rises: ReadonlyMap<string, number>,
): Promise<void> {
  if (rises.size === 0) return;
  await tx.query(
    `with rising as (
       select k.trait_type, r.value from vitrine.trait_type k
         join unnest($3::text[], $4::float8[]) as r(name, value)
           on md5(k.trait_type) = md5(r.name) and k.trait_type = r.name
        where k.chain_id = $1 and k.collection = $2 and (k.highest is null or k.highest < r.value)
        order by k.trait_type collate "C" for no key update of k)
     update vitrine.trait_type k set highest = r.value from rising r
      where k.chain_id = $1 and k.collection = $2 and md5(k.trait_type) = md5(r.trait_type) and k.trait_type = r.trait_type`,
    [chainId, collection, [...rises.keys()], [...rises.values()]],
  );
}

async function noteConflicts(
  tx: Queryable,
  { chainId, collection }: CollectionRef,
  held: readonly Trait[],
): Promise<void> {
  if (held.length === 0) return;
  const rows = held
    .map(({ trait_type, display_type }) => [trait_type, display_type] as const)
    .sort((a, b) => byName(a, b) || byName([a[1], 0], [b[1], 0]));
  await tx.query(
    `insert into vitrine.trait_conflict (chain_id, collection, trait_type, display_type)
     select $1, $2, * from unnest($3::text[], $4::text[]) on conflict do nothing`,
    [chainId, collection, rows.map(([name]) => name), rows.map(([, displayType]) => displayType)],
  );
}
