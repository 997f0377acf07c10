/** Seals what must be read again, such as API keys, with keys derived from VITRINE_SECRET (AES-256-GCM, HKDF-SHA-256). */

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

/** One derived key each: what is sealed for one use opens for no other, and a cookie's key signs no link. */
export type SecretUse = "api-key" | "session-cookie" | "mark";

export interface Secrets {
  /** VITRINE_SECRET. */
  readonly current: string;
  /** VITRINE_SECRET_PREVIOUS: opens and verifies during a rotation, and never seals. */
  readonly previous: string | undefined;
}

export const deriveKey = (secret: string, use: SecretUse): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "vitrine", use, KEY_BYTES));

export interface Cipher {
  /** `context` names what the text belongs to, such as a row's id; a seal that is moved to another row does not open. */
  encrypt(text: string, context: string): Buffer;
  /** The text, or undefined when neither secret opens it: another secret, another row, or a changed byte. */
  open(encrypted: Buffer, context: string): string | undefined;
  /** The first bytes of everything that the current secret seals, by which the rest is found. */
  readonly mark: Buffer;
}

export function createCipher({ current, previous }: Secrets, use: "api-key"): Cipher {
  const keyOf = (secret: string) => {
    const key = deriveKey(secret, use);
    // Tells the secrets apart without telling anything of them.
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
