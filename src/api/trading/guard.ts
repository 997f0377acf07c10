/** The Guard: whether a token may be listed, transferred or traded now. It fails closed (design: "Guard"). */

import { isLocked } from "../../domain/lock-count.ts";

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

/** Null when it is allowed. */
export function refusalFor({ fresh, standard, burned, lockCount, entitled }: GuardFacts): Refusal | null {
  if (!fresh) return "index_stale";
  if (standard === null) return "unknown_token";
  if (burned) return "burned";
  if (isLocked(lockCount)) return "locked";
  return entitled ? null : "not_owner";
}
