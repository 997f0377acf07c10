/** Maps a contract's answer to the URLs of the document, in the order to try them. */

import type { ExtraScheme } from "../config.ts";
import { parseUrl, problemOfHost } from "../text/parse-url.ts";

export type Located =
  | { readonly kind: "located"; readonly urls: readonly string[] }
  /** A data: URI, which contains the document; `readDataUri` reads it. */
  | { readonly kind: "inline" }
  | {
      readonly kind: "refused";
      readonly reason: "empty_uri" | "invalid_uri" | "unsupported_scheme";
      readonly message: string;
    };

const ID_HEX_DIGITS = 64;
// CIDv0, and CIDv1 in the encodings in use: base32, base16, base36, base58.
const CID =
  /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|[bB][a-zA-Z2-7]{50,}|[fF][0-9a-fA-F]{50,}|[kK][0-9a-zA-Z]{50,}|z[1-9A-HJ-NP-Za-km-z]{40,})(?=[/?#]|$)/;
// Base64url without padding, of a SHA-256.
const ARWEAVE = /^ar:\/\/([A-Za-z0-9_-]{43})(?=[/?#]|$)/i;
const ARWEAVE_GATEWAY = "https://arweave.net";
const NO_SCHEMES: ReadonlySet<ExtraScheme> = new Set();
const EVERY_SCHEME: ReadonlySet<ExtraScheme> = new Set(["data", "ar"]);
const DATA_WITH_CONTENT = /^data:[^,]*,./is;
// Prefixes that contracts write before a CID: `ipfs://`, `ipfs:/`, `ipfs:///ipfs/`, `ipfs://ipfs/ipfs/`, `/ipfs/`,
// `ipfs/`, `dweb:/ipfs/`, `ipfs://ipfs://`, `ipfs://https://gateway/ipfs/`, or nothing.
const BEFORE_CID = /^\/*(?:(?:(?:ipfs|dweb):|ipfs\/|https?:\/+[^/?#]+\/ipfs\/)\/*)*/i;
// In a gateway's URL, where content begins, also as an IPFS URI of its own.
const CONTENT_START = /\/(?:ipfs\/|(?:ipfs|dweb):)/i;

/** ERC-1155: `{id}` stands for the id as 64 lower-case hex digits, in the URI and in JSON string values. */
export function substituteId(text: string, tokenId: string): string {
  if (!text.includes("{id}")) return text;
  return text.replaceAll("{id}", BigInt(tokenId).toString(16).padStart(ID_HEX_DIGITS, "0"));
}

/**
 * Http(s) URLs unchanged; IPFS content once per gateway, whatever its spelling, including a bare CID. If the URL is one
 * of another gateway, that gateway comes first, then ours. Other schemes only if the operator allows them.
 */
export function locate(
  uri: string,
  gateways: readonly string[],
  extraSchemes: ReadonlySet<ExtraScheme> = NO_SCHEMES,
): Located {
  const located = locateByForm(uri, gateways, extraSchemes);
  const [first] = located.kind === "located" ? located.urls : [];
  const problem = first === undefined ? undefined : problemOfHost(new URL(first));
  return problem === undefined ? located : refused("invalid_uri", `the URI's host ${problem}`);
}

/**
 * Whether the URI has the form of one that is located. Normalised documents store this answer and the next one, so another
 * rule here needs another NORMALISER.
 */
export const hasLocatableForm = (uri: string): boolean =>
  locateByForm(uri, [], NO_SCHEMES).kind === "located";

/** Whether any program may load something from the URI: also from `data:` and `ar:`, whatever the operator allows. */
export function hasLoadableForm(uri: string): boolean {
  const { kind } = locateByForm(uri, [], EVERY_SCHEME);
  return kind === "located" || (kind === "inline" && DATA_WITH_CONTENT.test(withoutControls(uri)));
}

function locateByForm(
  uri: string,
  gateways: readonly string[],
  extraSchemes: ReadonlySet<ExtraScheme>,
): Located {
  const text = withoutControls(uri);
  const accepted = oneOf(["http", "https", "ipfs", ...extraSchemes]);
  if (text === "") return refused("empty_uri", "the contract answered an empty URI");

  const scheme = schemeOf(text);
  if (isOfIpfs(scheme)) {
    const content = contentOfUri(text);
    if (content !== undefined) return { kind: "located", urls: throughGateways(content, gateways) };
    const problem =
      scheme === undefined ? `has no scheme; it must be ${accepted}` : `is ${scheme}: without a CID`;
    return refused("invalid_uri", `the URI ${problem}`);
  }
  if (scheme === "data" && extraSchemes.has(scheme)) return { kind: "inline" };
  if (scheme === "ar" && extraSchemes.has(scheme)) return locateArweave(text);
  if (scheme !== "http" && scheme !== "https") {
    return refused("unsupported_scheme", `the URI is ${scheme}:; it must be ${accepted}`);
  }
  const url = parseUrl(text);
  if (!url) return refused("invalid_uri", "the URI can't be parsed as a URL");
  const found = findInUrl(url);
  if (found === undefined) return { kind: "located", urls: [url.href] };
  return { kind: "located", urls: [...new Set([found.href, ...throughGateways(found.content, gateways)])] };
}

/**
 * As the URL Standard reads it: without white space and C0 controls at its ends, and without tabs and line breaks, which
 * could hide an encoded slash.
 */
function withoutControls(uri: string): string {
  const isBlank = (index: number): boolean => {
    const character = uri.charAt(index);
    return character <= " " || character.trim() === "";
  };
  let [start, end] = [0, uri.length];
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return uri.slice(start, end).replace(/[\t\n\r]/g, "");
}

const schemeOf = (text: string): string | undefined =>
  /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();

/** A text without a scheme may be a CID or a path. */
const isOfIpfs = (scheme: string | undefined): boolean =>
  scheme === undefined || scheme === "ipfs" || scheme === "dweb";

const contentOfUri = (text: string): string | undefined =>
  contentPath(asUrlPart(text.replace(BEFORE_CID, "")));

/** What a URL contains where names were written as they are, without an escape. */
const asUrlPart = (text: string): string => withHashesInName(withPercentSigns(text));

/** A percent sign that starts no byte stands for itself. */
const withPercentSigns = (text: string): string =>
  text
    .split("%")
    .map((part, index) => (index === 0 || /^[0-9a-f]{2}/i.test(part) ? part : `25${part}`))
    .join("%");

/**
 * A `#` after a space, as in `Cat #7.png`, is part of a file's name: programs that build such URIs often escape nothing.
 * Elsewhere it begins a fragment.
 */
function withHashesInName(content: string): string {
  const [path = "", ...query] = content.split("?");
  const first = path.indexOf("#");
  const isName = first > 0 && path.lastIndexOf("/", first) > 0 && /(?: |%20)$/.test(path.slice(0, first));
  return isName ? [path.replaceAll(/( |%20)#/g, "$1%23"), ...query].join("?") : content;
}

const oneOf = (names: readonly string[]): string => `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

function locateArweave(text: string): Located {
  const id = ARWEAVE.exec(text)?.[1];
  if (id === undefined)
    return refused("invalid_uri", "the URI is ar: without a transaction id (43 characters) after ar://");
  const { pathname, href } = new URL(`${ARWEAVE_GATEWAY}/${text.slice("ar://".length)}`);
  // Dot segments may leave it.
  return pathname === `/${id}` || pathname.startsWith(`/${id}/`)
    ? { kind: "located", urls: [href] }
    : refused("invalid_uri", "the URI is ar: with a path that leaves its transaction");
}

const refused = (reason: Extract<Located, { kind: "refused" }>["reason"], message: string): Located => ({
  kind: "refused",
  reason,
  message,
});

const throughGateways = (content: string, gateways: readonly string[]): string[] =>
  gateways.map((gateway) => `${gateway}/ipfs/${content}`);

/** Whether the URI identifies its content and not a location, so that the content never changes. */
export function isContentAddressed(uri: string): boolean {
  const text = withoutControls(uri);
  const scheme = schemeOf(text);
  if (isOfIpfs(scheme)) return contentOfUri(text) !== undefined;
  if (scheme === "data" || scheme === "ar") return true;
  const url = parseUrl(text);
  return url !== undefined && findInUrl(url) !== undefined;
}

/** The name of all gateways together, where a host is expected. */
export const IPFS_HOST = "ipfs";

/** The gateway of a URL that asks for content; undefined for any other page of it. */
export const gatewayOf = (url: string, gateways: readonly string[]): string | undefined =>
  gateways.find((gateway) => {
    const prefix = `${gateway}/ipfs/`;
    return url.startsWith(prefix) && contentPath(url.slice(prefix.length)) !== undefined;
  });

/**
 * Who serves a URL: its host, or our gateways, which fail over to each other. A gateway that gives each content a name of
 * its own is one host.
 */
export function servingHost(url: string, gateways: readonly string[]): string {
  if (gatewayOf(url, gateways) !== undefined) return IPFS_HOST;
  const { host, protocol } = new URL(url);
  const [, content = "", gateway] = /^([^.]+)\.ipfs\.(.+)$/.exec(host) ?? [];
  if (gateway !== undefined && CID.test(content)) return gateway;
  // A host may have this name as well, and its failures are its own.
  return host === IPFS_HOST ? `${host}:${protocol === "https:" ? 443 : 80}` : host;
}

/** IPFS content by the names that lead to it. */
export interface ContentRef {
  /** As written. */
  readonly cid: string;
  /** The names below it, decoded once; empty for the content itself. */
  readonly path: readonly string[];
}

/** The content that a gateway's URL asks for, whoever runs the gateway; undefined for any other URL. */
export function contentOf(url: string): ContentRef | undefined {
  const parsed = parseUrl(url);
  const found = parsed && findInUrl(parsed);
  if (found === undefined) return undefined;
  const { pathname } = new URL(`http://gateway.invalid/ipfs/${found.content}`);
  const [cid = "", ...path] = decodedOnce(pathname.slice("/ipfs/".length)).split("/");
  return { cid, path: path.filter(Boolean) };
}

function decodedOnce(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Bytes that are no UTF-8.
    return path;
  }
}

/** Whether the URL asks a gateway for a name of IPNS, whose content may change at any time. */
export function isIpns(url: string): boolean {
  const { hostname, pathname } = parseUrl(url) ?? {};
  return /\/ipns\/[^/]/i.test(pathname ?? "") || /^[^.]+\.ipns\./i.test(hostname ?? "");
}

/** Content as a gateway's URL names it. */
interface FoundInUrl {
  /** The URL as gateways read it. */
  readonly href: string;
  /** `CID[/path]`, with the URL's query and fragment. */
  readonly content: string;
}

/**
 * The content of a gateway's URL: `https://host/ipfs/CID/path`, below any folder and before any IPFS URI, and
 * `https://CID.ipfs.host/path`.
 */
function findInUrl({ href }: URL): FoundInUrl | undefined {
  const url = new URL(asUrlPart(href));
  const { hostname, pathname, search, hash } = url;
  const start = pathname.search(CONTENT_START);
  if (start < 0) {
    const cid = /^([^.]+)\.ipfs\./.exec(hostname)?.[1];
    const content = cid === undefined ? undefined : contentPath(cid + pathname + search + hash);
    return content === undefined ? undefined : { href: url.href, content };
  }
  const [prefix = ""] = BEFORE_CID.exec(pathname.slice(start)) ?? [];
  const path = pathname.slice(start + prefix.length);
  const content = contentPath(path + search + hash);
  if (content === undefined) return undefined;
  if (prefix.includes(":")) url.pathname = `${pathname.slice(0, start)}/ipfs/${path}`;
  return { href: url.href, content };
}

/** `CID[/path]`, or undefined for anything else. */
function contentPath(text: string): string | undefined {
  const cid = CID.exec(text)?.[0];
  if (cid === undefined) return undefined;
  // Dot segments that leave the content would reach other pages of a gateway, which may be private. A proxy may read an
  // encoded slash as one.
  const decoded = text.replace(/%2f|%5c/gi, "/");
  const { pathname } = new URL(`http://gateway.invalid/ipfs/${decoded}`);
  return pathname === `/ipfs/${cid}` || pathname.startsWith(`/ipfs/${cid}/`) ? text : undefined;
}
