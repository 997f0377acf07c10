/**
 * Fetches a document or a file from the URLs that lead to it. IPFS content is read through gateways, verified by its CID,
 * and asked of a second gateway when the first is late (https://specs.ipfs.tech/http-gateways/trustless-gateway/).
 */

import { createGatewayHealth, type GatewayHealth } from "../gateway-health.ts";
import type { FailedFetch, FetchedBody, FetchOptions, GuardedFetch } from "../guarded-fetch.ts";
import { type ContentRef, contentOf, gatewayOf, isIpns } from "../locate.ts";
import { type GatewayMetrics, noGatewayMetrics } from "./gateway-metrics.ts";
import { hedged } from "./hedge.ts";
import { htmlTypeOf } from "./html-type.ts";
import { carBytesMax, verifiableCid, verifyCar } from "./verify-car.ts";

/** What the bytes were compared with: the CID that was asked for, or nothing. */
export type Verified = "cid" | null;

/** What becomes of IPFS content that can't be verified. */
export type IpfsUnverified = "allow" | "refuse";

export type FoundContent = FetchedBody & { readonly verified: Verified };

export interface ContentOptions extends FetchOptions {
  /**
   * Asked before a second gateway is asked beside the first; false prevents it. The signal is aborted once the content is
   * there, or won't be.
   */
  readonly mayHedge?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
}

export type FetchContent = (
  urls: readonly string[],
  options: ContentOptions,
) => Promise<FoundContent | FailedFetch>;

export interface ContentDeps {
  readonly fetch: GuardedFetch;
  /** Also reaches the operator's own gateways on private addresses; used only for content paths on them. */
  readonly fetchFromGateway: GuardedFetch;
  readonly gateways: readonly string[];
  readonly health?: GatewayHealth | undefined;
  /** `allow` by default. */
  readonly ipfsUnverified?: IpfsUnverified | undefined;
  readonly metrics?: GatewayMetrics | undefined;
  /** Called when a gateway is paused for sending other bytes than it was asked for. */
  readonly onMismatch?: ((gateway: string, message: string) => void) | undefined;
}

const CAR_TYPE = "application/vnd.ipld.car";
const CAR_PARAMETERS = ["format", "dag-scope", "entity-bytes"];
/** The ETag of all verified content: under its URL it never changes, so no request is needed to revalidate it. */
const VERIFIED_ETAG = '"vitrine-cid"';

/** One request's outcome. */
type Attempt =
  /** It decides, whatever other gateways say: it was verified. */
  | { readonly kind: "verified"; readonly answer: FoundContent | FailedFetch }
  | { readonly kind: "unverified"; readonly answer: FoundContent | FailedFetch }
  | { readonly kind: "directory" }
  | { readonly kind: "unverifiable"; readonly message: string }
  /** `isRefusal`: it may have refused to give blocks, and give plain bytes. */
  | { readonly kind: "failed"; readonly failure: FailedFetch; readonly isRefusal: boolean };

const failed = (
  reason: FailedFetch["reason"],
  message: string,
  transient: boolean,
  status?: number,
): FailedFetch => ({
  kind: "failed",
  reason,
  message,
  transient,
  ...(status !== undefined && { status }),
});

/** A gateway that could not answer leaves the result open, whatever the others answered. */
const worse = (one: FailedFetch | undefined, other: FailedFetch): FailedFetch =>
  !one?.transient || other.transient ? other : one;

/**
 * `urls` are those of `locate`: one of a host, or those of the same content at several gateways. Never rejects.
 * What is verified is final, as is a path that the verified directory lacks. Unverified bytes are used where no gateway
 * gave blocks, unless the operator refuses them.
 */
export function createFetchContent(deps: ContentDeps): FetchContent {
  const { fetch, fetchFromGateway, gateways, ipfsUnverified = "allow", metrics = noGatewayMetrics } = deps;
  const { health = createGatewayHealth(gateways), onMismatch } = deps;
  const isAllowed = ipfsUnverified === "allow";
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
    if (read.kind === "missing")
      return verified(failed("http_status", "the content has no such path", false, 404));
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

  /** What the gateways have, or undefined for a directory. */
  async function askAll(
    urls: readonly string[],
    content: ContentRef,
    { mayHedge, ...options }: ContentOptions,
  ): Promise<FoundContent | FailedFetch | undefined> {
    const refusing = new Set<string>();
    let spare: FoundContent | FailedFetch | undefined;
    let last: FailedFetch | undefined;
    const timeOf = (url: string) => health.timeOf(gatewayOf(url, gateways));
    const isVerifiable = verifiableCid(content.cid) !== undefined;
    const decided = await hedged<string, Attempt & { readonly url: string }>(
      isVerifiable ? health.inOrder(urls) : [],
      {
        async ask(url, signal, onAnswer) {
          const startedAt = performance.now();
          const onBody = (): void => {
            timeOf(url).note(performance.now() - startedAt);
            onAnswer();
          };
          return { url, ...(await ask(url, content, { ...options, signal, onBody })) };
        },
        lateAfterMs: (url) => timeOf(url).ms,
        isEnd(attempt, others) {
          if (attempt.kind === "failed") {
            last = worse(last, attempt.failure);
            if (attempt.isRefusal) refusing.add(attempt.url);
            return false;
          }
          if (attempt.kind !== "unverified") return true;
          spare ??= ofFirst(attempt.answer, attempt.url, urls);
          // Another one gave blocks before, and may verify the content.
          return !others.some((url) => blocksOf(url) === "given" && !isDistrusted(url));
        },
        mayHedge,
        onLost(url) {
          note(url, false);
          metrics.hedged(gatewayOf(url, gateways));
        },
        signal: options.signal,
      },
    );
    if (decided?.kind === "verified") return ofFirst(decided.answer, decided.url, urls);
    if (decided?.kind === "directory") return undefined;
    if (spare) return spare;
    const isPlain = !isVerifiable || decided?.kind === "unverifiable";
    if (!isAllowed) return isPlain || NO_BLOCKS.has(last?.status ?? 0) ? refused : (last ?? refused);
    const plain = health.inOrder(urls).filter((url) => (isPlain || refusing.has(url)) && !isDistrusted(url));
    for (const url of plain) {
      const answer = await askPlainly(url, options);
      if (answer.kind === "fetched") {
        if (!isPlain) noteBlocks(url, false);
        return ofFirst(answer, url, urls);
      }
      last = worse(last, answer);
    }
    return last ?? refused;
  }

  return async (urls, options) => {
    const [first] = urls;
    if (first === undefined) return failed("unreachable", "no IPFS gateway is configured", true);
    const content = contentOf(first);
    if (!content) {
      if (!isAllowed && isIpns(first)) return refused;
      const answer = await fetch(first, options);
      return answer.kind === "fetched" ? { ...answer, verified: null } : answer;
    }
    if (options.ifNoneMatch === VERIFIED_ETAG) return unchanged(first);
    const found = await askAll(urls, content, options);
    if (found) return found;
    // As gateways answer a directory.
    const index = { cid: content.cid, path: [...content.path, INDEX] };
    const pages = urls.map(indexUrl);
    return (
      (await askAll(pages, index, options)) ??
      failed("http_status", "the content is a directory, without a page", false, 404)
    );
  };
}

const INDEX = "index.html";
// How gateways refuse a format: bad request, not acceptable, unsupported.
const NO_BLOCKS = new Set([400, 406, 415]);
const refused = failed(
  "content_unverified",
  "no gateway gave blocks to verify the content by, and IPFS_UNVERIFIED is refuse",
  false,
);
const withoutBlocks: Attempt = { kind: "failed", failure: refused, isRefusal: false };
const verified = (answer: FoundContent | FailedFetch): Attempt => ({ kind: "verified", answer });

/** Where one gateway redirects says nothing about another one's URL. */
const ofFirst = <Answer extends FoundContent | FailedFetch>(
  answer: Answer,
  from: string,
  [first = from]: readonly string[],
): Answer => (answer.kind === "failed" || from === first ? answer : { ...answer, url: first });

/** Gateways break a CAR off where they can't find a block, which says nothing about the gateway's host. */
const withReason = (answer: FetchedBody | FailedFetch): FetchedBody | FailedFetch =>
  answer.kind === "failed" && answer.reason === "unreachable"
    ? { ...answer, reason: "content_incomplete", message: "the gateway broke off its answer" }
    : answer;

/** Never with the ETag of verified content, which only we may give. */
function unverified({ etag, ...answer }: FetchedBody): FoundContent {
  return { ...answer, ...(etag !== undefined && etag !== VERIFIED_ETAG && { etag }), verified: null };
}

const unchanged = (url: string): FoundContent => ({
  kind: "fetched",
  body: Buffer.alloc(0),
  url,
  contentType: "",
  etag: VERIFIED_ETAG,
  isUnchanged: true,
  verified: "cid",
});

/** The limit of the content holds, though a CAR may have more bytes. */
function bounded(
  answer: FoundContent,
  { bytesMax, isStartEnough }: FetchOptions,
): FoundContent | FailedFetch {
  if (answer.body.length <= bytesMax) return answer;
  if (!isStartEnough) return failed("too_large", `the body is over ${bytesMax} bytes`, false);
  return { ...answer, body: answer.body.subarray(0, bytesMax) };
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

function indexUrl(url: string): string {
  const target = new URL(url);
  target.pathname = `${target.pathname.replace(/\/+$/, "")}/${INDEX}`;
  return target.href;
}
