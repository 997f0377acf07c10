/** Resolves one token, from contract to normalised document. Uses the network and no database. */

import { hash } from "node:crypto";
import type { Standard } from "../../../config.ts";
import type { TokenRef } from "../../../domain/token-ref.ts";
import type { FetchFailure } from "../../fetch/fetch-failure.ts";
import type { Fetching } from "../../fetch/fetching.ts";
import { type ContentOptions, createFetchContent } from "../../fetch/ipfs/fetch-content.ts";
import type { Verified } from "../../fetch/ipfs/gateway-request.ts";
import { contentOf, locate, servingHost, substituteId } from "../../fetch/locate.ts";
import { storable } from "../../text/storable.ts";
import { inSpan } from "../../tracing/spans.ts";
import type { Issue } from "../document/issues.ts";
import { parseJson, replaceStrings } from "../document/json.ts";
import { type Metadata, normalise } from "../document/normalise.ts";
import { readPaced } from "../document/paced-reads.ts";
import { abridged, readDataUri } from "./data-uri.ts";
import type { ReadUri, UriRead } from "./read-uri.ts";

export type FailureReason =
  | FetchFailure
  | "token_reverted"
  /** Nothing was requested: the burn is indexed. */
  | "burned"
  | "rpc_unavailable"
  | "empty_uri"
  | "invalid_uri"
  | "unsupported_scheme"
  | "invalid_json"
  | "not_an_object";

export interface Document {
  readonly hash: string;
  readonly body: Buffer;
  readonly metadata: Metadata;
  readonly issues: readonly Issue[];
  readonly complete: boolean;
  /** The host's ETag for exactly these bytes under the URI's own URL; undefined if there is none. */
  readonly etag?: string | undefined;
  /** What the bytes were verified against; nothing if undefined. */
  readonly verified?: Verified | undefined;
}

/** A document read before, for a conditional request to its host. */
export interface KnownDocument {
  readonly uri: string;
  readonly etag: string;
  readonly hash: string;
}

export type Resolution = {
  readonly uri: string | null;
  readonly block: number;
  readonly durationMs: number;
  /** Where the document was requested; `ipfs` for the gateways together. Undefined if it was not. */
  readonly host?: string | undefined;
} & (
  | { readonly kind: "document"; readonly document: Document }
  /** The host still has the known document, with this hash, and sent no body. */
  | { readonly kind: "not_modified"; readonly hash: string }
  | {
      readonly kind: "failed";
      readonly reason: FailureReason;
      readonly message: string;
      readonly transient: boolean;
      readonly retryAfterMs?: number | undefined;
      /** Of an HTTP answer that was a refusal. */
      readonly status?: number;
      /** For rpc_unavailable: the node is up and rejects this call, so a retry may never help. */
      readonly nodeAnswered?: boolean | undefined;
    }
);

export interface ResolveOptions {
  readonly signal?: AbortSignal | undefined;
  /** Any host may be asked without it. */
  readonly admit?: Admit | undefined;
  /** If the contract still returns its URI, the request to the host is conditional. */
  readonly known?: KnownDocument | undefined;
}

/** Reads the contract at `block`; `standard` is undefined if it is not known. */
export type Resolve = (
  token: TokenRef,
  standard: Standard | undefined,
  block: number,
  options?: ResolveOptions,
) => Promise<Resolution>;

/**
 * Called before any fetch from a host; false prevents the fetch. With a signal, for one more request beside the fetch
 * that goes on; the signal is aborted when both are over.
 */
export type Admit = (host: string, beside?: AbortSignal) => Promise<boolean>;

export const DOCUMENT_BYTES_MAX = 2 * 1024 * 1024;
export const DOCUMENT_TIMEOUT_MS = 30_000;
// A common server limit for the request line.
export const URI_LENGTH_MAX = 8_192;

const noDetails = () => ({});

type Failure = Omit<Extract<Resolution, { kind: "failed" }>, "uri" | "block" | "durationMs" | "host">;
type Answer = Failure | { readonly kind: "document"; readonly document: Document };
type HostAnswer = Answer | { readonly kind: "not_modified"; readonly hash: string };

const failed = (reason: FailureReason, message: string, transient: boolean): Failure => ({
  kind: "failed",
  reason,
  message,
  transient,
});

/** Returns expected failures; no response of a contract or a host makes it throw. */
export function createResolve(deps: Fetching & { readonly readUri: ReadUri }): Resolve {
  const { readUri, gateways, extraSchemes, fetchContent = createFetchContent(deps) } = deps;

  function findUrls(uri: string): Failure | readonly string[] | "inline" {
    const located = locate(uri, gateways, extraSchemes);
    if (located.kind === "refused") return failed(located.reason, located.message, false);
    if (located.kind === "inline") return "inline";
    if (uri.length <= URI_LENGTH_MAX) return located.urls;
    const problem = `the URI has ${uri.length} characters; the limit is ${URI_LENGTH_MAX}`;
    return failed("invalid_uri", problem, false);
  }

  async function fetchDocument(
    urls: readonly string[],
    tokenId: string,
    options: Pick<ContentOptions, "signal" | "mayHedge">,
    known?: KnownDocument,
  ): Promise<HostAnswer> {
    const ask = (ifNoneMatch?: string) =>
      fetchContent(urls, {
        ...options,
        bytesMax: DOCUMENT_BYTES_MAX,
        timeoutMs: DOCUMENT_TIMEOUT_MS,
        accept: "application/json, */*;q=0.5",
        ifNoneMatch,
      });
    // An ETag identifies bytes under one URL; with several gateways or a redirect, it may identify others.
    const [url = ""] = urls;
    const hasOwnTag = urls.length === 1 && contentOf(url) === undefined;
    let answer = await ask(hasOwnTag ? known?.etag : undefined);
    if (known && answer.kind === "fetched" && answer.isUnchanged) {
      if (answer.url === url) return { kind: "not_modified", hash: known.hash };
      answer = await ask();
    }
    if (answer.kind === "failed") return answer;
    const { body } = answer;
    const read = await readBody(body, tokenId, options.signal);
    if (read.kind !== "document") return read;
    const { verified, etag } = answer;
    const ownTag = hasOwnTag && answer.url === url && etag !== undefined ? { etag: storable(etag) } : {};
    return { ...read, document: { ...read.document, ...ownTag, verified } };
  }

  return async (token, standard, block, { signal, admit, known } = {}) => {
    const startedAt = performance.now();
    const read = await inSpan("read token URI", noDetails, () => readUri(token, standard, block));
    const outcome = (uri: string | null, answer: HostAnswer, host?: string): Resolution => ({
      ...answer,
      host,
      uri: uri === null ? null : stored(uri),
      block,
      durationMs: Math.round(performance.now() - startedAt),
    });
    if (read.kind === "reverted") return outcome(null, failed("token_reverted", read.message, false));
    if (read.kind === "unavailable") {
      const { message, answered: nodeAnswered } = read;
      return outcome(null, { ...failed("rpc_unavailable", message, true), nodeAnswered });
    }

    const tokenId = read.standard === "erc1155" ? token.tokenId : "";
    const uri = withTokenId(read.uri, tokenId);
    const urls = findUrls(uri);
    // Unchanged: `{id}` is replaced in the document's string values, as always, but not in keys.
    if (urls === "inline")
      return outcome(abridged(read.uri, URI_LENGTH_MAX), await readInline(read.uri, tokenId, signal));
    if ("kind" in urls) return outcome(uri, urls);
    const [first] = urls;
    const host = first === undefined ? undefined : servingHost(first, gateways);
    if (host !== undefined && admit && !(await admit(host)))
      return outcome(uri, failed("unreachable", `${host} is not asked now`, true));
    const isKnown = known !== undefined && known.uri === stored(uri);
    const mayHedge = host === undefined || !admit ? undefined : (beside: AbortSignal) => admit(host, beside);
    const answer = await fetchDocument(urls, tokenId, { signal, mayHedge }, isKnown ? known : undefined);
    return outcome(uri, answer, host);
  };
}

const stored = (uri: string): string => storable(uri.slice(0, URI_LENGTH_MAX));

/** Replaces `{id}` for ERC-1155; `tokenId` is empty for ERC-721. */
function withTokenId(uri: string, tokenId: string): string {
  // Check the length first: each `{id}` makes a long URI longer still.
  return tokenId !== "" && uri.length <= URI_LENGTH_MAX ? substituteId(uri, tokenId) : uri;
}

/** Whether a contract's URI is the one a version was read from; versions store it bounded and with `{id}` replaced. */
export function isUriOfVersion(
  read: Extract<UriRead, { kind: "read" }>,
  tokenId: string,
  uri: string,
): boolean {
  const filledIn = withTokenId(read.uri, read.standard === "erc1155" ? tokenId : "");
  return uri === stored(filledIn) || uri === stored(abridged(read.uri, URI_LENGTH_MAX));
}

async function readInline(uri: string, tokenId: string, signal: AbortSignal | undefined): Promise<Answer> {
  const content = readDataUri(uri, DOCUMENT_BYTES_MAX);
  if (content.kind === "refused") return failed(content.reason, content.message, false);
  return readBody(content.body, tokenId, signal);
}

async function readBody(body: Buffer, tokenId: string, signal: AbortSignal | undefined): Promise<Answer> {
  try {
    return await readPaced(body.length, () => readDocument(body, tokenId), signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
    return failed("timeout", "the document was not read in the time that was left", true);
  }
}

/** Pass `tokenId` for ERC-1155 documents, whose string values may contain `{id}`. */
export function readDocument(body: Buffer, tokenId: string): Answer {
  const json = parseJson(body);
  if (json.kind === "invalid") {
    return failed("invalid_json", `the document is not valid JSON: ${json.problem}`, false);
  }
  // Each `{id}` grows by 60 characters: a document full of them would grow to 32 MiB.
  let bytes = body.length;
  const withId = (text: string): string => {
    if (bytes > DOCUMENT_BYTES_MAX) return text;
    const replaced = substituteId(text, tokenId);
    bytes += replaced.length - text.length;
    return replaced;
  };
  const value = tokenId === "" ? json.value : replaceStrings(json.value, withId);
  if (bytes > DOCUMENT_BYTES_MAX) {
    const problem = `with each {id} replaced, the document is over ${DOCUMENT_BYTES_MAX} bytes`;
    return failed("too_large", problem, false);
  }
  const normalised = normalise(value, json.source);
  if (!normalised) return failed("not_an_object", "the document is not a JSON object", false);
  return {
    kind: "document",
    document: { hash: hash("sha256", body), body, ...normalised },
  };
}
