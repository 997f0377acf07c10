/** Query parameters by name: unknown ones are refused, and the chain may be named in either of two ways. */

import type { RouteConfig } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { clip } from "../../domain/printable.ts";
import { editDistance } from "../text/edit-distance.ts";
import { ApiError, type ErrorDetail } from "./errors.ts";
import { KEY_PARAMETER } from "./key.ts";

/** The chain's name in REST and in the registry; each route understands both. */
const CHAIN_NAMES = ["chain_id", "chainId"] as const;
const NAMES_MAX = 100;

/**
 * Refuses a request with INVALID_REQUEST whose query has a parameter that the route's definition doesn't name, with the
 * closest name that it has. `chain_id` and `chainId` are the same parameter.
 */
export function checkQueryNames(route: Pick<RouteConfig, "request" | "security">): MiddlewareHandler {
  return checkNames(queryNamesOf(route));
}

/** The same, for the names of a route that has no definition. */
export function checkNames(known: readonly string[]): MiddlewareHandler {
  const chainName = CHAIN_NAMES.find((name) => known.includes(name));
  const otherChainName = chainName && CHAIN_NAMES.find((name) => name !== chainName);

  return (c, next) => {
    const { url } = c.req;
    const at = url.indexOf("?");
    if (at === -1) return next();
    const query = new URLSearchParams(url.slice(at));
    const details: ErrorDetail[] = [];
    for (const name of new Set(query.keys())) {
      if (known.includes(name)) continue;
      if (details.length === NAMES_MAX) break;
      if (name !== otherChainName) details.push({ path: clip(name), message: unknownMessage(name, known) });
      else if (query.has(chainName as string))
        details.push({ path: name, message: `is the same parameter as ${chainName}; give one of the two` });
    }
    if (details.length > 0) throw new ApiError("INVALID_REQUEST", details);
    if (chainName && otherChainName && query.has(otherChainName))
      rename(c, query, { from: otherChainName, to: chainName });
    return next();
  };
}

function queryNamesOf({ request, security }: Pick<RouteConfig, "request" | "security">): string[] {
  const query = request?.query as { readonly shape?: object } | undefined;
  const isKeyed = security?.some((scheme) => "ApiKeyAuth" in scheme);
  return [...Object.keys(query?.shape ?? {}), ...(isKeyed ? [KEY_PARAMETER] : [])];
}

/** Hono reads the query from the request's URL each time. */
function rename(
  c: Context,
  query: URLSearchParams,
  { from, to }: { readonly from: string; readonly to: string },
): void {
  const renamed = new URLSearchParams(
    [...query].map(([name, value]) => [name === from ? to : name, value] as [string, string]),
  );
  const url = `${c.req.url.slice(0, c.req.url.indexOf("?"))}?${renamed}`;
  Object.defineProperty(c.req, "url", { value: url });
}

function unknownMessage(name: string, known: readonly string[]): string {
  const shown = `"${clip(name)}" is not a parameter of this operation`;
  if (known.length === 0) return `${shown}; it has none`;
  const closest = closestOf(name, known);
  return closest === undefined
    ? `${shown}; it has ${known.join(", ")}`
    : `${shown}; did you mean "${closest}"?`;
}

/** The name that fewest typing errors lead to; undefined where they would be more than a third of it. */
function closestOf(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, "");
  const given = plain(clip(name));
  const [best] = known
    .map((each) => ({ each, distance: editDistance(given, plain(each)) }))
    .sort((a, b) => a.distance - b.distance);
  if (!best) return undefined;
  return best.distance <= Math.max(1, Math.floor(best.each.length / 3)) ? best.each : undefined;
}
