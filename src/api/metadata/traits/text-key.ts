import { hash } from "node:crypto";

// A B-tree entry can be up to 2.7 kB.
const BYTES_MAX = 200;

/**
 * The database key of an untrusted text: the text itself, or the SHA-256 of a long one. Two texts share a key only if
 * they are equal.
 */
export const textKey = (text: string): string =>
  Buffer.byteLength(text) <= BYTES_MAX ? `=${text}` : `#${hash("sha256", text)}`;
