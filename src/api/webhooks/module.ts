/** Webhooks: registered by apps, fed from the event log, delivered in order per token. */

import type { Registry } from "prom-client";
import type { Secrets } from "../access/keys/encryption.ts";
import type { AccessService } from "../access/keys/service.ts";
import { createCipher } from "../access/rules.ts";
import type { Database } from "../db/database.ts";
import type { GuardedPost } from "../fetch/guarded-post.ts";
import { startPassLoop } from "../jobs/pass-loop.ts";
import type { Logger } from "../logging/logger.ts";
import { createFanOut } from "./fan-out.ts";
import { createWebhookMetrics } from "./metrics.ts";
import { startParking } from "./parking.ts";
import { createWebhookSecrets, type WebhookSecrets } from "./secrets.ts";
import { createSender } from "./sender.ts";
import { createWebhookService, type WebhookService } from "./service.ts";
import { startDeliveryWorker } from "./worker.ts";

// A lost notification costs no more than this.
const POLL_MS = 1_000;
// Events come in bursts.
const GATHER_MS = 50;

export { WEBHOOK_CHANNEL } from "./delivery-queue.ts";
export { forgetOldDeliveries } from "./delivery-store.ts";
export { readPosition } from "./fan-out.ts";
export { endLongDeliveryClaims, endLongDeliveryWaits } from "./long-waits.ts";
export { webhookLimit, webhookRoutes } from "./routes.ts";

export interface WebhookModule {
  readonly webhooks: WebhookService;
  readonly webhookSecrets: WebhookSecrets;
}

export function createWebhookModule(deps: {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly allowedPrivateHosts: ReadonlySet<string>;
  readonly access: Pick<AccessService, "audit" | "wasAudited">;
}): WebhookModule {
  const webhookSecrets = createWebhookSecrets(createCipher(deps.secrets, "webhook-secret"));
  return { webhookSecrets, webhooks: createWebhookService({ ...deps, secrets: webhookSecrets }) };
}

export interface WebhookWork {
  /** There may be new events. */
  wakeForEvents(): void;
  /** Deliveries may be due. */
  wake(): void;
  stop(): Promise<void>;
}

/** Feeds webhooks from the event log, and delivers what is due unless `isOn` is false, until it is stopped. */
export function startWebhooks(
  deps: WebhookModule & {
    readonly database: Database;
    readonly mediaBaseUrl: string;
    readonly post: GuardedPost;
    readonly pausesMs: readonly number[];
    readonly isOn: boolean;
    readonly metrics: Registry;
    readonly logger: Logger;
  },
): WebhookWork {
  const { database, webhooks, webhookSecrets, post, metrics, logger } = deps;
  webhooks.reencrypt().then(
    (count) => count > 0 && logger.info({ msg: "Webhook secrets are encrypted with VITRINE_SECRET", count }),
    (error: Error) => logger.warn({ msg: "Could not re-encrypt webhook secrets", reason: error.message }),
  );
  const worker = startDeliveryWorker({
    ...deps,
    send: createSender({ post, secrets: webhookSecrets }),
    metrics: createWebhookMetrics(metrics, database),
  });
  const fanOut = createFanOut(deps);
  const feeding = startPassLoop({
    task: "fan out events to webhooks",
    pollMs: POLL_MS,
    restMs: GATHER_MS,
    logger,
    async pass(signal) {
      while (!signal.aborted && (await fanOut())) {}
    },
  });
  const parking = startParking(deps);
  return {
    wakeForEvents: () => feeding.wake(),
    wake: () => worker.wake(),
    async stop() {
      await Promise.all([feeding.stop(), worker.stop(), parking.stop()]);
    },
  };
}
