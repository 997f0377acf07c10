/** The webhooks of a test application, with the background work of as many processes as a test needs. */

import { Registry } from "prom-client";
import { onTestFinished } from "vitest";
import { createPosting } from "../../../src/api/fetch/fetching.ts";
import { type Logger, silentLogger } from "../../../src/api/logging/logger.ts";
import { startWebhooks, type WebhookWork } from "../../../src/api/webhooks/module.ts";
import type { TestDatabase } from "../database/database.ts";
import { BASE_URL, createTestApp } from "../processes/app.ts";
import { type Receiver, startReceiver } from "../servers/webhook-receiver.ts";
import { CHAIN_ID, COLLECTION } from "./refresh.ts";

const WAKE_MS = 100;

export interface AppendedEvent {
  readonly token: string | null;
  readonly type?: string;
  readonly collection?: string;
  readonly chainId?: number;
}

export const MEDIA_BASE_URL = "https://cdn.example/v";

export async function createWebhookTest(test: TestDatabase) {
  const { database } = test;
  const privateHosts = new Set<string>();
  const api = createTestApp(test, {}, privateHosts);
  const key = await api.createKey();

  return {
    api,
    key,
    privateHosts,

    /** A receiver that may be private; closed at the end of its test. */
    async receiver(): Promise<Receiver> {
      const receiver = await startReceiver();
      privateHosts.add(receiver.host);
      onTestFinished(() => receiver.close());
      return receiver;
    },

    /** One process's work; stopped at the end of its test. */
    work(
      pausesMs: readonly number[] = [10, 10, 10, 10, 10, 10],
      logger: Logger = silentLogger,
    ): WebhookWork & { metrics: Registry } {
      const metrics = new Registry();
      const work = startWebhooks({
        ...api,
        database,
        mediaBaseUrl: MEDIA_BASE_URL,
        post: createPosting({
          baseUrl: BASE_URL,
          operatorContact: undefined,
          ipfsGateways: [],
          ipfsUnverified: "allow",
          extraSchemes: new Set(),
          allowedPrivateHosts: privateHosts,
        }),
        pausesMs,
        isOn: true,
        metrics,
        logger,
      });
      // In place of the database's notifications.
      const waking = setInterval(() => {
        work.wakeForEvents();
        work.wake();
      }, WAKE_MS);
      onTestFinished(() => {
        clearInterval(waking);
        return work.stop();
      });
      return { ...work, metrics };
    },

    /** Registers a webhook at a path of the receiver, which learns its secret. */
    async register(receiver: Receiver, path = "/hook", fields: object = {}): Promise<string> {
      const { status, body } = await api.call("/market-partner/webhooks", {
        key,
        body: { url: receiver.url + path, ...fields },
      });
      if (status !== 201) throw new Error(JSON.stringify(body));
      receiver.secrets.set(path, body.secret);
      return body.id;
    },

    /** Appends events as the writer does: ids and rows in one transaction. Returns their ids. */
    async append(events: readonly AppendedEvent[]): Promise<number[]> {
      const rows = events.map(({ token, type = "lock", collection = COLLECTION, chainId = CHAIN_ID }) => ({
        token,
        type,
        collection,
        chain: chainId,
      }));
      const added = await database.query<{ id: string }>(
        `with taken as (update vitrine.event_counter set last = last + $1 returning last - $1 as before)
         insert into vitrine.event (id, type, subject, chain_id, collection, token_id, source, lock_count)
         select before + nth, e.type, e.type, e.chain, e.collection, e.token::numeric, repeat('0', 75), 1
           from taken, rows from (json_to_recordset($2) as (token text, type text, collection text, chain bigint))
             with ordinality as e(token, type, collection, chain, nth)
         returning id`,
        [rows.length, JSON.stringify(rows)],
      );
      return added.map(({ id }) => Number(id)).sort((a, b) => a - b);
    },

    deliveries: async (id: string, query = "") =>
      (await api.call(`/market-partner/webhooks/${id}/deliveries${query}`, { key })).body.items,

    webhook: async (id: string) => (await api.call(`/market-partner/webhooks/${id}`, { key })).body,
  };
}
