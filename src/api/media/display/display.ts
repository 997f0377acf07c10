/** What each page shows of a token (spec.md "Display priority"), and what was skipped and why. */

import { parseUrl, problemOfHost } from "../../text/parse-url.ts";
import { type FetchReason, type MediaReason, mediaReasons, refusalTable } from "../checks/reasons.ts";

export type TokenPageKind = "animation" | "video" | "image" | "none";

export const skipReasons = [
  "host_not_allowed",
  ...new Set(["invalid_url", ...mediaReasons] as const),
] as const;

export interface Skipped {
  readonly kind: "animation" | "video";
  readonly host: string;
  readonly reason: (typeof skipReasons)[number];
  /** The measured value, if the content was checked. */
  readonly message?: string;
}

/** Why the content of a URL is not shown. */
export interface Found {
  readonly reason: MediaReason;
  readonly message: string;
}

/** Faults that probes found in a token's animation and video. */
export interface FoundFaults {
  readonly animation?: Found | undefined;
  readonly video?: Found | undefined;
}

/** The hosts that a token's animation and video redirected to, if different. */
export interface Ends {
  readonly animation?: string | undefined;
  readonly video?: string | undefined;
}

export interface Display {
  readonly collection_page: { readonly kind: "image" | "none"; readonly url: string | null };
  readonly token_page: {
    readonly kind: TokenPageKind;
    readonly url: string | null;
    readonly skipped: readonly Skipped[];
  };
}

export interface MediaFields {
  readonly image: string | null;
  readonly video: string | null;
  readonly animation_url: string | null;
}

/**
 * The collection page shows `image`. The token page shows the first of `animation_url`, `video` and `image` that is
 * present; the first two only without a fault, and only if the operator allows every host, including redirect targets.
 * Skipped media are listed.
 */
export function chooseDisplay(
  media: MediaFields,
  imageUrl: string | null,
  isAllowed: (host: string) => boolean,
  faults: FoundFaults = {},
  ends: Ends = {},
): Display {
  const skipped: Skipped[] = [];
  const candidates = [
    { kind: "animation", url: media.animation_url },
    { kind: "video", url: media.video },
  ] as const;
  const shown = candidates.find(({ kind, url }) => {
    if (url === null) return false;
    const host = webHostOf(url);
    const fault = faults[kind];
    const end = ends[kind];
    if (host === undefined) skipped.push({ kind, host: "", reason: "invalid_url" });
    else if (!isAllowed(host)) skipped.push({ kind, host, reason: "host_not_allowed" });
    else if (end !== undefined && !isAllowed(end))
      skipped.push({ kind, host: end, reason: "host_not_allowed", message: `${host} leads there` });
    else if (fault && bearsOnShowing(fault)) skipped.push({ kind, host, ...fault });
    else return true;
    return false;
  });
  const image = { kind: imageUrl === null ? ("none" as const) : ("image" as const), url: imageUrl };
  return { collection_page: image, token_page: { ...(shown ?? image), skipped } };
}

// A host that refuses us may still serve browsers, and the operator allowed it; a missing page is missing for all.
const NOT_THERE: FetchReason = "http_status";

const bearsOnShowing = ({ reason }: Found): boolean => reason in refusalTable || reason === NOT_THERE;

/** `host[:port]` of an http(s) URL without credentials, whose host can exist. */
export function webHostOf(url: string): string | undefined {
  const parsed = parseUrl(url);
  // Programs other than browsers parse anything else differently, and reach another host.
  if (!parsed || !/^https?:\/\/[^/\\\p{Cc}][^\\\p{Cc}]*$/iu.test(url)) return undefined;
  const { protocol, host, username, password } = parsed;
  const isWeb = /^https?:$/.test(protocol) && !username && !password;
  return isWeb && problemOfHost(parsed) === undefined ? host : undefined;
}
