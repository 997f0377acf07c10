/** The reasons to fetch a token, and their priorities. */

export type Trigger =
  | "rest"
  | "graphql"
  | "page"
  | "operator"
  | "mint"
  | "event"
  | "reorg"
  | "sweep"
  | "recheck"
  | "sample";

/** Those of fetches that a caller asked for. */
export const callerTriggers: readonly Trigger[] = ["rest", "graphql", "page", "operator"];

export const priorityLevels = [30, 20, 15, 10, 5] as const;

/** Requests by callers without a key: below events, above sweeps. */
export const ANONYMOUS_PRIORITY = 15;

/** Requests with a key outrank events, events outrank sweeps and rechecks, samples come last. */
export const priorities: Record<Trigger, (typeof priorityLevels)[number]> = {
  operator: 30,
  rest: 30,
  graphql: 30,
  page: 30,
  event: 20,
  reorg: 20,
  mint: 20,
  sweep: 10,
  recheck: 10,
  sample: 5,
};
