/** Signs and posts one delivery (Standard Webhooks), and says what its answer means. */

import { Webhook } from "standardwebhooks";
import { explainFailure } from "../fetch/explain-failure.ts";
import type { GuardedPost } from "../fetch/guarded-post.ts";
import { storableExcerpt } from "../text/storable.ts";
import type { Attempt, DeliveryLease } from "./delivery-queue.ts";
import type { WebhookSecrets } from "./secrets.ts";

/** How long a receiver has to answer. */
export const ANSWER_TIMEOUT_MS = 15_000;
const BODY_CHARACTERS = 256;
const BODY_BYTES = 1_024;

export interface Sent extends Attempt {
  /** The receiver wants nothing more (410 Gone). */
  readonly isGone: boolean;
  /** Milliseconds that the receiver asked to wait; 0 if it didn't. */
  readonly retryAfterMs: number;
}

/** The three headers that the specification adds. `secrets` sign, the current one first. */
export function signedHeaders(
  messageId: string,
  at: Date,
  body: string,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const seconds = Math.floor(at.getTime() / 1_000);
  const signed = new Date(seconds * 1_000);
  return {
    "webhook-id": messageId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(messageId, signed, body)).join(" "),
  };
}

/** Sends a delivery once. Never rejects. */
export type Sender = (lease: DeliveryLease, signal: AbortSignal) => Promise<Sent>;

export function createSender(deps: {
  readonly post: GuardedPost;
  readonly secrets: WebhookSecrets;
  readonly timeoutMs?: number;
}): Sender {
  const { post, secrets, timeoutMs = ANSWER_TIMEOUT_MS } = deps;

  return async (lease, signal) => {
    const { webhookId, secret, oldSecret, messageId, url, body } = lease;
    const current = secrets.open(webhookId, secret);
    // Receivers may know it alone: a signature by the previous one would hide that it is lost until that one ends.
    if (current === undefined)
      return failure("the secret can't be read with VITRINE_SECRET; rotate it", performance.now());
    const previous = oldSecret ? secrets.open(webhookId, oldSecret) : undefined;
    const signing = previous === undefined ? [current] : [current, previous];
    const startedAt = performance.now();
    const answer = await post(url, {
      body,
      headers: {
        "content-type": "application/json",
        ...signedHeaders(messageId, new Date(), body, signing),
      },
      timeoutMs,
      bytesMax: BODY_BYTES,
      signal,
    });
    if (answer.kind === "failed") return failure(explainFailure(answer), startedAt);
    const { status } = answer;
    const isDelivered = status >= 200 && status < 300;
    return {
      isDelivered,
      isGone: status === 410,
      retryAfterMs: answer.retryAfterMs ?? 0,
      responseStatus: status,
      responseBody: storableExcerpt(answer.text.slice(0, BODY_CHARACTERS)),
      error: isDelivered ? null : explain(status),
      durationMs: Math.round(performance.now() - startedAt),
    };
  };
}

function explain(status: number): string {
  if (status === 410) return "gone: the receiver answered 410 and wants nothing more";
  if (status >= 300 && status < 400)
    return `redirect: the receiver answered ${status}; redirects are not followed`;
  return `http_status: the receiver answered ${status}`;
}

const failure = (error: string, startedAt: number): Sent => ({
  isDelivered: false,
  isGone: false,
  retryAfterMs: 0,
  responseStatus: null,
  responseBody: null,
  error,
  durationMs: Math.round(performance.now() - startedAt),
});
