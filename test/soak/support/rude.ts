/** Clients that disconnect in the middle of an answer, never read one, or never finish a request. */

import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { open } from "../../support/http/raw-http.ts";
import type { Random } from "../../support/random.ts";
import { addressOf } from "./client.ts";
import type { Subject } from "./rest.ts";
import type { Kind, Outcome } from "./traffic.ts";

// Longer than the service waits for a client that reads nothing (docs/access.md "Connections").
const UNREAD_MS = 60_000;
// Together far more than the buffers of both sides can take.
const UNREAD_ANSWERS = 100;
const SLOW_MS = 4_000;
const GONE: Outcome = { label: "gone" };

export function rudeKinds({ client, key, address, ids }: Subject): Kind[] {
  const head = (random: Random, line: string, more = ""): string =>
    `${line} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nX-Forwarded-For: ${addressOf(random)}\r\n${more}\r\n`;
  const big = `GET /market/collections/${address}/tokens?limit=100`;

  /** Opens a connection for `act`, and closes it whatever the result. */
  const cut = async (act: (socket: Socket) => Promise<unknown>): Promise<Outcome> => {
    const socket = await open(client.port);
    try {
      await act(socket);
    } finally {
      socket.destroy();
    }
    return GONE;
  };

  return [
    {
      name: "gone in the middle of an answer",
      perSecond: 0.5,
      send: (random) =>
        cut(async (socket) => {
          socket.write(
            head(random, random.pick([big, "GET /openapi.json", `GET /collections/31337/${address}`])),
          );
          socket.resume();
          // Waits for the first bytes, or for the end of a refused connection.
          await Promise.race([once(socket, "data"), once(socket, "close"), sleep(SLOW_MS)]);
        }),
    },
    {
      name: "gone before the answer",
      perSecond: 0.5,
      send: (random) =>
        cut(async (socket) => {
          const body = JSON.stringify({ token_ids: [String(random.pick(ids()))] });
          const path = `POST /market-partner/collections/${address}/refresh_metadata?wait=10`;
          const more = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
          socket.write(random.chance(0.5) ? head(random, big) : head(random, path, more) + body);
          await sleep(random.whole(0, 500));
        }),
    },
    {
      name: "never reads the answers",
      perSecond: 0.05,
      send: (random) =>
        cut(async (socket) => {
          socket.write(head(random, "GET /openapi.json").repeat(UNREAD_ANSWERS));
          // Paused sockets don't notice their end.
          await sleep(UNREAD_MS);
        }),
    },
    {
      name: "never reads the event stream",
      perSecond: 0.02,
      send: (random) =>
        cut(async (socket) => {
          socket.write(head(random, "GET /market/events", "Last-Event-ID: 0\r\n"));
          await sleep(UNREAD_MS);
        }),
    },
    {
      name: "never ends its request",
      perSecond: 0.2,
      send: (random) =>
        cut(async (socket) => {
          const more = "Content-Type: application/json\r\nContent-Length: 1000\r\n";
          socket.write(`${head(random, "POST /graphql", more)}{"query":`);
          await sleep(SLOW_MS);
        }),
    },
  ];
}
