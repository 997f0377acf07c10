/** Rotations of a webhook's secret. */

import type { WebhookRow } from "./webhook-store.ts";

/** Identifies the last rotation of a webhook; empty if only one secret signs. */
export const rotationOf = ({ oldSecretUntil }: Pick<WebhookRow, "oldSecretUntil">): string =>
  oldSecretUntil?.toISOString() ?? "";
