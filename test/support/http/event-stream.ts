/** The event stream over a real HTTP server, written by hand. */

import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
// The server with which Ponder serves the application.
import { serve } from "@hono/node-server";
import { afterAll, onTestFinished } from "vitest";
import { createEventHub, type EventHub } from "../../../src/api/events/hub.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import type { TestDatabase } from "../database/database.ts";
import { createTestApp } from "../processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../refresh/refresh.ts";
import { type EventReader, readEvents } from "./event-reader.ts";

export const ids = (events: readonly { readonly id: number }[]): number[] => events.map(({ id }) => id);
export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Ends with the file's tests. */
export async function createEventStream(test: TestDatabase) {
  const { database } = test;
  const hub = createEventHub({ database, mediaBaseUrl: "", logger: silentLogger });
  const api = createTestApp(test, { hub });
  const key = await api.createKey();
  const server = serve({ fetch: api.app.fetch, port: 0 }) as Server;
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  afterAll(async () => {
    await hub.stop();
    server.close();
  });

  return {
    api,
    hub,
    key,
    port,

    /** A reader, with a key unless the headers have another; closed at the end of its test. */
    async read(query = "", headers: Record<string, string> = { "x-api-key": key }): Promise<EventReader> {
      const reader = await readEvents(`http://127.0.0.1:${port}/market/events${query}`, headers);
      onTestFinished(() => reader.close());
      return reader;
    },

    /** Appends events like the writer, ids and rows in one transaction, and wakes the readers. */
    async append(
      count: number,
      { collection = COLLECTION, chainId = CHAIN_ID, type = "lock", wakes = hub as EventHub } = {},
    ): Promise<void> {
      await database.query(
        `with taken as (update vitrine.event_counter set last = last + $1 returning last - $1 as before)
         insert into vitrine.event (id, type, subject, chain_id, collection, token_id, source, lock_count)
         select before + n, $4, $4, $2, $3, n, repeat('0', 75), 1 from taken, generate_series(1, $1::int) n`,
        [count, chainId, collection, type],
      );
      wakes.wake();
    },
  };
}
