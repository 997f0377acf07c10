/** Operator authentication: a bearer token, compared in constant time. Without one the operator API does not exist. */

import { createHash, timingSafeEqual } from "node:crypto";
import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/errors.ts";
import type { ApiEnv } from "../http/router.ts";
import type { RateLimits } from "./limits/rate-limits.ts";

// Digests have equal lengths, which timingSafeEqual requires and which hide the token's length.
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export interface OperatorAuth {
  readonly token: string | undefined;
  readonly rateLimits: Pick<RateLimits, "failures">;
}

/**
 * 404 while no token is configured or sent, so that strangers can't tell; 401 for a wrong one. After ten wrong tokens a
 * minute, a client address gets 429 for each further one. The right token is always accepted: behind one proxy, a
 * stranger's attempts would otherwise lock the operator out, and 256 random bits can't be guessed.
 */
export const requireOperator = ({ token, rateLimits }: OperatorAuth) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const sent = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    if (!token || !sent) throw new ApiError("NOT_FOUND");
    if (timingSafeEqual(digest(sent), digest(token))) return next();
    await rateLimits.failures.failed(c);
    c.header("WWW-Authenticate", 'Bearer realm="vitrine operators"');
    throw new ApiError("KEY_INVALID");
  });
