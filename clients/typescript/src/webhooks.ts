/** Webhooks: URLs of yours to which the service posts events. Verify what arrives with `standardwebhooks`. */

import type { components } from "./api.ts";
import { VitrineError } from "./errors.ts";
import { type Page, type Paged, paged, readPage } from "./pages.ts";
import { type CallOptions, readBody, type Sender } from "./request.ts";

type Schemas = components["schemas"];
export type Webhook = Schemas["Webhook"];
/** With the `secret`, which no other answer has. */
export type WebhookWithSecret = Schemas["WebhookWithSecret"];
export type WebhookDelivery = Schemas["WebhookDelivery"];

export interface WebhookSettings {
  /** https, at a public host. */
  readonly url: string;
  readonly description?: string | null;
  /** All without it, or if it is empty. */
  readonly eventTypes?: NonNullable<Schemas["NewWebhook"]["event_types"]>;
  /** Addresses or slugs, or either after its chain, as in `chainId:address`; all without it, or if it is empty. */
  readonly collections?: readonly string[];
}

export type WebhookChange = Partial<WebhookSettings> & {
  /** `active` resumes a paused webhook. */
  readonly status?: "active" | "paused";
};

export interface DeliveryOptions extends CallOptions {
  readonly status?: WebhookDelivery["status"];
}

const ALL = "/market-partner/webhooks";
const ONE = `${ALL}/{webhook_id}`;

const bodyOf = ({ url, description, eventTypes, collections, status }: WebhookChange) => ({
  ...(url !== undefined && { url }),
  ...(description !== undefined && { description }),
  ...(eventTypes !== undefined && { event_types: eventTypes }),
  ...(collections !== undefined && { collections }),
  ...(status !== undefined && { status }),
});

export function webhooksOf(sender: Sender) {
  const send = <Answer>(
    method: string,
    path: string,
    names: Readonly<Record<string, string>>,
    { signal }: CallOptions,
    body?: unknown,
  ): Promise<Answer> => sender.send(path, { method, path: names, body, signal }, readBody<Answer>);

  return {
    /** Registers a webhook. The answer has its `secret`, this once. */
    create: (settings: WebhookSettings, call: CallOptions = {}): Promise<WebhookWithSecret> =>
      send("POST", ALL, {}, call, bodyOf(settings)),

    /** The app's webhooks, oldest first. */
    list: async (call: CallOptions = {}): Promise<readonly Webhook[]> =>
      (await send<{ items: readonly Webhook[] }>("GET", ALL, {}, call)).items,

    get: (id: string, call: CallOptions = {}): Promise<Webhook> => send("GET", ONE, { webhook_id: id }, call),

    /** Changes what is given. */
    change: (id: string, change: WebhookChange, call: CallOptions = {}): Promise<Webhook> =>
      send("PATCH", ONE, { webhook_id: id }, call, bodyOf(change)),

    /** Resolves too if it is gone after an attempt that failed, but may have deleted it. */
    delete: async (id: string, { signal }: CallOptions = {}): Promise<void> => {
      let mayBeDeleted = false;
      const onRetry = ({ status }: VitrineError): void => {
        // A refusal for its rate did nothing.
        mayBeDeleted ||= status !== 429;
      };
      const options = { method: "DELETE", path: { webhook_id: id }, signal, onRetry };
      await sender.send(ONE, options, readBody).catch((error: unknown) => {
        if (!mayBeDeleted || !(error instanceof VitrineError) || error.code !== "NOT_FOUND") throw error;
      });
    },

    /** Replaces the secret; the one before signs too for 24 hours. */
    rotate: (id: string, call: CallOptions = {}): Promise<WebhookWithSecret> =>
      send("POST", `${ONE}/rotate`, { webhook_id: id }, call),

    /** Sends a test message once. */
    test: (id: string, call: CallOptions = {}): Promise<WebhookDelivery> =>
      send("POST", `${ONE}/test`, { webhook_id: id }, call),

    /** The deliveries of the last 7 days, newest first. */
    deliveries: (id: string, { status, signal }: DeliveryOptions = {}): Paged<WebhookDelivery> =>
      paged((cursor) =>
        sender.send(
          `${ONE}/deliveries`,
          { method: "GET", path: { webhook_id: id }, query: { status, cursor, limit: 100 }, signal },
          (response) => readPage(response) as Promise<Page<WebhookDelivery>>,
        ),
      ),

    /** Sends a delivery again. */
    resend: (id: string, deliveryId: string, call: CallOptions = {}): Promise<WebhookDelivery> =>
      send(
        "POST",
        `${ONE}/deliveries/{delivery_id}/resend`,
        { webhook_id: id, delivery_id: deliveryId },
        call,
      ),

    /** Gives up a pending delivery, so that later events of its token are sent. */
    skip: (id: string, deliveryId: string, call: CallOptions = {}): Promise<WebhookDelivery> =>
      send("POST", `${ONE}/deliveries/{delivery_id}/skip`, { webhook_id: id, delivery_id: deliveryId }, call),
  };
}
