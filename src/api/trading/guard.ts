/** The Guard: whether a token may be listed, transferred or traded now. It fails closed (design: "Guard"). */

import { isLocked } from "../../domain/lock-count.ts";
import type { HeadWitness, IndexedBlock } from "../chain/head-witness.ts";

/** The closed set of reasons; the first that applies is given. A stale index leaves the others unknown. */
export const refusals = ["index_stale", "unknown_token", "burned", "locked", "not_owner"] as const;
export type Refusal = (typeof refusals)[number];

/** What the index says of a token, and whether it may be believed, from one statement. */
export interface GuardFacts {
  readonly fresh: boolean;
  /** Null for a token that no transfer has told of. */
  readonly standard: string | null;
  readonly burned: boolean;
  readonly lockCount: number;
  /** The wallet in question may act for an owner; true where none is named. */
  readonly entitled: boolean;
}

/**
 * The chains whose node has the very block that the index is at; one that is stale by itself is not asked about.
 * `maxAgeMs` as of HeadWitness.
 */
export async function confirmHeads(
  witness: HeadWitness,
  facts: readonly { chainId: number; fresh?: boolean; indexed?: IndexedBlock | null }[],
  maxAgeMs: number,
): Promise<ReadonlySet<number>> {
  const heads = new Map<number, IndexedBlock>();
  for (const { chainId, fresh, indexed } of facts) if (fresh && indexed) heads.set(chainId, indexed);
  const confirmed = new Set<number>();
  await Promise.all(
    [...heads].map(async ([chainId, indexed]) => {
      if (await witness.confirm(chainId, indexed, maxAgeMs)) confirmed.add(chainId);
    }),
  );
  return confirmed;
}

/** Null when it is allowed. */
export function refusalFor({ fresh, standard, burned, lockCount, entitled }: GuardFacts): Refusal | null {
  if (!fresh) return "index_stale";
  if (standard === null) return "unknown_token";
  if (burned) return "burned";
  if (isLocked(lockCount)) return "locked";
  return entitled ? null : "not_owner";
}
