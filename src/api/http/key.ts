/** The key that every gateway route asks for (spec.md "Authentication"). */

import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { collectionKey } from "../../domain/token-ref.ts";
import { ApiError } from "./errors.ts";
import type { ApiEnv, CallerApp } from "./router.ts";

/** Gateway APIs: what stands after {base_url} in a path, and what an app is permitted by name. */
export const apiNames = ["market-partner", "market"] as const;
export type ApiName = (typeof apiNames)[number];

export const KEY_HEADER = "X-API-Key";
export const KEY_PARAMETER = "apiKey";

/** Finds the app of a key; undefined for a key that does not exist or is revoked. Throws when it can't be known. */
export interface KeyFinder {
  findApp(key: string): Promise<CallerApp | undefined>;
}

/** Who looks keys up, and counts the wrong ones. */
export interface KeyCheck extends KeyFinder {
  /** Counts a wrong key of the request's client; throws RATE_LIMITED where there were too many. */
  readonly onWrongKey: (c: Context) => Promise<void>;
}

/** The app of a key that a request has sent. Throws KEY_INVALID for a key that does not exist. */
export async function appOfKey(c: Context, keys: KeyCheck, key: string): Promise<CallerApp> {
  const app = await keys.findApp(key);
  if (app) return app;
  await keys.onWrongKey(c);
  throw new ApiError("KEY_INVALID");
}

/**
 * The key of a request: `X-API-Key`, or else `?apiKey=`. Undefined for none; an empty one counts as none, as the
 * field's gateways have it. Throws KEY_INVALID for a parameter that is given twice, since nobody can say which is meant
 * (a header that is given twice arrives as one text, which is no key).
 */
export function keyOf(c: Context): string | undefined {
  const header = c.req.header(KEY_HEADER);
  if (header) return header;
  const parameters = c.req.queries(KEY_PARAMETER) ?? [];
  if (parameters.length > 1) {
    throw new ApiError("KEY_INVALID", [{ path: KEY_PARAMETER, message: "is given more than once" }]);
  }
  return parameters[0] || undefined;
}

/** Lets a request through when it holds the key of an app that may use `api`. */
export const requireKey = (keys: KeyCheck, api: ApiName) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const key = keyOf(c);
    if (!key) {
      c.header("WWW-Authenticate", 'Key realm="vitrine"');
      throw new ApiError("KEY_MISSING");
    }
    const app = await appOfKey(c, keys, key);
    if (!app.apis.includes(api)) throw new ApiError("NOT_ALLOWED");
    c.set("app", app);
    await next();
  });

/** Throws NOT_ALLOWED unless the app may write the information of a collection (spec.md "Trait groups"). */
export function assertHolds(app: CallerApp, collection: { chainId: number; address: string }): void {
  const name = collectionKey(collection);
  if (app.collections === null || app.collections.includes(name)) return;
  throw new ApiError("NOT_ALLOWED", [
    {
      path: "collection_address",
      message: `the app ${app.name} does not hold ${name}; prove it in the console`,
    },
  ]);
}
