/**
 * Fetches a document or a file from the URLs that lead to it. IPFS content is read through gateways, verified by its CID,
 * and asked of a second gateway when the first is late (https://specs.ipfs.tech/http-gateways/trustless-gateway/).
 */

import { withoutTrailing } from "../../text/without-trailing.ts";
import { type FailedFetch, failed } from "../fetch-failure.ts";
import { createGatewayHealth, type GatewayHealth } from "../gateway-health.ts";
import type { FetchOptions } from "../guarded-fetch.ts";
import { type ContentRef, contentOf, gatewayOf, isIpns } from "../locate.ts";
import { type GatewayMetrics, noGatewayMetrics } from "./gateway-metrics.ts";
import {
  type Attempt,
  createGatewayRequests,
  type FoundContent,
  type GatewayDeps,
  noSuchContent,
  refused,
  VERIFIED_ETAG,
} from "./gateway-request.ts";
import { hedged } from "./hedge.ts";
import { verifiableCid } from "./verify-car.ts";

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

/** What becomes of IPFS content that can't be verified. */
export type IpfsUnverified = "allow" | "refuse";

export interface ContentDeps extends Pick<GatewayDeps, "fetch" | "fetchFromGateway" | "gateways"> {
  readonly health?: GatewayHealth | undefined;
  /** `allow` by default. */
  readonly ipfsUnverified?: IpfsUnverified | undefined;
  readonly metrics?: GatewayMetrics | undefined;
  readonly onMismatch?: GatewayDeps["onMismatch"];
}

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
  const gatewayDeps = { fetch, fetchFromGateway, gateways, health, isAllowed, metrics, onMismatch };
  const { ask, askPlainly, note, noteBlocks, isDistrusted, blocksOf } = createGatewayRequests(gatewayDeps);

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
          } else if (attempt.kind === "unverified") spare ??= ofFirst(attempt.answer, attempt.url, urls);
          else return true;
          // Another one gave blocks before, and may verify the content.
          return (
            spare !== undefined && !others.some((url) => blocksOf(url) === "given" && !isDistrusted(url))
          );
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
      (await askAll(pages, index, options)) ?? noSuchContent("the content is a directory, without a page")
    );
  };
}

const INDEX = "index.html";
// How gateways refuse a format: bad request, not acceptable, unsupported.
const NO_BLOCKS = new Set([400, 406, 415]);

/** Where one gateway redirects says nothing about another one's URL. */
const ofFirst = <Answer extends FoundContent | FailedFetch>(
  answer: Answer,
  from: string,
  [first = from]: readonly string[],
): Answer => (answer.kind === "failed" || from === first ? answer : { ...answer, url: first });

const unchanged = (url: string): FoundContent => ({
  kind: "fetched",
  body: Buffer.alloc(0),
  url,
  contentType: "",
  etag: VERIFIED_ETAG,
  isUnchanged: true,
  verified: "cid",
});

function indexUrl(url: string): string {
  const target = new URL(url);
  target.pathname = `${withoutTrailing(target.pathname, "/")}/${INDEX}`;
  return target.href;
}
