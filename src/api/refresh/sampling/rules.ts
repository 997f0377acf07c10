/** When a change that no event told of makes a sweep. Pure; the limits are part of docs/refresh.md. */

/** URIs that are read together in one round. */
export const URIS_MAX = 100;
/** Documents that are asked for first, and as many more where one of them has changed: 20 at most in a round. */
export const DOCUMENTS_FIRST = 4;
export const DOCUMENTS_FURTHER = 16;
export const DOCUMENTS_MAX = DOCUMENTS_FIRST + DOCUMENTS_FURTHER;
// Above this share of the further ones, the collection as a whole is likely to have changed.
const CHANGED_SHARE = 1 / 10;
// A contract whose URIs change all the time would be swept in every round.
const IN_A_ROW_MAX = 2;

/** At most `count` entries, evenly spread, and others in each turn: after a few turns each one was among them. */
export function spread<Entry>(entries: readonly Entry[], count: number, turn: number): readonly Entry[] {
  const step = Math.max(1, Math.ceil(entries.length / count));
  return entries.filter((_, place) => place % step === turn % step);
}

/** Whether changed URIs are swept for: at once, and once a day after two rounds in a row have found some. */
export const isUriSweepDue = (changedInARow: number, isDayOver: boolean): boolean =>
  changedInARow < IN_A_ROW_MAX || isDayOver;

/** What a round has found out so far about documents whose URIs stayed the same. */
export interface DocumentFindings {
  /** How many were asked for in this step, and of how many more the round may still ask. */
  readonly further: number | null;
  /** How many of them could be read, and how many were other documents than before. */
  readonly read: number;
  readonly changed: number;
  /** Whether the last sweep for this reason is long enough ago. */
  readonly isSweepDue: boolean;
}

/** `postpone`: nothing could be read, so nothing is known. */
export type NextStep = "end" | "further" | "sweep" | "postpone";

/**
 * `further` is how many more may be asked for after the first ones, and null once they have been. Documents that change at
 * every read are swept for once a day, and between two sweeps no more than the first ones are asked for.
 */
export function nextStep({ further, read, changed, isSweepDue }: DocumentFindings): NextStep {
  if (further !== null && read === 0) return "postpone";
  if (changed === 0 || !isSweepDue) return "end";
  if (further !== null) return further > 0 ? "further" : "end";
  return changed > read * CHANGED_SHARE ? "sweep" : "end";
}
