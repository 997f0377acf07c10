/** The Guard: whether a token may be listed, transferred or traded now. It fails closed. */

import type { Standard } from "../../../config.ts";
import { isLocked } from "../../../domain/lock-count.ts";
import type { HeadWitness, IndexedBlock } from "../../chain/rpc/head-witness.ts";

/**
 * The closed set of reasons; the first one that applies is reported. A stale chain index leaves the others unknown. The
 * last two come from a simulated transfer: it reverts, or the node gave no result.
 */
export const refusals = [
  "index_stale",
  "unknown_token",
  "burned",
  "locked",
  "not_open_yet",
  "not_owner",
  "transfer_reverts",
  "not_verified",
] as const;
export type Refusal = (typeof refusals)[number];

/** What the chain index knows of a token, and whether it can be trusted, from one statement. */
export interface GuardFacts {
  readonly fresh: boolean;
  /** Null for a token without transfers. */
  readonly standard: Standard | null;
  readonly burned: boolean;
  readonly lockCount: number;
  /** When trade of the collection opens; null once it is open. */
  readonly opensAt: Date | null;
  /** Whether the wallet may act for an owner; true if no wallet is given. */
  readonly entitled: boolean;
}

/**
 * The chains whose node has the exact block the chain index is at; skips chains whose index is stale already.
 * `maxAgeMs` is as in HeadWitness.
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

/** Null if it is allowed. */
export function refusalFor(facts: GuardFacts): Refusal | null {
  if (!facts.fresh) return "index_stale";
  if (facts.standard === null) return "unknown_token";
  if (facts.burned) return "burned";
  if (isLocked(facts.lockCount)) return "locked";
  if (facts.opensAt !== null) return "not_open_yet";
  return facts.entitled ? null : "not_owner";
}
