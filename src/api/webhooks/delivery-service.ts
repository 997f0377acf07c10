/** What routes and the console do with a webhook's deliveries: list, test, resend, skip. */

import { randomUUID } from "node:crypto";
import type { AccessService } from "../access/keys/service.ts";
import type { Database, Queryable } from "../db/database.ts";
import { ApiError } from "../http/errors.ts";
import { notifyWorkers, skipDelivery } from "./delivery-queue.ts";
import {
  addDeliveries,
  countExtra,
  type DeliveryRow,
  findDelivery,
  hastenDelivery,
  readDeliveries,
} from "./delivery-store.ts";
import { findOwnWebhook } from "./own-webhook.ts";
import { lockWebhooksOf } from "./webhook-store.ts";

/** Tests and resends of a webhook that wait to be sent. */
const EXTRA_MAX = 100;
// Each takes as long as its receiver, at most 15 seconds.
const EXTRA_RETRY_SECONDS = 5;
const TEST_SUBJECT = "test";

/** Every method throws NOT_FOUND unless the webhook is the app's. `actor` goes to the audit log. */
export function createDeliveryService({
  database,
  access,
}: {
  readonly database: Database;
  readonly access: Pick<AccessService, "audit">;
}) {
  async function find(tx: Queryable, webhookId: string, id: string): Promise<DeliveryRow> {
    const delivery = await findDelivery(tx, webhookId, id);
    if (delivery) return delivery;
    throw new ApiError("NOT_FOUND", [
      { path: "delivery_id", message: "is not a delivery of this webhook in the last 7 days" },
    ]);
  }

  /** Adds a delivery that is attempted once. */
  async function addExtra(
    tx: Queryable,
    { id: webhookId, appId }: { readonly id: string; readonly appId: string },
    extra: { messageId: string; kind: "test" | "resend"; eventType: string; subject: string; body: string },
  ): Promise<DeliveryRow> {
    // Two at once would count the same and exceed the limit together.
    await lockWebhooksOf(tx, appId);
    if ((await countExtra(tx, webhookId, EXTRA_MAX)) >= EXTRA_MAX)
      throw new ApiError(
        "RATE_LIMITED",
        [
          {
            path: "",
            message: `${EXTRA_MAX} tests and resends of this webhook are already waiting to be sent`,
          },
        ],
        { retryAfterSeconds: EXTRA_RETRY_SECONDS },
      );
    const [row] = await addDeliveries(tx, [{ webhookId, eventId: null, ...extra }]);
    if (!row) throw new Error("a delivery was not added");
    await notifyWorkers(tx);
    return row;
  }

  return {
    /** Those of the last seven days, newest first, before the id `before`. */
    async list(
      appId: string,
      id: string,
      page: {
        readonly limit: number;
        readonly before?: string | undefined;
        readonly status?: string | undefined;
      },
    ): Promise<DeliveryRow[]> {
      await findOwnWebhook(database, appId, id);
      return readDeliveries(database, id, page);
    },

    /** Sends a message of type `test` once, also to a paused webhook. */
    test(appId: string, id: string): Promise<DeliveryRow> {
      return database.transaction(async (tx) => {
        await findOwnWebhook(tx, appId, id);
        const at = new Date().toISOString();
        return addExtra(
          tx,
          { id, appId },
          {
            messageId: `msg_${randomUUID().replaceAll("-", "")}`,
            kind: "test",
            eventType: "test",
            subject: TEST_SUBJECT,
            body: JSON.stringify({ type: "test", timestamp: at, data: { webhook_id: id, at } }),
          },
        );
      });
    },

    /**
     * Sends a delivery again, with the same `webhook-id` and body: a pending one now, in its order; any other one once
     * more, beside the order.
     */
    resend(appId: string, id: string, deliveryId: string): Promise<DeliveryRow> {
      return database.transaction(async (tx) => {
        await findOwnWebhook(tx, appId, id);
        const delivery = await find(tx, id, deliveryId);
        const hastened = await hastenDelivery(tx, deliveryId);
        if (hastened) {
          await notifyWorkers(tx);
          return hastened;
        }
        const { messageId, eventType, subject, body } = delivery;
        return addExtra(tx, { id, appId }, { messageId, kind: "resend", eventType, subject, body });
      });
    },

    /**
     * Gives up a pending delivery, so that later events of its token are sent; one that was skipped before stays so.
     * An attempt under way may still arrive. Throws INVALID_REQUEST for one that was delivered or has failed.
     */
    skip(appId: string, id: string, deliveryId: string, actor: string): Promise<DeliveryRow> {
      return database.transaction(async (tx) => {
        await findOwnWebhook(tx, appId, id);
        const isSkipped = await skipDelivery(tx, id, deliveryId);
        const delivery = await find(tx, id, deliveryId);
        if (delivery.status !== "skipped")
          throw new ApiError("INVALID_REQUEST", [
            { path: "delivery_id", message: `must be that of a pending delivery; it is ${delivery.status}` },
          ]);
        if (!isSkipped) return delivery;
        const { messageId, eventType, subject } = delivery;
        await access.audit(tx, actor, "webhooks.skip", id, { app_id: appId, messageId, eventType, subject });
        await notifyWorkers(tx);
        return delivery;
      });
    },
  };
}
