/** Follows a refresh to its end, over restarts of the service. */

import { setTimeout as sleep } from "node:timers/promises";
import { AdminError } from "../admin-client.ts";

export interface Counts {
  readonly waiting: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly not_found: number;
}

/** As GET /admin/refreshes/{refresh_id} answers. */
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

const LOOK_MS = 500;
// A service that restarts is back by then.
const AWAY_MS = 60_000;
const BAR_CELLS = 24;

/** The last progress once all has ended; undefined when the signal comes first. Throws when the service stays away. */
export async function followRefresh(deps: {
  readonly read: () => Promise<Progress>;
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
  readonly lookMs?: number;
  readonly awayMs?: number;
}): Promise<Progress | undefined> {
  const { read, onText, signal, lookMs = LOOK_MS, awayMs = AWAY_MS } = deps;
  let answeredAt = Date.now();
  while (!signal.aborted) {
    try {
      const progress = await read();
      answeredAt = Date.now();
      if (progress.done) return progress;
      onText(describe(progress));
    } catch (error) {
      const isRefusal = error instanceof AdminError && error.status < 500;
      if (isRefusal || Date.now() - answeredAt > awayMs) throw error;
      onText(`${(error as Error).message} Trying again`);
    }
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** One line: a bar where the total is known, and the counts that it stands for. */
export function describe({ tokens, sweep }: Progress): string {
  const ended = tokens.updated + tokens.unchanged + tokens.failed + tokens.not_found;
  // Tokens may be minted while a collection is swept.
  const total = Math.max(sweep?.known ?? 0, ended + tokens.waiting);
  const isCounted = sweep?.counted !== false;
  if (total === 0 && !isCounted) return "waiting for its turn";
  const share = total === 0 ? 0 : ended / total;
  const cells = Math.floor(share * BAR_CELLS);
  const bar = isCounted
    ? `[${"#".repeat(cells)}${".".repeat(BAR_CELLS - cells)}] ${Math.floor(share * 100)}% `
    : "";
  const faults = tokens.failed + tokens.not_found;
  return [
    `${bar}${ended} of ${total}${isCounted ? "" : " or more"}`,
    ...(faults > 0 ? [`${faults} failed or not found`] : []),
    ...(sweep ? [`${sweep.asked} asked for, ${tokens.waiting} waiting`] : [`${tokens.waiting} waiting`]),
  ].join(", ");
}
