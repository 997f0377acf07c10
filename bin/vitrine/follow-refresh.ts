/** A refresh's progress on the terminal. */

import type { Answer } from "./answers.ts";
import { bar, follow } from "./follow.ts";

export type Progress = Answer<"getRefreshProgress">;

/** `follow`, for a refresh. */
export const followRefresh = (
  deps: Omit<Parameters<typeof follow<Progress>>[0], "isDone" | "describe">,
): Promise<Progress | undefined> =>
  follow({ ...deps, isDone: ({ done }) => done, describe: describeRefresh });

/** One line: a bar if the total is known, and the counts. */
export function describeRefresh({ tokens, sweep }: Progress): string {
  const ended = tokens.updated + tokens.unchanged + tokens.failed + tokens.not_found;
  // Tokens may be minted during a sweep of the collection.
  const total = Math.max(sweep?.known ?? 0, ended + tokens.waiting);
  const isCounted = sweep?.counted !== false;
  if (total === 0 && !isCounted) return "waiting to start";
  const faults = tokens.failed + tokens.not_found;
  return [
    isCounted ? `${bar(ended, total)} ${ended} of ${total}` : `${ended} of ${total} or more`,
    ...(faults > 0 ? [`${faults} failed or not found`] : []),
    ...(sweep ? [`${sweep.asked} asked for, ${tokens.waiting} waiting`] : [`${tokens.waiting} waiting`]),
  ].join(", ");
}
