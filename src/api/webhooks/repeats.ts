/** Requests of the console's forms that are sent again, by a second click or a reload. */

import type { AccessService } from "../access/keys/service.ts";
import type { Queryable } from "../db/database.ts";
import { idOfCreated } from "../http/form-token.ts";
import { OVERLAP_SECONDS, rotationOf } from "./rotation.ts";
import {
  readNewSecret,
  readRotatedSecret,
  readWebhooks,
  type WebhookRow,
  type WebhookSettings,
} from "./webhook-store.ts";

/** How long the secret that a form has made is shown to whoever sends that form again. */
const SHOWN_AGAIN_SECONDS = 60;

/** What a form did when it was sent before. */
export interface Repeat {
  /** The secret that it made, as it is stored; undefined unless that was just now. */
  readonly encrypted: Buffer | undefined;
}

/** Undefined if the webhook's last rotation is the one that the caller had `seen`: this one is not made yet. */
export async function findRotated(
  tx: Queryable,
  webhook: WebhookRow,
  seen: string,
): Promise<Repeat | undefined> {
  if (rotationOf(webhook) === seen) return undefined;
  const window = { overlap: OVERLAP_SECONDS, within: SHOWN_AGAIN_SECONDS };
  return { encrypted: await readRotatedSecret(tx, webhook.id, window) };
}

/** The id that a form's webhook has, or gets now, and what the form did if it was sent before. */
export async function findCreated(
  tx: Queryable,
  { wasAudited }: Pick<AccessService, "wasAudited">,
  { appId, settings, token }: { appId: string; settings: WebhookSettings; token: string },
): Promise<{ readonly id: string; readonly repeat?: Repeat }> {
  const { url, description, eventTypes, collections } = settings;
  for (let deleted = 0; ; deleted++) {
    const id = idOfCreated(token, "webhook", appId, url, description, eventTypes, collections, deleted);
    const [row] = await readWebhooks(tx, appId, id);
    if (row) return { id, repeat: { encrypted: await readNewSecret(tx, id, SHOWN_AGAIN_SECONDS) } };
    // Deliveries of a webhook that was deleted must not become those of another.
    if (!(await wasAudited(tx, "webhooks.create", id))) return { id };
  }
}
