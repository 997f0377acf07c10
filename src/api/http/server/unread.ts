/** Ends connections whose clients don't read what they asked for: written bytes stay in memory until they are read. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface UnreadLimits {
  /** Written and unread bytes of one client address, over all its connections. */
  readonly clientBytes: number;
  /** The same of the whole process. */
  readonly processBytes: number;
  /** How long a client may take nothing, or too little, of what was written for it. */
  readonly stalledMs: number;
  /** What it must take within `stalledMs`, if so much is waiting. */
  readonly progressBytes: number;
}

const MEBIBYTE = 1024 * 1024;

// A page of a hundred tokens is below 1 MiB, a GraphQL answer at most 8; 64 MiB is an address that reads several of
// them at once. A reader of the event stream has 30 s, told of its end by the stream itself, so this must be longer.
export const unreadLimits: UnreadLimits = {
  clientBytes: 64 * MEBIBYTE,
  processBytes: 256 * MEBIBYTE,
  stalledMs: 45_000,
  progressBytes: 256 * 1024,
};

/** Why a connection was ended. */
export type EndReason = "stalled" | "client_unread" | "process_unread" | "slow_body";

export interface Connection {
  readonly socket: Socket;
  /** The newest request that came on it. */
  request: IncomingMessage | undefined;
  requestedAt: number;
  /** Responses that were not over when the newest request came, and the newest. */
  responses: ServerResponse[];
  /** Since when bytes have been waiting, and what the client had taken by then. */
  waiting: { readonly since: number; readonly taken: number; readonly bytes: number } | undefined;
}

// Of libuv's stream: a single large write is one write to Node, which tells nothing of it until all of it is taken.
interface Handle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/** What the other side's kernel has taken; it only grows. */
function takenBytes(socket: Socket): number {
  const handle = (socket as { _handle?: Handle | null })._handle;
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

/** What is written for a connection and not taken yet, that of answers which wait behind another included. */
export function unreadBytes({ socket, responses }: Connection): number {
  if (socket.destroyed) return 0;
  let bytes = Math.max((socket.bytesWritten ?? 0) - takenBytes(socket), 0);
  for (const response of responses) if (response.socket === null) bytes += response.writableLength;
  return bytes;
}

/**
 * Ends, by `end`, each connection that has stalled, and the fullest ones of a client address or of the process that has
 * too many unread bytes, until it has not. `clientOf` names the client of a connection.
 */
export function endUnread(
  connections: Iterable<Connection>,
  limits: UnreadLimits,
  {
    clientOf,
    end,
    now,
  }: {
    readonly clientOf: (connection: Connection) => string;
    readonly end: (connection: Connection, reason: EndReason) => void;
    readonly now: number;
  },
): void {
  const full: { connection: Connection; bytes: number; client: string }[] = [];
  for (const connection of connections) {
    const bytes = unreadBytes(connection);
    if (isStalled(connection, bytes, limits, now)) end(connection, "stalled");
    else if (bytes > 0) full.push({ connection, bytes, client: "" });
  }
  full.sort((a, b) => a.bytes - b.bytes);
  let all = full.reduce((sum, { bytes }) => sum + bytes, 0);
  // Nobody has more than all have together.
  if (all <= limits.clientBytes && all <= limits.processBytes) return;

  const perClient = new Map<string, number>();
  for (const each of full) {
    each.client = clientOf(each.connection);
    perClient.set(each.client, (perClient.get(each.client) ?? 0) + each.bytes);
  }
  for (const reason of ["client_unread", "process_unread"] as const) {
    for (const each of full.slice().reverse()) {
      const its = perClient.get(each.client) ?? 0;
      const isOver = reason === "client_unread" ? its > limits.clientBytes : all > limits.processBytes;
      if (!isOver || each.connection.socket.destroyed) continue;
      end(each.connection, reason);
      perClient.set(each.client, its - each.bytes);
      all -= each.bytes;
    }
  }
}

function isStalled(
  connection: Connection,
  bytes: number,
  { stalledMs, progressBytes }: UnreadLimits,
  now: number,
): boolean {
  if (bytes === 0) {
    connection.waiting = undefined;
    return false;
  }
  const taken = takenBytes(connection.socket);
  const { waiting } = connection;
  if (!waiting || taken - waiting.taken >= Math.min(waiting.bytes, progressBytes)) {
    connection.waiting = { since: now, taken, bytes };
    return false;
  }
  return now - waiting.since >= stalledMs;
}
