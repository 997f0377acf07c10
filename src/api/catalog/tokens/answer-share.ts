/** The tokens that one request asks for in several of its fields: their documents count together, as those of one list. */

import { type TokenRef, tokenKey } from "../../../domain/token-ref.ts";
import { ApiError } from "../../http/errors.ts";

/** What a request has asked for so far, in that order. */
interface Asked {
  readonly tokens: Map<string, { readonly token: TokenRef; readonly nth: number }>;
  counting: Promise<number> | undefined;
}

/** Before tokens are read for a field of the request. Throws INVALID_REQUEST where they don't fit beside those asked for before. */
export type AdmitTokens = (request: object, tokens: readonly TokenRef[]) => Promise<void>;

/** `countFitting` says how many, from the first, fit into one answer: `fitting` of them whatever they are. */
export function createAdmission(
  countFitting: (tokens: readonly TokenRef[]) => Promise<number>,
  fitting: number,
): AdmitTokens {
  const requests = new WeakMap<object, Asked>();

  /** Once for all fields of the same turn of the event loop. */
  async function count(asked: Asked): Promise<number> {
    await new Promise((resolve) => setImmediate(resolve));
    asked.counting = undefined;
    return countFitting([...asked.tokens.values()].map(({ token }) => token));
  }

  return async (request, tokens) => {
    const asked = requests.get(request) ?? { tokens: new Map(), counting: undefined };
    requests.set(request, asked);
    let last = -1;
    for (const token of tokens) {
      const key = tokenKey(token);
      const known = asked.tokens.get(key) ?? { token, nth: asked.tokens.size };
      asked.tokens.set(key, known);
      last = Math.max(last, known.nth);
    }
    if (last < fitting) return;
    asked.counting ??= count(asked);
    if (last < (await asked.counting)) return;
    const message = "the request asks for tokens whose documents exceed one answer; ask for fewer at once";
    throw new ApiError("INVALID_REQUEST", [{ path: "", message }]);
  };
}
