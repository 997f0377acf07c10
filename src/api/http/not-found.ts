/** The answer to a request of a path or a method that no route has. */

import type { Context, Env, Hono, MiddlewareHandler } from "hono";
import { baseRoutePath } from "hono/route";
import { prefersHtml } from "./accept.ts";
import { ApiError } from "./errors.ts";
import { isRead } from "./headers.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Throws METHOD_NOT_ALLOWED with `Allow` where `app` has a route of another method for the path, otherwise NOT_FOUND.
 * `showLost` answers browsers that look for a page; without it they get the error, as programs do. Mount it after every
 * route of `app`.
 */
export const answerUnrouted =
  <E extends Env>(app: Hono<E>, showLost?: (c: Context<E>) => Promise<Response>): MiddlewareHandler<E> =>
  async (c) => {
    const path = pathWithin(c);
    const allowed = METHODS.filter((method) => hasRoute(app, method, path));
    if (allowed.length === 0) {
      if (showLost && isRead(c.req) && prefersHtml(c)) return showLost(c);
      throw new ApiError("NOT_FOUND");
    }
    if (allowed.includes("GET")) allowed.splice(1, 0, "HEAD");
    return refuseMethod(c, allowed.join(", "));
  };

/** Answers every other method of a path as `answerUnrouted` does, where a route of any path like it would take them. */
export const allowOnly =
  (method: string): MiddlewareHandler =>
  (c, next) =>
    c.req.method === method ? next() : refuseMethod(c, method);

function refuseMethod(c: Context, allowed: string): never {
  c.header("Allow", allowed);
  throw new ApiError("METHOD_NOT_ALLOWED", [
    { path: "method", message: `${c.req.path} allows ${allowed}; received ${c.req.method}` },
  ]);
}

/** The path as the routes of an app name it that is mounted at a path of its own. */
function pathWithin(c: Context): string {
  const base = baseRoutePath(c);
  if (base === "/") return c.req.path;
  const path = c.req.path.slice(base.length);
  // The app's root is the path without a slash at its end; with one, it is another path, and no route's.
  return path === "/" ? "//" : path || "/";
}

/** Middleware is registered for every method, a route for its own. */
const hasRoute = <E extends Env>({ router }: Hono<E>, method: string, path: string): boolean =>
  router.match(method, path)[0].some(([[, route]]) => route.method === method);
