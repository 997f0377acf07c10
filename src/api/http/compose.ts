/** Several middlewares as one. */

import type { Env, MiddlewareHandler } from "hono";

/**
 * Runs each after the other, as if they were mounted one by one; each must call `next` or throw. An app with an error
 * handler wraps whatever is mounted in a chain of its own, which costs a short answer more than the middleware does.
 */
export const compose = <E extends Env>(...steps: readonly MiddlewareHandler<E>[]): MiddlewareHandler<E> =>
  steps.reduceRight(
    (rest, step) => (c, next) => step(c, () => rest(c, next) as Promise<void>),
    (_c, next) => next(),
  );
