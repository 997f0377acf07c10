/** A refresh's progress on the terminal. */

import { bar, follow } from "./follow.ts";

export interface Counts {
  readonly waiting: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly not_found: number;
}

/** The response of GET /admin/refreshes/{refresh_id}. */
export interface Progress {
  readonly refresh_id: string;
  readonly collection: string;
  readonly done: boolean;
  readonly tokens: Counts;
  readonly failures: readonly {
    readonly code: string;
    readonly tokens: number;
    readonly example: { readonly token_id: string; readonly reason: string };
  }[];
  readonly sweep: {
    readonly asked: number;
    readonly known: number;
    readonly counted: boolean;
  } | null;
}

/** `follow`, for a refresh. */
export const followRefresh = (
  deps: Omit<Parameters<typeof follow<Progress>>[0], "isDone" | "describe">,
): Promise<Progress | undefined> => follow({ ...deps, isDone: ({ done }) => done, describe });

/** One line: a bar if the total is known, and the counts. */
export function describe({ tokens, sweep }: Progress): string {
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
