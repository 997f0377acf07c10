/** One refusal for a body: of what its schema finds, and of what only the service knows. */

import type { z } from "@hono/zod-openapi";
import { ApiError, invalidRequest } from "./errors.ts";

/** What a body was parsed to, or why it wasn't, with the body as it was sent. */
export type ParsedBody<Body> =
  | { readonly success: true; readonly data: Body }
  | { readonly success: false; readonly data: unknown; readonly error: z.ZodError };

/** The refusal, if anything is wrong with a body. */
export type BodyCheck<Body> = (parsed: ParsedBody<Body>) => Promise<ApiError | undefined>;

/** Throws one refusal for those of all checks, if any refuses: with their code if they share one, else INVALID_REQUEST. */
export async function checkAll(checks: readonly (() => unknown)[]): Promise<void> {
  const refusals: ApiError[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusals.push(error);
    }
  }
  const [first] = refusals;
  if (!first) return;
  const code = refusals.every((refusal) => refusal.code === first.code) ? first.code : "INVALID_REQUEST";
  throw new ApiError(
    code,
    refusals.flatMap(({ details }) => details),
  );
}

/**
 * Has `check` throw what is wrong with a body that its schema doesn't know. Of a body that the schema refuses, `check` gets
 * what `lenient` makes of it, which must take any value.
 */
export const createBodyCheck =
  <Body>(lenient: z.ZodType<Body>, check: (body: Body) => Promise<unknown>): BodyCheck<Body> =>
  async (parsed) => {
    try {
      await checkAll([
        () => {
          if (!parsed.success) throw invalidRequest(parsed.error);
        },
        () => check(parsed.success ? parsed.data : lenient.parse(parsed.data)),
      ]);
      return undefined;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  };

interface HookResult {
  readonly target: string;
  readonly success: boolean;
  /** As it was sent, of what is refused. */
  readonly data?: unknown;
  readonly error?: z.ZodError;
}

/** A route's hook in place of its router's: refuses a body with all of its problems, and other input as the router does. */
export const refuseBody =
  <Body>(check: BodyCheck<Body>) =>
  async (result: HookResult): Promise<never> => {
    const refusal = result.target === "json" ? await check(result as ParsedBody<Body>) : undefined;
    if (refusal) throw refusal;
    if (result.error) throw invalidRequest(result.error);
    // Hooks are typed without promises of nothing.
    return undefined as never;
  };
