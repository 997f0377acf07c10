/** Ends connections whose clients don't read their answers: written bytes stay in memory until they are read. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Lingering } from "./linger.ts";

export interface UnreadLimits {
  /** Written and unread bytes of one client address, over all its connections. */
  readonly clientBytes: number;
  /** The same for the whole process. */
  readonly processBytes: number;
  /** How long a client may read nothing, or too little, of its answers. */
  readonly stalledMs: number;
  /** How much it must read within `stalledMs`, if so much is waiting. */
  readonly progressBytes: number;
}

const MEBIBYTE = 1024 * 1024;

// A page of a hundred tokens is below 1 MiB and a GraphQL answer at most 8 MiB; an address with 64 MiB reads several of
// them at once. A subscriber of the event stream has 30 s before the stream itself ends it, so this must be longer.
export const unreadLimits: UnreadLimits = {
  clientBytes: 64 * MEBIBYTE,
  processBytes: 256 * MEBIBYTE,
  stalledMs: 45_000,
  progressBytes: 256 * 1024,
};

/** Why a connection was ended. */
export type EndReason =
  | "stalled"
  | "client_unread"
  | "process_unread"
  | "slow_body"
  | "too_many"
  | "pipelined";

export interface Connection extends Lingering {
  readonly socket: Socket;
  /** Whose it is, once that was asked. */
  client: string | undefined;
  /** The newest request on the connection. */
  request: IncomingMessage | undefined;
  /** On a clock that is never set, as all times here. */
  requestedAt: number;
  /** The responses that were not finished when the newest request arrived, and its own. */
  responses: ServerResponse[];
  /** How many of its requests wait for earlier ones to be answered. */
  queued: number;
  /** Since when bytes have been waiting, and how much the client had read by then. */
  waiting: { readonly since: number; readonly taken: number; readonly bytes: number } | undefined;
}

// From libuv's stream. Node counts a single large write as one, so it reports no progress until all of it is sent.
interface Handle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/** What the other side's kernel has received; it only grows. */
function takenBytes(socket: Socket): number {
  const handle = (socket as { _handle?: Handle | null })._handle;
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

/** What was written for a connection and not received yet, including answers that wait behind another. */
function unreadBytes({ socket, responses }: Connection): number {
  if (socket.destroyed) return 0;
  let bytes = Math.max((socket.bytesWritten ?? 0) - takenBytes(socket), 0);
  for (const response of responses) if (response.socket === null) bytes += response.writableLength;
  return bytes;
}

/**
 * Calls `end` for each connection that has stalled. If a client address or the process has too many unread bytes, also
 * for its fullest connections until it has not. `clientOf` names the client of a connection.
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
  // No client can have more than the process.
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
