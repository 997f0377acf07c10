/** Answers that nobody waits for any more: their askers have been answered that it took too long. */

/** Whether somebody still waits for an answer. */
export type IsAwaited = () => boolean;

export const alwaysAwaited: IsAwaited = () => true;

/** Ends the work on an answer that nobody waits for. */
export class Abandoned extends Error {}

/** Throws `Abandoned` if nobody waits for the answer. */
export function requireAwaited(isAwaited: IsAwaited): void {
  if (!isAwaited()) throw new Abandoned("nobody waits for the answer any more");
}
