/** Bounds the open connections of a process: they take memory, and the database and fetches need file descriptors too. */

import { readFileSync } from "node:fs";
import type { Connection, EndReason } from "./unread.ts";

const RESERVED = 1_024;
// An open connection takes about 16 kB.
const CONNECTIONS_MAX = 16_384;
// Of one client's connections, so that a flood is not counted anew for each of its connections.
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
 * If more than `max` connections are open, calls `end` for a part of those of the client that has the most: idle ones
 * first, those before others that were opened earlier. `connections` must be in that order.
 */
export function endSurplus(
  connections: ReadonlyMap<unknown, Connection>,
  max: number,
  {
    clientOf,
    end,
  }: {
    readonly clientOf: (connection: Connection) => string;
    readonly end: (connection: Connection, reason: EndReason) => void;
  },
): void {
  if (connections.size <= max) return;
  const perClient = new Map<string, Connection[]>();
  let most: Connection[] = [];
  for (const connection of connections.values()) {
    const client = clientOf(connection);
    const its = perClient.get(client) ?? [];
    its.push(connection);
    perClient.set(client, its);
    if (its.length > most.length) most = its;
  }
  const ordered = [...most.filter(isIdle), ...most.filter((each) => !isIdle(each))];
  for (const connection of ordered.slice(0, Math.ceil(most.length * ENDED_SHARE)))
    end(connection, "too_many");
}

const isIdle = ({ responses }: Connection): boolean =>
  responses.every((each) => each.writableFinished || each.destroyed);
