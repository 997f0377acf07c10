/** Bounds the open connections of a process: they take memory, and the database and fetches need file descriptors too. */

import { readFileSync } from "node:fs";
import type { Connection, EndReason } from "./unread.ts";

const RESERVED = 1_024;
// An open connection takes about 16 kB.
const CONNECTIONS_MAX = 16_384;
const ENDED_SHARE = 1 / 16;

/**
 * How many connections a process may have open: 16,384, or as many as files, but for 1,024 or, below 2,048, half of them.
 * Linux says how many files those are; elsewhere it is 16,384.
 */
export function connectionsMax(limitsFile = "/proc/self/limits"): number {
  let text: string;
  try {
    text = readFileSync(limitsFile, "utf8");
  } catch {
    return CONNECTIONS_MAX;
  }
  const files = Number(/^Max open files\s+(\d+)/m.exec(text)?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.min(CONNECTIONS_MAX, Math.max(files - RESERVED, Math.floor(files / 2)));
}

/**
 * If more than `max` connections are open, calls `end` for a sixteenth of `max`, so that this is not done anew for each one
 * that comes. Every client keeps as many as any other, as far as it has them: those with an answer under way before idle
 * ones, and of the idle ones those that were opened last. `connections` must be in the order in which they were opened.
 */
export function endSurplus<Each extends Pick<Connection, "responses">>(
  connections: ReadonlyMap<unknown, Each>,
  max: number,
  {
    clientOf,
    end,
  }: {
    readonly clientOf: (connection: Each) => string;
    readonly end: (connection: Each, reason: EndReason) => void;
  },
): void {
  if (connections.size <= max) return;
  const isIdle = new Map<Each, boolean>();
  const perClient = new Map<string, Each[]>();
  for (const connection of connections.values()) {
    isIdle.set(
      connection,
      connection.responses.every((each) => each.writableFinished || each.destroyed),
    );
    const client = clientOf(connection);
    const its = perClient.get(client);
    if (its) its.push(connection);
    else perClient.set(client, [connection]);
  }
  const ranked = [...perClient.values()].flatMap((its) => {
    const busy = its.filter((each) => !isIdle.get(each));
    const idle = its.filter((each) => isIdle.get(each)).reverse();
    return [...busy, ...idle].map((connection, rank) => ({ connection, rank, isBusy: rank < busy.length }));
  });
  ranked.sort((a, b) => b.rank - a.rank || Number(a.isBusy) - Number(b.isBusy));
  const surplus = connections.size - max + Math.floor(max * ENDED_SHARE);
  for (const { connection } of ranked.slice(0, surplus)) end(connection, "too_many");
}
