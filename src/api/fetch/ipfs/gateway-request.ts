/** One request for content at an IPFS gateway: for blocks, which verify it, or for its bytes alone. */

import { type FailedFetch, failed } from "../fetch-failure.ts";
import type { GatewayHealth } from "../gateway-health.ts";
import type { FetchedBody, FetchOptions, GuardedFetch } from "../guarded-fetch.ts";
import { type ContentRef, gatewayOf } from "../locate.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import { htmlTypeOf } from "./html-type.ts";
import { carBytesMax, verifyCar } from "./verify-car.ts";

/** What the bytes were compared with: the CID that was asked for, or nothing. */
export type Verified = "cid" | null;

export type FoundContent = FetchedBody & { readonly verified: Verified };

export interface GatewayDeps {
  readonly fetch: GuardedFetch;
  /** Also reaches the operator's own gateways on private addresses; used only for content paths on them. */
  readonly fetchFromGateway: GuardedFetch;
  readonly gateways: readonly string[];
  readonly health: GatewayHealth;
  /** Whether content that can't be verified may be used. */
  readonly isAllowed: boolean;
  readonly metrics: GatewayMetrics;
  /** Called when a gateway is paused for sending other bytes than it was asked for. */
  readonly onMismatch: ((gateway: string, message: string) => void) | undefined;
}

const CAR_TYPE = "application/vnd.ipld.car";
const CAR_PARAMETERS = ["format", "dag-scope", "entity-bytes"];
/** The ETag of all verified content: under its URL it never changes, so no request is needed to revalidate it. */
export const VERIFIED_ETAG = '"vitrine-cid"';

/** One request's outcome. */
export type Attempt =
  /** It decides, whatever other gateways say: it was verified. */
  | { readonly kind: "verified"; readonly answer: FoundContent | FailedFetch }
  | { readonly kind: "unverified"; readonly answer: FoundContent | FailedFetch }
  | { readonly kind: "directory" }
  | { readonly kind: "unverifiable"; readonly message: string }
  /** `isRefusal`: it may have refused to give blocks, and give plain bytes. */
  | { readonly kind: "failed"; readonly failure: FailedFetch; readonly isRefusal: boolean };

/** Every answer is noted as one of the URL's gateway, if it is one of ours. Nothing here rejects. */
export function createGatewayRequests(deps: GatewayDeps) {
  const { fetch, fetchFromGateway, gateways, health, isAllowed, metrics, onMismatch } = deps;
  const fetcherOf = (url: string): GuardedFetch =>
    gatewayOf(url, gateways) === undefined ? fetch : fetchFromGateway;
  const isDistrusted = (url: string): boolean => health.isDistrusted(gatewayOf(url, gateways) ?? "");
  const blocksOf = (url: string) => health.blocksOf(gatewayOf(url, gateways) ?? "");

  /** An aborted fetch says nothing about the gateway. */
  function note(url: string, isAnswered: boolean, signal?: AbortSignal): void {
    const gateway = gatewayOf(url, gateways);
    if (gateway !== undefined && !signal?.aborted) health.note(gateway, isAnswered);
  }

  function noteBlocks(url: string, isGiven: boolean): void {
    const gateway = gatewayOf(url, gateways);
    if (gateway !== undefined) health.noteBlocks(gateway, isGiven);
  }

  async function askPlainly(url: string, options: FetchOptions): Promise<FoundContent | FailedFetch> {
    const answer = await fetcherOf(url)(url, options);
    note(url, answer.kind === "fetched" || !answer.transient, options.signal);
    return answer.kind === "fetched" ? unverified(answer) : answer;
  }

  async function askForBlocks(url: string, content: ContentRef, options: FetchOptions): Promise<Attempt> {
    const { bytesMax, isStartEnough, signal } = options;
    let isBegun = false;
    const fetched = await fetcherOf(url)(carUrl(url, options), {
      ...options,
      bytesMax: carBytesMax(bytesMax),
      isStartEnough: true,
      accept: CAR_TYPE,
      ifNoneMatch: undefined,
      onBody() {
        isBegun = true;
        options.onBody?.();
      },
    });
    const answer = isBegun ? withReason(fetched) : fetched;
    if (answer.kind === "failed") {
      note(url, !answer.transient, signal);
      const isRefusal = answer.reason === "http_status" && !answer.transient && blocksOf(url) !== "given";
      return { kind: "failed", failure: answer, isRefusal };
    }
    if (!answer.contentType.toLowerCase().startsWith(CAR_TYPE)) {
      note(url, true, signal);
      noteBlocks(url, false);
      if (!isAllowed || isDistrusted(url)) return withoutBlocks;
      return { kind: "unverified", answer: bounded(unverified(answer), options) };
    }
    const isCut = answer.body.length >= carBytesMax(bytesMax);
    const read = await verifyCar(answer.body, content, { bytesMax, isStartEnough }, isCut);
    if (read.kind === "mismatch") return mismatched(url, read.message, signal);
    note(url, read.kind !== "incomplete", signal);
    if (read.kind === "incomplete")
      return { kind: "failed", failure: failed("content_incomplete", read.message, true), isRefusal: false };
    noteBlocks(url, true);
    if (read.kind === "directory" || read.kind === "unverifiable") return read;
    if (read.kind === "missing") return verified(noSuchContent("the content has no such path"));
    if (read.kind === "too_large")
      return verified(failed("too_large", `the body is over ${bytesMax} bytes`, false));
    const { body } = read;
    const contentType = htmlTypeOf(body, content.path.at(-1));
    return verified({
      kind: "fetched",
      body,
      url: answer.url,
      contentType,
      etag: VERIFIED_ETAG,
      verified: "cid",
    });
  }

  function mismatched(url: string, message: string, signal?: AbortSignal): Attempt {
    const gateway = gatewayOf(url, gateways);
    if (!signal?.aborted) {
      metrics.mismatched(gateway);
      if (gateway !== undefined && health.noteMismatch(gateway)) onMismatch?.(gateway, message);
    }
    const { host } = new URL(url);
    const failure = failed(
      "content_mismatch",
      `${host} returned bytes that don't match the CID: ${message}`,
      true,
    );
    return { kind: "failed", failure, isRefusal: false };
  }

  async function ask(url: string, content: ContentRef, options: FetchOptions): Promise<Attempt> {
    if (blocksOf(url) !== "none") return askForBlocks(url, content, options);
    if (!isAllowed || isDistrusted(url)) return withoutBlocks;
    const answer = await askPlainly(url, options);
    return answer.kind === "fetched"
      ? { kind: "unverified", answer }
      : { kind: "failed", failure: answer, isRefusal: false };
  }

  return { ask, askPlainly, note, noteBlocks, isDistrusted, blocksOf };
}

export const refused = failed(
  "content_unverified",
  "no gateway gave blocks to verify the content by, and IPFS_UNVERIFIED is refuse",
  false,
);
const withoutBlocks: Attempt = { kind: "failed", failure: refused, isRefusal: false };
const verified = (answer: FoundContent | FailedFetch): Attempt => ({ kind: "verified", answer });

/** Gateways break a CAR off where they can't find a block, which says nothing about the gateway's host. */
const withReason = (answer: FetchedBody | FailedFetch): FetchedBody | FailedFetch =>
  answer.kind === "failed" && answer.reason === "unreachable"
    ? { ...answer, reason: "content_incomplete", message: "the gateway broke off its answer" }
    : answer;

/** Never with the ETag of verified content, which only we may give. */
function unverified({ etag, ...answer }: FetchedBody): FoundContent {
  return { ...answer, ...(etag !== undefined && etag !== VERIFIED_ETAG && { etag }), verified: null };
}

/** The limit of the content holds, though a CAR may have more bytes. */
function bounded(
  answer: FoundContent,
  { bytesMax, isStartEnough }: FetchOptions,
): FoundContent | FailedFetch {
  if (answer.body.length <= bytesMax) return answer;
  const start = answer.body.subarray(0, bytesMax);
  if (!isStartEnough) return { ...failed("too_large", `the body is over ${bytesMax} bytes`, false), start };
  return { ...answer, body: start };
}

/** The same URL, its own parameters included, which may be a key of the gateway. */
function carUrl(url: string, { bytesMax, isStartEnough }: FetchOptions): string {
  const target = new URL(url);
  for (const name of CAR_PARAMETERS) if (target.searchParams.has(name)) target.searchParams.delete(name);
  const range = isStartEnough ? `&entity-bytes=0:${bytesMax - 1}` : "";
  target.search += `${target.search === "" ? "?" : "&"}format=car&dag-scope=entity${range}`;
  target.hash = "";
  return target.href;
}

/** As a host says that it has nothing there. The reason that is stored has the status only in its text. */
export const noSuchContent = (message: string): FailedFetch => ({
  ...failed("http_status", `${message} (404)`, false),
  status: 404,
});
