/** One token, from contract to normalised document. Touches the network and no database. */

import { createHash } from "node:crypto";
import type { Standard } from "../../config.ts";
import type { TokenRef } from "../../domain/token-ref.ts";
import type { FetchFailure, GuardedFetch } from "./guarded-fetch.ts";
import type { Issue } from "./issues.ts";
import { storable } from "./json.ts";
import { type Metadata, normalise } from "./normalise.ts";
import type { ReadUri } from "./read-uri.ts";
import { locate, substituteId } from "./token-uri.ts";

export type FailureReason =
  | FetchFailure
  | "token_reverted"
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
}

export type Resolution = {
  readonly uri: string | null;
  readonly block: number;
  readonly durationMs: number;
} & (
  | { readonly kind: "document"; readonly document: Document }
  | {
      readonly kind: "failed";
      readonly reason: FailureReason;
      readonly message: string;
      readonly transient: boolean;
      readonly retryAfterMs?: number | undefined;
    }
);

export type Resolve = (
  token: TokenRef,
  standard: Standard | undefined,
  block: number,
  signal?: AbortSignal,
) => Promise<Resolution>;

// design: "document up to 2 MiB".
const DOCUMENT_BYTES_MAX = 2 * 1024 * 1024;
const DOCUMENT_TIMEOUT_MS = 30_000;
const ID_GROWTH = 64 - "{id}".length;
// What servers commonly take in a request line.
const URI_LENGTH_MAX = 8_192;

type Failure = Omit<Extract<Resolution, { kind: "failed" }>, "uri" | "block" | "durationMs">;
type Answer = Failure | { readonly kind: "document"; readonly document: Document };

const failed = (reason: FailureReason, message: string, transient: boolean): Failure => ({
  kind: "failed",
  reason,
  message,
  transient,
});

/** Expected failures are returned; nothing that a contract or a host answers makes this throw. */
export function createResolve(deps: {
  readonly readUri: ReadUri;
  readonly fetch: GuardedFetch;
  /** Also reaches the operator's own gateways on private addresses; used for content paths on them, nothing else. */
  readonly fetchFromGateway: GuardedFetch;
  readonly gateways: readonly string[];
}): Resolve {
  const { readUri, fetch, fetchFromGateway, gateways } = deps;
  const fetcherOf = (url: string): GuardedFetch =>
    gateways.some((gateway) => url.startsWith(`${gateway}/ipfs/`)) ? fetchFromGateway : fetch;

  async function fetchDocument(uri: string, tokenId: string, signal?: AbortSignal): Promise<Answer> {
    const located = locate(uri, gateways);
    if (located.kind === "refused") return failed(located.reason, located.message, false);
    if (uri.length > URI_LENGTH_MAX) {
      return failed(
        "invalid_uri",
        `the URI holds ${uri.length} characters; the limit is ${URI_LENGTH_MAX}`,
        false,
      );
    }

    let last: Failure | undefined;
    for (const url of located.urls) {
      const answer = await fetcherOf(url)(url, {
        bytesMax: DOCUMENT_BYTES_MAX,
        timeoutMs: DOCUMENT_TIMEOUT_MS,
        accept: "application/json, */*;q=0.5",
        signal,
      });
      if (answer.kind === "fetched") return readDocument(answer.body, tokenId);
      // A gateway that could not answer leaves the question open, whatever the others said.
      if (!last?.transient || answer.transient) last = answer;
    }
    return last ?? failed("unreachable", "no IPFS gateway is configured", true);
  }

  return async (token, standard, block, signal) => {
    const startedAt = Date.now();
    const read = await readUri(token, standard, block);
    const outcome = (uri: string | null, answer: Answer): Resolution => ({
      ...answer,
      uri: uri === null ? null : storable(uri.slice(0, URI_LENGTH_MAX)),
      block,
      durationMs: Date.now() - startedAt,
    });
    if (read.kind === "reverted") return outcome(null, failed("token_reverted", read.message, false));
    if (read.kind === "unavailable") return outcome(null, failed("rpc_unavailable", read.message, true));

    const uri = read.standard === "erc1155" ? substituteId(read.uri, token.tokenId) : read.uri;
    return outcome(uri, await fetchDocument(uri, read.standard === "erc1155" ? token.tokenId : "", signal));
  };
}

/** `tokenId` is given for ERC-1155 documents, whose string values may hold `{id}`. */
export function readDocument(body: Buffer, tokenId: string): Answer {
  const text = body.toString("utf8").replace(/^\uFEFF/, "");
  // Each {id} grows by 60 characters: a document of nothing else would grow to 32 MiB.
  const substitutions = tokenId === "" ? 0 : text.split("{id}").length - 1;
  if (body.length + substitutions * ID_GROWTH > DOCUMENT_BYTES_MAX) {
    return failed(
      "too_large",
      `with each {id} replaced, the document is over ${DOCUMENT_BYTES_MAX} bytes`,
      false,
    );
  }
  let json: unknown;
  try {
    const reviver = (_key: string, value: unknown) =>
      typeof value === "string" ? substituteId(value, tokenId) : value;
    json = tokenId === "" ? JSON.parse(text) : JSON.parse(text, reviver);
  } catch (error) {
    // The message quotes the document.
    const problem = storable((error as Error).message.slice(0, 200));
    return failed("invalid_json", `the document is not valid JSON: ${problem}`, false);
  }
  const normalised = normalise(json);
  if (!normalised) return failed("not_an_object", "the document is not a JSON object", false);
  return {
    kind: "document",
    document: { hash: createHash("sha256").update(body).digest("hex"), body, ...normalised },
  };
}
