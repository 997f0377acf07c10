/** What the check of one media URL found, in the form that reports show. */

import type { MediaState } from "../media-store.ts";
import { type FetchReason, fetchReasonTable } from "./reasons.ts";

export const checkedStatuses = ["accepted", "rejected", "unreachable", "skipped"] as const;

export interface CheckedMedia {
  /** `unreachable`: the content could not be read. `skipped`: there is no URL, or it has not been checked. */
  readonly status: (typeof checkedStatuses)[number];
  /** The code and the measured value, such as `image_too_small: 412x412, at least 480x480`. */
  readonly reason: string | null;
  /** In pixels, as displayed; null for a page. */
  readonly width: number | null;
  readonly height: number | null;
  /** Of the file; of a page only what was read of it. */
  readonly bytes: number | null;
  readonly format: string | null;
}

/** By the fields of the document. */
export interface CheckedFields {
  readonly image: CheckedMedia;
  readonly video: CheckedMedia;
  readonly animation_url: CheckedMedia;
}

const nothing = { width: null, height: null, bytes: null, format: null };

export const skipped = (reason: string | null = null): CheckedMedia => ({
  ...nothing,
  status: "skipped",
  reason,
});

/** What a URL itself is at fault for, before anything is fetched. */
const ofTheUrl: ReadonlySet<string> = new Set<FetchReason>([
  "invalid_uri",
  "unsupported_scheme",
  "invalid_url",
  "host_refused",
]);

/** Not found, or gone (RFC 9110, 15.5): the URL itself is wrong. */
const GONE = /^http_status: .*\b(?:404|410)\b/;

export const codeOf = (reason: string): string => reason.split(": ", 1)[0] ?? reason;

/** Content that was refused, or that could not be read. */
export function refusedMedia(reason: string, bytes: number | null = null): CheckedMedia {
  const code = codeOf(reason);
  const isUnread = Object.hasOwn(fetchReasonTable, code) && !ofTheUrl.has(code) && !GONE.test(reason);
  return { ...nothing, bytes, status: isUnread ? "unreachable" : "rejected", reason };
}

/** The result of the last probe of a URL. */
export function checkedOf(state: MediaState | undefined): CheckedMedia {
  if (!state || state.status === "pending") return skipped(state?.reason ?? "not checked yet");
  const { status, reason, width, height, bytes, format } = state;
  if (status === "rejected") return refusedMedia(reason ?? "", bytes);
  return { status, reason, width, height, bytes, format };
}
