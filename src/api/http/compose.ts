/** Composes several middlewares into one. */

import type { Env, MiddlewareHandler } from "hono";

/**
 * Runs each after the other, as if they were mounted one by one; each must call `next` or throw. Hono wraps everything
 * mounted in an app with an error handler in a chain of its own, which costs a short answer more than the middleware
 * does.
 */
export const compose = <E extends Env>(...steps: readonly MiddlewareHandler<E>[]): MiddlewareHandler<E> =>
  steps.reduceRight(
    (rest, step) => (c, next) => step(c, () => rest(c, next) as Promise<void>),
    (_c, next) => next(),
  );
