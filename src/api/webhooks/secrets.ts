/** Signing secrets (Standard Webhooks: `whsec_` and 24 to 64 random bytes in base64), stored encrypted. */

import { randomBytes } from "node:crypto";
import type { Cipher } from "../access/keys/encryption.ts";

const SECRET_BYTES = 32;

const contextOf = (webhookId: string): string => `webhook:${webhookId}`;

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

export function createWebhookSecrets(cipher: Cipher) {
  return {
    /** A new secret, and what is stored of it. The text is shown to whoever asked for it. */
    create(webhookId: string): { readonly secret: string; readonly encrypted: Buffer } {
      const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
      return { secret, encrypted: cipher.encrypt(secret, contextOf(webhookId)) };
    },

    /** The secret; undefined if neither VITRINE_SECRET nor the previous one decrypts it. */
    open: (webhookId: string, encrypted: Buffer): string | undefined =>
      cipher.open(encrypted, contextOf(webhookId)),

    /** The same secret, encrypted with the current VITRINE_SECRET; undefined if it is already, or can't be read. */
    renew(webhookId: string, encrypted: Buffer): Buffer | undefined {
      if (encrypted.subarray(0, cipher.mark.length).equals(cipher.mark)) return undefined;
      const secret = cipher.open(encrypted, contextOf(webhookId));
      return secret === undefined ? undefined : cipher.encrypt(secret, contextOf(webhookId));
    },
  };
}
