/** Where pages are and what they may load. */

import { NONCE, type SecureHeadersVariables, secureHeaders } from "hono/secure-headers";

/** Paths as a browser asks for them: BASE_URL may have a path of its own, which a proxy takes away. */
export type To = (path: string) => string;

export function pathsUnder(baseUrl: string): To {
  const prefix = new URL(baseUrl).pathname.replace(/\/+$/, "");
  return (path) => `${prefix}${path}`;
}

/** What `pageHeaders` leaves for the page: the nonce that its scripts carry. */
export type PageVariables = SecureHeadersVariables;

export interface PagePolicy {
  readonly baseUrl: string;
  /** For libraries that write style attributes, which no nonce covers. */
  readonly inlineStyles?: boolean;
  /** Origins that scripts may talk to, beside the page's own. */
  readonly connect?: readonly string[];
}

/** Scripts that the page itself names, styles from files of ours only, no frames around or inside, nothing to other sites. */
export function pageHeaders({ baseUrl, inlineStyles = false, connect = [] }: PagePolicy) {
  const isSecure = baseUrl.startsWith("https:");
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: [NONCE],
      styleSrc: ["'self'", ...(inlineStyles ? ["'unsafe-inline'"] : [])],
      imgSrc: ["'self'", "data:"],
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
}
