/** Ponder's own routes, which Ponder answers without any limit: what comes before its answers. */

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { ApiError } from "../errors.ts";
import { type RateLimiter, rateLimited } from "../limits/rate-limit.ts";
import { answerEarly, answerWithin } from "./early-answer.ts";
import { forwardedFor } from "./request-target.ts";

export interface PonderRoutesGuard {
  /** The client of a peer that sent this X-Forwarded-For. */
  readonly clientOf: (peer: string | undefined, forwardedFor: string | undefined) => string;
  /** Per client, for Ponder's own routes, which come before all of ours. */
  readonly ponderRoutes: RateLimiter;
  /** Asked before Ponder's routes that read the database, since Ponder itself would try for minutes. */
  readonly isDatabaseAway?: (() => Promise<boolean>) | undefined;
}

// A database that is silent refuses nothing. With the second that `isDatabaseAway` may take, less than probes wait.
const PONDER_MS = 2_000;
const SILENT_DATABASE = new ApiError("UNAVAILABLE", [{ path: "", message: "the database doesn't answer" }]);
const DATABASE_ROUTES = new Set(["/ready", "/status"]);
const LIMITED_ROUTES = new Set([...DATABASE_ROUTES, "/metrics"]);
const PONDER_ROUTES = new Set([...LIMITED_ROUTES, "/health"]);
// Preflights are answered with the application's.
const PONDER_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

export const isPonderRoute = (path: string): boolean => PONDER_ROUTES.has(path);

/** Has `listener` answer requests for `isPonderRoute`, unless they are refused. */
export function createPonderAnswer(listener: RequestListener, guard: PonderRoutesGuard) {
  async function refusalOf(path: string, request: IncomingMessage): Promise<ApiError | undefined> {
    const { limit, take } = guard.ponderRoutes;
    const client = guard.clientOf(request.socket.remoteAddress, forwardedFor(request));
    const { isAllowed, resetSeconds } = await take(client);
    if (!isAllowed) return rateLimited(limit, "client", resetSeconds);
    const isAway = DATABASE_ROUTES.has(path) && (await guard.isDatabaseAway?.());
    return isAway ? new ApiError("UNAVAILABLE") : undefined;
  }

  return (path: string, request: IncomingMessage, response: ServerResponse): void => {
    // Ponder would answer that there is no such path.
    if (!PONDER_METHODS.has(request.method ?? "")) {
      response.setHeader("Allow", "GET, HEAD");
      const message = `${path} allows GET, HEAD; received ${request.method}`;
      answerEarly(response, new ApiError("METHOD_NOT_ALLOWED", [{ path: "method", message }]));
      return;
    }
    if (!LIMITED_ROUTES.has(path)) {
      listener(request, response);
      return;
    }
    refusalOf(path, request)
      .then((refusal) => {
        if (refusal) return answerEarly(response, refusal);
        if (DATABASE_ROUTES.has(path)) answerWithin(response, PONDER_MS, SILENT_DATABASE);
        listener(request, response);
      })
      .catch(() => response.destroy());
  };
}
