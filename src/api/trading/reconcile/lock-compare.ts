/** Compares one page of indexed locks with the contract. Pure apart from reading the contract. */

import { findLockStandard } from "../../../domain/lock-standards.ts";
import { type IndexedLock, isDrift } from "./lock-drift.ts";
import type { createLockReader, LockRead, LocksOnChain, OfferedView } from "./lock-reader.ts";
import type { IndexedToken } from "./reconcile-store.ts";

export type LockReader = ReturnType<typeof createLockReader>;

/** A token whose locks differ, according to one view of the contract. */
export interface Suspect {
  readonly token: IndexedToken;
  readonly offered: OfferedView;
  readonly indexed: IndexedLock;
  readonly onChain: LocksOnChain;
}

export interface Comparison {
  readonly suspects: readonly Suspect[];
  /** Tokens with a result from at least one view. */
  readonly checked: number;
}

/** Compares every token by every view; undefined if the contract's node leaves any call unanswered. */
export async function compareLocks(
  reader: LockReader,
  offers: readonly OfferedView[],
  tokens: readonly IndexedToken[],
  { block, isBoolean }: { readonly block: number; readonly isBoolean: boolean },
): Promise<Comparison | undefined> {
  const ids = tokens.map(({ tokenId }) => tokenId);
  const reads = await Promise.all(offers.map(({ view }) => reader.readAll(view, ids, block)));
  if (reads.flat().some(({ kind }) => kind === "unavailable")) return undefined;
  const suspects = tokens.flatMap((token, at) =>
    offers.flatMap((offered, nth): Suspect[] => {
      const read: LockRead | undefined = reads[nth]?.[at];
      const indexed = indexedLock(token, offered, isBoolean);
      if (read?.kind !== "read" || !isDrift(indexed, read)) return [];
      const { lockCount, locked } = read;
      return [{ token, offered, indexed, onChain: { lockCount, locked } }];
    }),
  );
  const isChecked = (at: number): boolean => reads.some((ofView) => ofView[at]?.kind === "read");
  return { suspects, checked: tokens.filter((_, at) => isChecked(at)).length };
}

/**
 * The indexed value that a view is compared with. A view shared by several standards returns whether any of them locks
 * the token; the standard reported is the last one that the token or its collection uses.
 */
function indexedLock(
  { locks, own }: IndexedToken,
  { standards, defaults }: OfferedView,
  isBoolean: boolean,
): IndexedLock {
  const used = standards.filter((name) => own[name] !== null || defaults.has(name));
  const standard = used.at(-1) ?? standards[0] ?? "erc721x";
  return {
    standard,
    lockCount: Math.max(...standards.map((name) => locks[name])),
    isCounted: findLockStandard(standard).keeps === "count" && !isBoolean,
  };
}
