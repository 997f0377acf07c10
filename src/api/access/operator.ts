/** The operator's door: a bearer token, compared in constant time; without one the API does not exist. */

import { createHash, timingSafeEqual } from "node:crypto";
import { createMiddleware } from "hono/factory";
import { ApiError } from "../contract/errors.ts";
import { answerLimit } from "../contract/rate-limit.ts";
import type { ApiEnv } from "../contract/router.ts";
import { resetSeconds } from "../store/rate-limiter.ts";
import { failureLimit, type Gate } from "./gate.ts";

// Digests have one length, which timingSafeEqual asks for and which tells nothing of the token's.
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export interface OperatorDoor {
  readonly token: string | undefined;
  readonly gate: Pick<Gate, "failures" | "clientAddress">;
  /** Told once per window of a client that has used up its failures. */
  readonly onGuessing: (client: string) => Promise<void>;
}

/**
 * 404 while no token is configured or sent, so that strangers can't tell; 401 for a wrong one. After ten wrong ones a
 * minute a client address gets 429, whatever it sends: an answer to the right token would make guessing worth while.
 */
export const requireOperator = ({ token, gate, onGuessing }: OperatorDoor) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const sent = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    if (!token || !sent) throw new ApiError("NOT_FOUND");
    const client = gate.clientAddress(c);
    const before = await gate.failures.taken(client);
    const left = failureLimit.requests - before.count;
    if (left <= 0) refuse(before.msBeforeNext);
    if (!timingSafeEqual(digest(sent), digest(token))) {
      await gate.failures.take(client, 1);
      if (left === 1) await onGuessing(client);
      throw new ApiError("KEY_INVALID");
    }
    await next();

    function refuse(msBeforeNext: number): never {
      const taken = { isAllowed: false, remaining: 0, resetSeconds: resetSeconds(msBeforeNext) };
      answerLimit(c, failureLimit, taken, "client address");
      throw new ApiError("RATE_LIMITED");
    }
  });
