/** Rotations of a webhook's secret. */

import type { WebhookRow } from "./webhook-store.ts";

/** How long the secret before a rotation signs too. */
export const OVERLAP_SECONDS = 86_400;

/** Identifies the last rotation of a webhook; empty if there was none. */
export const rotationOf = ({ rotationEndsAt }: Pick<WebhookRow, "rotationEndsAt">): string =>
  rotationEndsAt?.toISOString() ?? "";
