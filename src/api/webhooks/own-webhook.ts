/** A webhook as its app sees it. */

import type { Queryable } from "../db/database.ts";
import { ApiError } from "../http/errors.ts";
import { readWebhooks, type WebhookRow } from "./webhook-store.ts";

/** Throws NOT_FOUND if there is no such webhook, or if it is another app's. */
export async function findOwnWebhook(db: Queryable, appId: string, id: string): Promise<WebhookRow> {
  const [row] = await readWebhooks(db, appId, id);
  if (row) return row;
  throw new ApiError("NOT_FOUND", [{ path: "webhook_id", message: "is not a webhook of this app" }]);
}
