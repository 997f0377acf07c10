/** The API key that every gateway route requires (spec.md "Authentication"). */

import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { type ContractRef, collectionKey } from "../../domain/token-ref.ts";
import type { ApiName } from "./api-names.ts";
import { ApiError, GIVEN_TWICE } from "./errors.ts";
import type { ApiEnv, CallerApp } from "./router.ts";

const ERROR_STATUS = 400;

export const KEY_HEADER = "X-API-Key";
export const KEY_PARAMETER = "apiKey";

/** Finds the app of a key; undefined for a key that is unknown or revoked. Throws if that can't be determined. */
export interface KeyFinder {
  findApp(key: string): Promise<CallerApp | undefined>;
}

/** Looks up keys, and counts wrong ones. */
export interface KeyCheck extends KeyFinder {
  /** Counts a wrong key of the request's client; throws RATE_LIMITED after too many. */
  readonly onWrongKey: (c: Context) => Promise<void>;
  /** Called for every request with a valid key. */
  readonly onUse?: (app: CallerApp) => void;
  /** Called when a gateway API has answered an app's request without an error. */
  readonly onSuccess?: (app: CallerApp) => void;
  /** The URL of the page where an app's permissions are requested. */
  readonly permissionsPage: (app: CallerApp) => string;
}

/** The refusal of a key, with what RFC 9110 (15.5.2) requires of each 401. */
function refuseKey(c: Context, ...error: ConstructorParameters<typeof ApiError>): ApiError {
  c.header("WWW-Authenticate", 'Key realm="vitrine"');
  return new ApiError(...error);
}

/** The app of the key in a request. Throws KEY_INVALID for an unknown key. */
export async function appOfKey(c: Context, keys: KeyCheck, key: string): Promise<CallerApp> {
  const app = await keys.findApp(key);
  if (app) {
    keys.onUse?.(app);
    return app;
  }
  await keys.onWrongKey(c);
  throw refuseKey(c, "KEY_INVALID");
}

/**
 * The key of a request: `X-API-Key`, or else `?apiKey=`. Undefined for none; an empty one counts as none, as in the
 * field's gateways. Throws KEY_INVALID for a repeated parameter, since it is ambiguous (a repeated header arrives as
 * one text, which is no valid key).
 */
export function apiKeyOf(c: Context): string | undefined {
  const header = c.req.header(KEY_HEADER);
  if (header) return header;
  const parameters = c.req.queries(KEY_PARAMETER) ?? [];
  if (parameters.length > 1) {
    throw refuseKey(c, "KEY_INVALID", [{ path: KEY_PARAMETER, message: GIVEN_TWICE }]);
  }
  return parameters[0] || undefined;
}

/**
 * Lets a request through if its key belongs to an app that may use `api`. Otherwise throws NOT_ALLOWED, which names the
 * API and the page that grants it.
 */
export const requireKey = (keys: KeyCheck, api: ApiName) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const key = apiKeyOf(c);
    if (!key) throw refuseKey(c, "KEY_MISSING");
    const app = await appOfKey(c, keys, key);
    // Also for a request that is refused: it is noted as this app's.
    c.set("app", app);
    if (!app.apis.includes(api)) {
      const url = keys.permissionsPage(app);
      const message = `the app ${app.name} may not use the API ${api}; request access at ${url}`;
      throw new ApiError("NOT_ALLOWED", [{ path: "api", message, url }]);
    }
    await next();
    if (c.res.status < ERROR_STATUS) keys.onSuccess?.(app);
  });

/** Throws NOT_ALLOWED, with the page that grants it, unless the app may write the information of a collection (spec.md "Trait groups"). */
export function assertCollectionAllowed(
  app: CallerApp,
  collection: ContractRef,
  permissionsPage: KeyCheck["permissionsPage"],
): void {
  const name = collectionKey(collection);
  if (app.collections === null || app.collections.includes(name)) return;
  const url = permissionsPage(app);
  const message = `the app ${app.name} does not hold ${name}; prove it at ${url}`;
  throw new ApiError("NOT_ALLOWED", [{ path: "collection_address", message, url }]);
}
