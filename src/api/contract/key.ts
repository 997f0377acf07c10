/** The key that every gateway route asks for (spec.md "Authentication"). */

import { createMiddleware } from "hono/factory";
import { ApiError } from "./errors.ts";
import type { ApiEnv, CallerApp } from "./router.ts";

/** Gateway APIs: what stands after {base_url} in a path, and what an app is permitted by name. */
export const apiNames = ["market-partner", "market"] as const;
export type ApiName = (typeof apiNames)[number];

/** Finds the app of a key; undefined for a key that does not exist or is revoked. Throws when it can't be known. */
export interface KeyFinder {
  findApp(key: string): Promise<CallerApp | undefined>;
}

/**
 * Lets a request through when `X-API-Key`, or else `?apiKey=`, holds the key of an app that may use `api`.
 * An empty header counts as missing, as the field's gateways have it.
 */
export const requireKey = (keys: KeyFinder, api: ApiName) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const key = c.req.header("x-api-key") || c.req.query("apiKey");
    if (!key) {
      c.header("WWW-Authenticate", 'Key realm="vitrine"');
      throw new ApiError("KEY_MISSING");
    }
    const app = await keys.findApp(key);
    if (!app) throw new ApiError("KEY_INVALID");
    if (!app.apis.includes(api)) throw new ApiError("NOT_ALLOWED");
    c.set("app", app);
    await next();
  });
