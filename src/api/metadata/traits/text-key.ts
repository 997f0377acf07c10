import { createHash } from "node:crypto";

// A btree takes entries of up to 2.7 kB.
const BYTES_MAX = 200;

/**
 * The key by which PostgreSQL finds a text that a stranger wrote: the text itself, or the SHA-256 of a long one. Two
 * texts have the same key only if they are the same.
 */
export const textKey = (text: string): string =>
  Buffer.byteLength(text) <= BYTES_MAX ? `=${text}` : `#${createHash("sha256").update(text).digest("hex")}`;
