/** When a change without an event starts a sweep. Pure; the limits are part of docs/refresh.md. */

/** The number of URIs that one round reads together. */
export const URIS_MAX = 100;
/** How many documents a round requests first, and how many more if one of them has changed: at most 20. */
export const DOCUMENTS_FIRST = 4;
export const DOCUMENTS_FURTHER = 16;
export const DOCUMENTS_MAX = DOCUMENTS_FIRST + DOCUMENTS_FURTHER;
// Above this share of changed documents among the further ones, the whole collection has likely changed.
const CHANGED_SHARE = 1 / 10;
// A contract whose URIs change all the time would be swept in every round.
const IN_A_ROW_MAX = 2;

/** At most `count` entries, evenly spread, with different ones in each turn: after a few turns each has been chosen. */
export function spread<Entry>(entries: readonly Entry[], count: number, turn: number): readonly Entry[] {
  const step = Math.max(1, Math.ceil(entries.length / count));
  return entries.filter((_, place) => place % step === turn % step);
}

/**
 * Whether changed URIs start a sweep: immediately, and at most once a day after two rounds in a row have found some.
 */
export const isUriSweepDue = (changedInARow: number, isDayOver: boolean): boolean =>
  changedInARow < IN_A_ROW_MAX || isDayOver;

/** The results of a round so far for documents whose URIs stayed the same. */
export interface DocumentFindings {
  /** How many were requested in this step, and how many more the round may request. */
  readonly further: number | null;
  /** How many of them could be read, and how many differed from before. */
  readonly read: number;
  readonly changed: number;
  /** Whether the last sweep for this reason is long enough ago. */
  readonly isSweepDue: boolean;
}

/** `postpone`: nothing could be read, so nothing is known. */
export type NextStep = "end" | "further" | "sweep" | "postpone";

/**
 * `further` is how many more may be requested after the first ones, and null once they have been. Documents that change
 * at every read start a sweep once a day, and between two sweeps only the first ones are requested.
 */
export function nextStep({ further, read, changed, isSweepDue }: DocumentFindings): NextStep {
  if (further !== null && read === 0) return "postpone";
  if (changed === 0 || !isSweepDue) return "end";
  if (further !== null) return further > 0 ? "further" : "end";
  return changed > read * CHANGED_SHARE ? "sweep" : "end";
}
