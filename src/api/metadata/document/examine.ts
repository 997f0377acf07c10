/** A document or a URI looked at as a refresh looks at it, for its owner's eyes: nothing is stored. */

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

/** What came of it. `metadata` is null exactly when there is a failure. */
export interface Examined {
  /** The fetch that was made; null for a document that was handed over. */
  readonly fetch: {
    readonly uri: string | null;
    /** Both null when nothing could be read. */
    readonly contentHash: string | null;
    readonly bytes: number | null;
    readonly durationMs: number;
  } | null;
  /** Why a refresh would end as failed. */
  readonly failure: { readonly reason: FailureReason; readonly message: string } | null;
  readonly metadata: Metadata | null;
  readonly issues: readonly Issue[];
}

// As long as a refresh gives one host; a caller waits for all gateways together no longer than that.
const EXAMINE_TIMEOUT_MS = 30_000;

/** A document that was handed over as a part of a larger text. */
export interface HandedOver {
  /** Any JSON value. */
  readonly document: unknown;
  /** The same with its numbers as they are written; see `numberSources`. */
  readonly source: unknown;
  /** How many its text holds. */
  readonly bytes: number;
}

/** Never throws. */
export function examineDocument({ document, source, bytes }: HandedOver): Examined {
  if (bytes > DOCUMENT_BYTES_MAX) return tooLarge(bytes);
  const normalised = normalise(document, source);
  if (!normalised) return failed(null, "not_an_object", "the document is not a JSON object");
  return { fetch: null, failure: null, metadata: normalised.metadata, issues: normalised.issues };
}

/** The text of a document. Never throws. */
export function examineText(body: Buffer): Examined {
  if (body.length > DOCUMENT_BYTES_MAX) return tooLarge(body.length);
  const answer = readDocument(body, "");
  if (answer.kind === "failed") return failed(null, answer.reason, answer.message);
  const { metadata, issues } = answer.document;
  return { fetch: null, failure: null, metadata, issues };
}

const tooLarge = (bytes: number): Examined =>
  failed(null, "too_large", `the document holds ${bytes} bytes; the limit is ${DOCUMENT_BYTES_MAX}`);

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
 * Fetches through the guard, as a refresh whose contract answered `uri`. With a token id `{id}` is replaced by it,
 * as in ERC-1155. Every fault of the URI or its host is part of the answer.
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
  const deadline = AbortSignal.timeout(EXAMINE_TIMEOUT_MS);
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
  return examineResolution(await resolve(token, standard, 0, either));
}

/** What came of a token whose document could not even be asked for. */
export const failedFetch = (reason: FailureReason, message: string): Examined =>
  failed(null, reason, message);

/** A failure; a document of the wrong shape is an issue as well, with the meaning that the table gives it. */
function failed(fetch: Examined["fetch"], reason: FailureReason, message: string): Examined {
  const issues = reason === "not_an_object" ? [issue("not_an_object", "", message)] : [];
  return { fetch, failure: { reason, message }, metadata: null, issues };
}
