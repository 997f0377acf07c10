/** The operator's door: a bearer token, compared in constant time; without one the API does not exist. */

import { createHash, timingSafeEqual } from "node:crypto";
import { createMiddleware } from "hono/factory";
import { ApiError } from "../contract/errors.ts";
import type { ApiEnv } from "../contract/router.ts";

// Digests have one length, which timingSafeEqual asks for and which tells nothing of the token's.
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** 404 while no token is configured or sent, so that strangers can't tell; 401 for a wrong one. */
export const requireOperator = (token: string | undefined) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const sent = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    if (!token || !sent) throw new ApiError("NOT_FOUND");
    if (!timingSafeEqual(digest(sent), digest(token))) throw new ApiError("KEY_INVALID");
    await next();
  });
