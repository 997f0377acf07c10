/** What may be wrong with a webhook's body beside its schema: all of it is refused at once. */

import type { Collections } from "../catalog/collections.ts";
import { checkAll, createBodyCheck } from "../http/all-problems.ts";
import type { NamedCollection } from "../http/fields.ts";
import { lenientWebhookBody } from "./schemas.ts";
import type { WebhookService } from "./service.ts";

interface SentWebhook {
  readonly url?: string | undefined;
  readonly collections?: readonly (NamedCollection | undefined)[] | undefined;
}

/** Checks the body of a new webhook, or of a change. */
export const createWebhookCheck = ({
  webhooks,
  collections,
}: {
  readonly webhooks: Pick<WebhookService, "checkUrl">;
  readonly collections: Pick<Collections, "findRefs">;
}) =>
  createBodyCheck<SentWebhook>(lenientWebhookBody, ({ url, collections: named = [] }) =>
    checkAll([() => url !== undefined && webhooks.checkUrl(url), () => collections.findRefs(named)]),
  );
