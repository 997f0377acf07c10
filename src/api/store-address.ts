/** Reads MEDIA_STORE and the variables that belong to a bucket. Opens nothing. */

import { resolve } from "node:path";
import { withoutTrailing } from "./text/without-trailing.ts";

export type StoreAddress = FolderAddress | BucketAddress;

export interface FolderAddress {
  readonly kind: "folder";
  readonly folder: string;
}

/** Credentials are not part of it: the SDK reads them where they are kept, and nothing of ours can log them. */
export interface BucketAddress {
  readonly kind: "bucket";
  readonly bucket: string;
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string;
  readonly region: string;
  /** Undefined for Amazon's own. */
  readonly endpoint: string | undefined;
  readonly forcePathStyle: boolean;
}

export interface BucketSettings {
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
  readonly forcePathStyle: boolean | undefined;
}

// Amazon's rules for names of buckets, which servers of the same kind follow.
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
// What needs no escape in a key or in a URL.
const PREFIX_PART = /^[A-Za-z0-9!_.*'()-]+$/;
// Keys have 1,024 bytes; ours take 85 of them.
const PREFIX_LENGTH_MAX = 900;

const STORE_RULE = "must be file:<folder> or s3://<bucket>/<prefix>";

/** Some tools take keys in such a URL, before an @; a problem is logged. */
const unlessLogin = (text: string, found: string): string => (text.includes("@") ? "" : found);

/** `{ problem }` says what is wrong with a text, in a sentence that follows its name. */
export function parseStoreAddress(
  text: string,
  { region, endpoint, forcePathStyle }: BucketSettings,
): StoreAddress | { readonly problem: string } {
  if (/^file:./.test(text)) return { kind: "folder", folder: resolve(text.slice("file:".length)) };
  if (!text.startsWith("s3://")) return { problem: STORE_RULE + unlessLogin(text, `; it is "${text}"`) };
  const [bucket = "", ...rest] = text.slice("s3://".length).split("/");
  const prefix = withoutTrailing(rest.join("/"), "/");
  if (!BUCKET.test(bucket))
    return {
      problem: `${STORE_RULE}; a bucket has 3 to 63 characters of a-z, 0-9, dots and hyphens${unlessLogin(bucket, `, and this one is "${bucket}"`)}`,
    };
  const parts = prefix === "" ? [] : prefix.split("/");
  if (prefix.length > PREFIX_LENGTH_MAX)
    return {
      problem: `has a prefix of ${prefix.length} characters; at most ${PREFIX_LENGTH_MAX} are allowed`,
    };
  const bad = parts.find((part) => !PREFIX_PART.test(part) || /^\.+$/.test(part));
  if (bad !== undefined)
    return {
      problem: `${STORE_RULE}; the parts of a prefix have letters, digits and !_.*'()- only${unlessLogin(bad, `, and one is "${bad}"`)}`,
    };
  if (region === undefined) return { problem: `is a bucket, so S3_REGION must be set, such as us-east-1` };
  return {
    kind: "bucket",
    bucket,
    prefix,
    region,
    endpoint,
    // Servers other than Amazon's rarely have a name per bucket.
    forcePathStyle: forcePathStyle ?? endpoint !== undefined,
  };
}

/** As MEDIA_STORE writes it, with the place of a bucket. */
export const showStore = (store: StoreAddress): string =>
  store.kind === "folder"
    ? `file:${store.folder}`
    : `s3://${store.bucket}${store.prefix && `/${store.prefix}`} in ${store.region}${store.endpoint ? ` at ${store.endpoint}` : ""}`;
