/** Encrypts what must be read back, such as API keys, with keys from VITRINE_SECRET (AES-256-GCM, HKDF-SHA-256). */

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

const VERSION = 1;
const MARK_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const HEAD_BYTES = 1 + MARK_BYTES + NONCE_BYTES;

/** Each use has its own derived key: no use can decrypt another's data, and a cookie's key signs no link. */
export type SecretUse = EncryptedUse | "session-cookie" | "mark";
/** What is encrypted, and can be read back. */
export type EncryptedUse = "api-key" | "webhook-secret";

export interface Secrets {
  /** VITRINE_SECRET. */
  readonly current: string;
  /** VITRINE_SECRET_PREVIOUS: decrypts and verifies during a rotation, and never encrypts. */
  readonly previous: string | undefined;
}

export const deriveKey = (secret: string, use: SecretUse): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "vitrine", use, KEY_BYTES));

export interface Cipher {
  /** `context` names what the text belongs to, such as a row's id; moved to another row, it can't be decrypted. */
  encrypt(text: string, context: string): Buffer;
  /** The text, or undefined if neither secret decrypts it: wrong secret, wrong row, or a changed byte. */
  open(encrypted: Buffer, context: string): string | undefined;
  /** The prefix of all ciphertext of the current secret; anything without it needs re-encryption. */
  readonly mark: Buffer;
}

export function createCipher({ current, previous }: Secrets, use: EncryptedUse): Cipher {
  const keyOf = (secret: string) => {
    const key = deriveKey(secret, use);
    // Identifies the secret without revealing anything about it.
    const mark = createHmac("sha256", deriveKey(secret, "mark")).update(use).digest();
    return { key, mark: Buffer.concat([Buffer.of(VERSION), mark.subarray(0, MARK_BYTES)]) };
  };
  const encryption = keyOf(current);
  const keys = previous === undefined ? [encryption] : [encryption, keyOf(previous)];

  return {
    mark: encryption.mark,

    encrypt(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", encryption.key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([encryption.mark, nonce, cipher.getAuthTag(), body]);
    },

    open(encrypted, context) {
      if (encrypted.length < HEAD_BYTES + TAG_BYTES) return undefined;
      const used = keys.find(({ mark }) => timingSafeEqual(mark, encrypted.subarray(0, mark.length)));
      if (!used) return undefined;
      const nonce = encrypted.subarray(1 + MARK_BYTES, HEAD_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", used.key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(encrypted.subarray(HEAD_BYTES, HEAD_BYTES + TAG_BYTES));
      try {
        return (
          decipher.update(encrypted.subarray(HEAD_BYTES + TAG_BYTES)).toString("utf8") +
          decipher.final("utf8")
        );
      } catch {
        return undefined;
      }
    },
  };
}
