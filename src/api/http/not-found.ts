/** The answer to a request that no route took. */

import type { Context, Env, Hono, MiddlewareHandler } from "hono";
import { prefersHtml } from "./accept.ts";
import { ApiError } from "./errors.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Throws METHOD_NOT_ALLOWED with `Allow` where `app` has a route of another method for the path, otherwise NOT_FOUND.
 * `showLost` answers browsers that look for a page. Mount it after every route.
 */
export const answerUnrouted =
  <E extends Env>(app: Hono<E>, showLost: (c: Context<E>) => Promise<Response>): MiddlewareHandler<E> =>
  async (c) => {
    const allowed = METHODS.filter((method) => hasRoute(app, method, c.req.path));
    const isPage = c.req.method === "GET" && prefersHtml(c);
    if (allowed.length === 0 && isPage) return showLost(c);
    if (allowed.length === 0) throw new ApiError("NOT_FOUND");
    if (allowed.includes("GET")) allowed.splice(1, 0, "HEAD");
    const list = allowed.join(", ");
    c.header("Allow", list);
    throw new ApiError("METHOD_NOT_ALLOWED", [
      { path: "method", message: `${c.req.path} allows ${list}; received ${c.req.method}` },
    ]);
  };

/** Middleware is registered for every method, a route for its own. */
const hasRoute = <E extends Env>({ router }: Hono<E>, method: string, path: string): boolean =>
  router.match(method, path)[0].some(([[, route]]) => route.method === method);
