/** Where pages are, and what they may load. */

import { createMiddleware } from "hono/factory";
import { NONCE, type SecureHeadersVariables, secureHeaders } from "hono/secure-headers";
import { parseUrl } from "../text/parse-url.ts";
import { withoutTrailing } from "../text/without-trailing.ts";
import { withVisitor } from "./visitor.ts";

/** Converts a path for the browser: BASE_URL may have a path of its own, which a proxy strips. */
export type To = (path: string) => string;

export function pathsUnder(baseUrl: string): To {
  const prefix = withoutTrailing(new URL(baseUrl).pathname, "/");
  return (path) => `${prefix}${path}`;
}

/** Origins that one page loads from, besides the service's own. */
export interface PageSources {
  readonly img?: readonly string[];
  readonly media?: readonly string[];
  readonly frame?: readonly string[];
}

/** `pageHeaders` sets the nonce of the page's scripts, and reads `sources` from the page. */
export type PageVariables = SecureHeadersVariables & { sources?: PageSources };

export interface PagePolicy {
  readonly baseUrl: string;
  /** Where pictures are served, if that may be elsewhere. */
  readonly mediaBaseUrl?: string;
  /** For libraries that write style attributes, which no nonce covers. */
  readonly inlineStyles?: boolean;
  /** Origins that scripts may connect to, besides the page's own. */
  readonly connect?: readonly string[];
}

/** Allows scripts that the page itself names and styles from our own files; no frames, no requests to other sites. */
export function pageHeaders({ baseUrl, mediaBaseUrl, inlineStyles = false, connect = [] }: PagePolicy) {
  const isElsewhere = mediaBaseUrl !== undefined && mediaBaseUrl !== baseUrl;
  const pictures = (isElsewhere && policyOrigin(mediaBaseUrl)) || undefined;
  const isSecure = baseUrl.startsWith("https:");
  const headers = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: [NONCE],
      styleSrc: ["'self'", ...(inlineStyles ? ["'unsafe-inline'"] : [])],
      imgSrc: ["'self'", "data:", ...(pictures ? [pictures] : [])],
      fontSrc: ["'self'", "data:"],
      connectSrc: ["'self'", ...connect],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
    // Plain http on this machine must stay reachable.
    strictTransportSecurity: isSecure,
    crossOriginOpenerPolicy: "same-origin",
    referrerPolicy: "same-origin",
    xFrameOptions: "DENY",
  });
  return createMiddleware<{ Variables: PageVariables }>(async (c, next) => {
    // A page depends on its visitor's cookies and language. Browsers go back to one of their cache without asking.
    c.header("Cache-Control", "private, no-cache");
    await withVisitor(c, () => headers(c, next));
    if (isPage(c.res.headers)) c.res.headers.append("Vary", "Cookie, Accept-Language");
    const sources = c.get("sources");
    const policy = c.res.headers.get(POLICY);
    if (sources && policy) c.res.headers.set(POLICY, widen(policy, sources));
  });
}

const isPage = (headers: Headers): boolean => headers.get("Content-Type")?.startsWith("text/html") ?? false;

const POLICY = "Content-Security-Policy";

const widen = (policy: string, { img = [], media = [], frame = [] }: PageSources): string =>
  [
    ...policy.split("; ").map((part) => (part.startsWith("img-src ") ? [part, ...img].join(" ") : part)),
    ...(media.length > 0 ? [`media-src ${media.join(" ")}`] : []),
    ...(frame.length > 0 ? [`frame-src ${frame.join(" ")}`] : []),
  ].join("; ");

// A host may contain a semicolon, which would start another directive.
const PLAIN_ORIGIN = /^https?:\/\/(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])(?::\d+)?$/;

/** The origin of an http(s) URL for a content policy; undefined if a policy can't name it. */
export function policyOrigin(url: string): string | undefined {
  const parsed = parseUrl(url);
  // A `blob:` URL has the origin of the page that created it.
  const isWeb = parsed !== undefined && /^https?:$/.test(parsed.protocol);
  return isWeb && PLAIN_ORIGIN.test(parsed.origin) ? parsed.origin : undefined;
}
