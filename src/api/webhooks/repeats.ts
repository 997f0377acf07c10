/** Requests of the console's forms that are sent again, by a second click or a reload, within a minute. */

import { isDeepStrictEqual } from "node:util";
import type { Queryable } from "../db/database.ts";
import { OVERLAP_SECONDS, rotationOf } from "./rotation.ts";
import type { WebhookSecrets } from "./secrets.ts";
import {
  readNewSecret,
  readRotatedSecret,
  readWebhooks,
  type WebhookRow,
  type WebhookSettings,
} from "./webhook-store.ts";

/** How long a request that has been carried out counts as the same one. */
const SAME_REQUEST_SECONDS = 60;

/** The secret of the rotation that was made just now, after the one that the caller had `seen`; undefined if none was. */
export async function findRotated(
  tx: Queryable,
  secrets: WebhookSecrets,
  webhook: WebhookRow,
  seen: string,
): Promise<string | undefined> {
  if (rotationOf(webhook) === seen) return undefined;
  const within = SAME_REQUEST_SECONDS;
  const encrypted = await readRotatedSecret(tx, webhook.id, { overlap: OVERLAP_SECONDS, within });
  return encrypted && secrets.open(webhook.id, encrypted);
}

/** The app's webhook with these settings that was created just now, after the newest that the caller had `seen`. */
export async function findCreated(
  tx: Queryable,
  secrets: WebhookSecrets,
  { appId, settings, seen }: { appId: string; settings: WebhookSettings; seen: string },
): Promise<{ readonly id: string; readonly secret: string } | undefined> {
  const rows = await readWebhooks(tx, appId);
  const isSame = ({ url, description, eventTypes, collections }: WebhookRow): boolean =>
    isDeepStrictEqual({ url, description, eventTypes, collections }, { ...settings });
  for (const { id } of rows.slice(rows.findIndex(({ id }) => id === seen) + 1).filter(isSame)) {
    const encrypted = await readNewSecret(tx, id, SAME_REQUEST_SECONDS);
    const secret = encrypted && secrets.open(id, encrypted);
    if (secret !== undefined) return { id, secret };
  }
  return undefined;
}
