/** What routes and the console do with webhooks and their deliveries. An app sees its own only. */

import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { AccessService } from "../access/keys/service.ts";
import type { Database, Queryable } from "../db/database.ts";
import { readEnds } from "../events/module.ts";
import { ApiError } from "../http/errors.ts";
import { notifyWorkers, restartMostPending, restartPending } from "./delivery-queue.ts";
import { createDeliveryService } from "./delivery-service.ts";
import { countPending } from "./delivery-store.ts";
import { findOwnWebhook } from "./own-webhook.ts";
import { findCreated, findRotated, type Repeat } from "./repeats.ts";
import { OVERLAP_SECONDS } from "./rotation.ts";
import type { WebhookSecrets } from "./secrets.ts";
import { problemOfUrl } from "./url.ts";
import {
  addWebhook,
  deleteWebhook,
  lockWebhooksOf,
  pauseOnRequest,
  readSecrets,
  readWebhooks,
  replaceCiphertext,
  resumeWebhook,
  rotateSecret,
  type WebhookRow,
  type WebhookSettings,
  writeSettings,
} from "./webhook-store.ts";

/** Webhooks of one app. */
export const WEBHOOKS_MAX = 10;

/** A webhook, with how many deliveries it has yet to get. */
export type WebhookState = WebhookRow & { readonly pending: number };

export interface WebhookServiceDeps {
  readonly database: Database;
  readonly secrets: WebhookSecrets;
  readonly allowedPrivateHosts: ReadonlySet<string>;
  readonly access: Pick<AccessService, "audit" | "wasAudited">;
}

/** A webhook, and its secret if the caller may see it. */
interface WithSecret<Secret extends string | undefined = string> {
  readonly webhook: WebhookState;
  readonly secret: Secret;
}

export type WebhookService = ReturnType<typeof createWebhookService>;

/** Every method that names a webhook throws NOT_FOUND unless it is the app's. `actor` goes to the audit log. */
export function createWebhookService({ database, secrets, allowedPrivateHosts, access }: WebhookServiceDeps) {
  const { audit } = access;

  async function withPending(rows: readonly WebhookRow[]): Promise<WebhookState[]> {
    const pending = await countPending(
      database,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({ ...row, pending: pending.get(row.id) ?? 0 }));
  }

  async function read(appId: string, id: string): Promise<WebhookState> {
    const [state] = await withPending([await findOwnWebhook(database, appId, id)]);
    if (!state) throw new Error("a webhook has no state");
    return state;
  }

  /** Throws INVALID_REQUEST for a URL to which nothing may be sent. */
  function checkUrl(url: string): void {
    const message = problemOfUrl(url, allowedPrivateHosts);
    if (message) throw new ApiError("INVALID_REQUEST", [{ path: "url", message }]);
  }

  async function add(
    tx: Queryable,
    { id, appId, count }: { readonly id: string; readonly appId: string; readonly count: number },
    settings: WebhookSettings,
    actor: string,
  ): Promise<string> {
    if (count >= WEBHOOKS_MAX)
      throw new ApiError("INVALID_REQUEST", [
        { path: "", message: `an app has at most ${WEBHOOKS_MAX} webhooks; delete one first` },
      ]);
    const { secret, encrypted } = secrets.create(id);
    const { last } = await readEnds(tx);
    await addWebhook(tx, { id, appId, secret: encrypted, afterEvent: last }, settings);
    await audit(tx, actor, "webhooks.create", id, { app_id: appId, ...settings });
    return secret;
  }

  async function replaceSecret(tx: Queryable, id: string, appId: string, actor: string): Promise<string> {
    const { secret, encrypted } = secrets.create(id);
    await rotateSecret(tx, id, encrypted, OVERLAP_SECONDS);
    await audit(tx, actor, "webhooks.rotate", id, { app_id: appId, overlap_seconds: OVERLAP_SECONDS });
    return secret;
  }

  /** The secret for whoever sends a form again that has just made it. */
  async function showAgain(
    tx: Queryable,
    { encrypted }: Repeat,
    { id, appId }: { readonly id: string; readonly appId: string },
    actor: string,
  ): Promise<string | undefined> {
    const secret = encrypted && secrets.open(id, encrypted);
    if (secret !== undefined) await audit(tx, actor, "webhooks.reveal", id, { app_id: appId });
    return secret;
  }

  return {
    deliveries: createDeliveryService({ database, access }),

    /** Oldest first. */
    list: async (appId: string): Promise<WebhookState[]> => withPending(await readWebhooks(database, appId)),

    find: read,

    checkUrl,

    /** Registers a webhook for events from now on. The secret can't be read again. */
    async create(appId: string, settings: WebhookSettings, actor: string): Promise<WithSecret> {
      checkUrl(settings.url);
      const id = randomUUID();
      const secret = await database.transaction(async (tx) =>
        add(tx, { id, appId, count: await lockWebhooksOf(tx, appId) }, settings, actor),
      );
      return { webhook: await read(appId, id), secret };
    },

    /**
     * Registers a webhook for a form, by the form's `token`. Sent again with the same settings, it creates nothing more:
     * the webhook of the first time is returned, and its secret only if that was just now.
     */
    async createOnce(
      appId: string,
      settings: WebhookSettings,
      actor: string,
      token: string,
    ): Promise<WithSecret<string | undefined>> {
      checkUrl(settings.url);
      const { id, secret } = await database.transaction(async (tx) => {
        const count = await lockWebhooksOf(tx, appId);
        const { id, repeat } = await findCreated(tx, access, { appId, settings, token });
        const secret = repeat
          ? await showAgain(tx, repeat, { id, appId }, actor)
          : await add(tx, { id, appId, count }, settings, actor);
        return { id, secret };
      });
      return { webhook: await read(appId, id), secret };
    },

    /**
     * Changes what is given. Another URL resumes a webhook that its receiver's failures have paused. It, and resuming,
     * send what is pending at once, with all attempts ahead. What is so already leaves no audit row.
     */
    async change(
      appId: string,
      id: string,
      change: Partial<WebhookSettings> & { readonly status?: "active" | "paused" | undefined },
      actor: string,
    ): Promise<WebhookState> {
      if (change.url !== undefined) checkUrl(change.url);
      const { status, ...given } = change;
      /** Whether its pending events start over. */
      const effectOn = ({ url, pausedReason }: WebhookRow) => {
        const isMoved = given.url !== undefined && given.url !== url;
        const isResuming = status === "active" || (!status && isMoved && pausedReason !== "requested");
        return { isMoved, isResuming };
      };
      const before = await findOwnWebhook(database, appId, id);
      const expected = effectOn(before);
      if (expected.isMoved || (expected.isResuming && before.status === "paused"))
        await restartMostPending(database, id);
      await database.transaction(async (tx) => {
        await lockWebhooksOf(tx, appId);
        const row = await findOwnWebhook(tx, appId, id);
        const { url, description, eventTypes, collections } = row;
        await writeSettings(tx, id, { url, description, eventTypes, collections, ...given });
        const { isMoved, isResuming } = effectOn(row);
        const isResumed = isResuming && (await resumeWebhook(tx, id));
        if (status === "paused") await pauseOnRequest(tx, id);
        const isChanged = status === "paused" ? row.pausedReason !== "requested" : isResumed;
        const changes = { ...differing(row, given), ...(status && isChanged && { status }) };
        if (isResumed || isMoved) {
          await restartPending(tx, id);
          await notifyWorkers(tx);
        }
        if (Object.keys(changes).length > 0)
          await audit(tx, actor, "webhooks.change", id, { app_id: appId, ...changes });
      });
      return read(appId, id);
    },

    /** Deletes a webhook; nothing more is sent to it. */
    async remove(appId: string, id: string, actor: string): Promise<void> {
      await database.transaction(async (tx) => {
        const { url } = await findOwnWebhook(tx, appId, id);
        await deleteWebhook(tx, appId, id);
        await audit(tx, actor, "webhooks.delete", id, { app_id: appId, url });
      });
    },

    /** Replaces the secret; the one before signs too for a day. */
    async rotate(appId: string, id: string, actor: string): Promise<WithSecret> {
      const secret = await database.transaction(async (tx) => {
        await lockWebhooksOf(tx, appId);
        await findOwnWebhook(tx, appId, id);
        return replaceSecret(tx, id, appId, actor);
      });
      return { webhook: await read(appId, id), secret };
    },

    /**
     * Replaces the secret for a form. `seen` is the `rotationOf` the webhook that the form was shown with: if it was
     * rotated since, nothing changes, and the secret is returned only if that was just now.
     */
    async rotateOnce(
      appId: string,
      id: string,
      actor: string,
      seen: string,
    ): Promise<WithSecret<string | undefined>> {
      const secret = await database.transaction(async (tx) => {
        await lockWebhooksOf(tx, appId);
        const repeat = await findRotated(tx, await findOwnWebhook(tx, appId, id), seen);
        return repeat ? showAgain(tx, repeat, { id, appId }, actor) : replaceSecret(tx, id, appId, actor);
      });
      return { webhook: await read(appId, id), secret };
    },

    /** Re-encrypts the secrets that VITRINE_SECRET_PREVIOUS encrypted. Returns how many webhooks that changed. */
    async reencrypt(): Promise<number> {
      let count = 0;
      for (const { id, secret, oldSecret } of await readSecrets(database)) {
        let isChanged = false;
        for (const encrypted of [secret, oldSecret]) {
          const renewed = encrypted && secrets.renew(id, encrypted);
          if (!renewed) continue;
          await replaceCiphertext(database, id, encrypted, renewed);
          isChanged = true;
        }
        if (isChanged) count++;
      }
      return count;
    },
  };
}

/** What of `given` the webhook does not have yet. */
const differing = (row: WebhookRow, given: Partial<WebhookSettings>): Partial<WebhookSettings> =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => !isDeepStrictEqual(value, row[name as keyof WebhookSettings]),
    ),
  );
