/**
 * Ids of trait types and values are given in rounds: once the last is reached, those that no row has are given again. A
 * search index that remembers what had an id must know when that may be something else.
 */

const ID_MAX = 2_147_483_647;

/** How many ids have ever been given, those counted that were passed over because a row had them. */
export interface GivenIds {
  readonly types: number;
  readonly values: number;
}

/** Those of the known ids that may have been given to other rows while the count rose: in the first round, none. */
export function givenAgain(known: ReadonlyMap<number, unknown>, before: number, now: number): number[] {
  if (now <= ID_MAX) return [];
  const count = now - before;
  const nth = (id: number): number => (id - 1 - (before % ID_MAX) + ID_MAX) % ID_MAX;
  if (count >= known.size) return [...known.keys()].filter((id) => nth(id) < count);
  const ids = Array.from({ length: count }, (_, more) => ((before + more) % ID_MAX) + 1);
  return ids.filter((id) => known.has(id));
}
