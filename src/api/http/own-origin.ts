/** Forms of other sites: a browser sends them with its user's cookies and from its user's address. */

import type { MiddlewareHandler } from "hono";
import { ApiError } from "./errors.ts";
import { isRead } from "./headers.ts";

export interface OwnOriginOptions {
  /** What is served at the origin, for the error message. */
  readonly what: "console" | "page";
  /**
   * Also accepts requests from the origin under which the browser knows this service, which may have another name. Not
   * for routes whose cookies and signatures are bound to the one of `baseUrl`.
   */
  readonly underAnyName?: boolean;
}

/**
 * Refuses changes that another site made the browser ask for, with NOT_ALLOWED. Every browser sends `Origin` with a POST,
 * and nearly all send `Sec-Fetch-Site`, which says whether that is this service.
 */
export function requireOwnOrigin(
  baseUrl: string,
  { what, underAnyName = false }: OwnOriginOptions,
): MiddlewareHandler {
  const own = new URL(baseUrl).origin;
  return async (c, next) => {
    const isSafe = isRead(c.req);
    const origin = c.req.header("origin");
    const site = underAnyName ? c.req.header("sec-fetch-site") : undefined;
    const isOwn = site === undefined ? origin === own : site === "same-origin";
    if (!isSafe && !isOwn) {
      const message = `must be ${own}, where this ${what} is; it is ${origin ? `"${origin}"` : "missing"}`;
      throw new ApiError("NOT_ALLOWED", [{ path: "origin", message }]);
    }
    await next();
  };
}
