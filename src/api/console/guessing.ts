/** Bounds how often a client may try to prove who it is. */

import { failureLimit } from "../access/gate.ts";
import { ApiError, type ErrorCode } from "../contract/errors.ts";
import { answerLimit } from "../contract/rate-limit.ts";
import { resetSeconds } from "../store/rate-limiter.ts";
import type { ConsoleContext, Site } from "./env.ts";

export interface Guessing {
  /** Throws RATE_LIMITED once a client address has failed too often, at the operator's API too. */
  refuse(c: ConsoleContext): Promise<void>;
  /** Counts a failure and throws it. */
  fail(c: ConsoleContext, code: ErrorCode, path: string, message: string): Promise<never>;
}

export const createGuessing = ({ gate }: Pick<Site, "gate">): Guessing => ({
  async refuse(c) {
    const { count, msBeforeNext } = await gate.failures.taken(gate.clientAddress(c));
    if (count < failureLimit.requests) return;
    const taken = { isAllowed: false, remaining: 0, resetSeconds: resetSeconds(msBeforeNext) };
    answerLimit(c, failureLimit, taken, "client address");
  },

  async fail(c, code, path, message) {
    await gate.failures.take(gate.clientAddress(c), 1);
    throw new ApiError(code, [{ path, message }]);
  },
});
