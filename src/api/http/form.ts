/** Reads forms that browsers send. */

import type { Context, Env } from "hono";
import { ApiError } from "./errors.ts";

type Fields = Awaited<ReturnType<Context["req"]["parseBody"]>>;

/**
 * The fields of a form, files included; a repeated one is a list with `all`, otherwise the last of them. Throws
 * INVALID_REQUEST if the body is not a form.
 */
export async function parseForm<E extends Env>(c: Context<E>, { all = false } = {}): Promise<Fields> {
  try {
    return (await c.req.parseBody({ all })) as Fields;
  } catch (cause) {
    // The platform throws this for a body that does not match its content type.
    if (!(cause instanceof TypeError)) throw cause;
    throw new ApiError("INVALID_REQUEST", [{ path: "", message: "the body is not a form" }], { cause });
  }
}
