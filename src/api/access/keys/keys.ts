/** API keys: their format, and the digest that finds them. */

import { hash, randomBytes } from "node:crypto";

// The prefix and a checksum let secret scanners recognise a Vitrine key.
const PREFIX = "vk_";
const SECRET_BYTES = 24;
const CHECK_CHARACTERS = 6;
const START_CHARACTERS = 9;
const KEY = new RegExp(`^${PREFIX}[0-9a-f]{${SECRET_BYTES * 2}}_[0-9a-f]{${CHECK_CHARACTERS}}$`);

const checksum = (secret: string): string => hash("sha256", `${PREFIX}${secret}`).slice(0, CHECK_CHARACTERS);

export interface NewKey {
  readonly key: string;
  readonly hash: Buffer;
  /** The part that may be shown and logged. */
  readonly start: string;
}

export function makeKey(): NewKey {
  const secret = randomBytes(SECRET_BYTES).toString("hex");
  const key = `${PREFIX}${secret}_${checksum(secret)}`;
  return { key, hash: hashKey(key), start: key.slice(0, START_CHARACTERS) };
}

/**
 * The digest that finds a key. Keys carry 192 random bits, so a plain digest can't be reversed by guessing, and a
 * lookup by digest leaks nothing through its timing.
 */
export const hashKey = (key: string): Buffer => hash("sha256", key, "buffer");

/** The same digest as text, so that a process can cache keys without holding them in memory. */
export const digestOf = (key: string): string => hash("sha256", key, "base64");

/** False for text that can't be a key and needs no lookup. */
export function isKeyShaped(text: string): boolean {
  return (
    KEY.test(text) &&
    checksum(text.slice(PREFIX.length, -CHECK_CHARACTERS - 1)) === text.slice(-CHECK_CHARACTERS)
  );
}
