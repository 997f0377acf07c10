/** The Guard: whether a token may be listed, transferred or traded now. It fails closed (design: "Guard"). */

import type { Standard } from "../../config.ts";
import { isLocked } from "../../domain/lock-count.ts";

/**
 * The closed set of reasons; the first that applies is given. A stale index leaves the others unknown. The last two are
 * those of a transfer that was tried at the chain's node: it reverts, or the node did not tell.
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

/** What the index says of a token, and whether it may be believed, from one statement. */
export interface GuardFacts {
  readonly fresh: boolean;
  /** Null for a token that no transfer has told of. */
  readonly standard: Standard | null;
  readonly burned: boolean;
  readonly lockCount: number;
  /** When trade of the collection opens; null once it is open. */
  readonly opensAt: Date | null;
  /** The wallet in question may act for an owner; true where none is named. */
  readonly entitled: boolean;
}

/** Null when it is allowed. */
export function refusalFor(facts: GuardFacts): Refusal | null {
  if (!facts.fresh) return "index_stale";
  if (facts.standard === null) return "unknown_token";
  if (facts.burned) return "burned";
  if (isLocked(facts.lockCount)) return "locked";
  if (facts.opensAt !== null) return "not_open_yet";
  return facts.entitled ? null : "not_owner";
}
