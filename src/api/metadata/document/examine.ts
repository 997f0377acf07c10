/** Examines a document or URI as a refresh would, for its owner. Stores nothing. */

import { withDeadline } from "../../async/timeout.ts";
import type { Fetching } from "../../fetch/fetching.ts";
import {
  createResolve,
  DOCUMENT_BYTES_MAX,
  type FailureReason,
  type Resolution,
  readDocument,
} from "../uri/resolve.ts";
import { type Issue, issue } from "./issues.ts";
import { type Metadata, normalise } from "./normalise.ts";

/** The result. `metadata` is null exactly if there is a failure. */
export interface Examined {
  /** The fetch; null for a submitted document. */
  readonly fetch: {
    readonly uri: string | null;
    /** Both null if nothing could be read. */
    readonly contentHash: string | null;
    readonly bytes: number | null;
    readonly durationMs: number;
  } | null;
  /** Why a refresh would end as failed. */
  readonly failure: { readonly reason: FailureReason; readonly message: string } | null;
  readonly metadata: Metadata | null;
  readonly issues: readonly Issue[];
}

// A refresh's timeout for one host; here it covers all gateways together.
const EXAMINE_TIMEOUT_MS = 30_000;

/** A document submitted as part of a larger text. */
export interface HandedOver {
  /** Any JSON value. */
  readonly document: unknown;
  /** The same with its numbers as written; see `numberSources`. */
  readonly source: unknown;
  /** The length of its text. */
  readonly bytes: number;
}

/** Never throws. */
export function examineDocument({ document, source, bytes }: HandedOver): Examined {
  if (bytes > DOCUMENT_BYTES_MAX) return tooLarge(bytes);
  const normalised = normalise(document, source);
  if (!normalised) return failed(null, "not_an_object", "the document is not a JSON object");
  return { fetch: null, failure: null, metadata: normalised.metadata, issues: normalised.issues };
}

/** Examines the text of a document. Never throws. */
export function examineText(body: Buffer): Examined {
  if (body.length > DOCUMENT_BYTES_MAX) return tooLarge(body.length);
  const answer = readDocument(body, "");
  if (answer.kind === "failed") return failed(null, answer.reason, answer.message);
  const { metadata, issues } = answer.document;
  return { fetch: null, failure: null, metadata, issues };
}

const tooLarge = (bytes: number): Examined =>
  failed(null, "too_large", `the document has ${bytes} bytes; the limit is ${DOCUMENT_BYTES_MAX}`);

export function examineResolution(resolution: Resolution): Examined {
  const { uri, durationMs } = resolution;
  if (resolution.kind === "failed") {
    const fetch = { uri, contentHash: null, bytes: null, durationMs };
    return failed(fetch, resolution.reason, resolution.message);
  }
  if (resolution.kind === "not_modified") throw new Error("nothing was known that the host could confirm");
  const { hash, body, metadata, issues } = resolution.document;
  const fetch = { uri, contentHash: hash, bytes: body.length, durationMs };
  return { fetch, failure: null, metadata, issues };
}

/**
 * Fetches through the guard, like a refresh whose contract returned `uri`. A token id replaces `{id}`, as in ERC-1155.
 * Every fault of the URI or its host is part of the result.
 */
export async function examineUri(
  fetching: Fetching,
  uri: string,
  tokenId: string | undefined,
  signal?: AbortSignal,
): Promise<Examined> {
  const standard = tokenId === undefined ? "erc721" : "erc1155";
  const resolve = createResolve({ ...fetching, readUri: async () => ({ kind: "read", uri, standard }) });
  const token = { chainId: 0, collection: "", tokenId: tokenId ?? "0" };
  const resolution = await withDeadline(EXAMINE_TIMEOUT_MS, signal, (inTime) =>
    resolve(token, standard, 0, { signal: inTime }),
  );
  return examineResolution(resolution);
}

/** The result for a token whose document could not even be requested. */
export const failedFetch = (reason: FailureReason, message: string): Examined =>
  failed(null, reason, message);

/** A failure; a document of the wrong shape is an issue as well, with the meaning from the table. */
function failed(fetch: Examined["fetch"], reason: FailureReason, message: string): Examined {
  const issues = reason === "not_an_object" ? [issue("not_an_object", "", message)] : [];
  return { fetch, failure: { reason, message }, metadata: null, issues };
}
