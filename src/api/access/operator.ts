/** The operator's door: a bearer token, compared in constant time; without one the API does not exist. */

import { createHash, timingSafeEqual } from "node:crypto";
import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/errors.ts";
import type { ApiEnv } from "../http/router.ts";
import type { RateLimits } from "./limits/rate-limits.ts";

// Digests have one length, which timingSafeEqual asks for and which tells nothing of the token's.
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export interface OperatorAuth {
  readonly token: string | undefined;
  readonly rateLimits: Pick<RateLimits, "failures">;
}

/**
 * 404 while no token is configured or sent, so that strangers can't tell; 401 for a wrong one. After ten wrong ones a
 * minute a client address gets 429 for each more. The right token is let in all the same: behind one proxy, a stranger's
 * attempts would otherwise lock the operator out, and 256 random bits are not found by trying.
 */
export const requireOperator = ({ token, rateLimits }: OperatorAuth) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const sent = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    if (!token || !sent) throw new ApiError("NOT_FOUND");
    if (timingSafeEqual(digest(sent), digest(token))) return next();
    await rateLimits.failures.failed(c);
    throw new ApiError("KEY_INVALID");
  });
