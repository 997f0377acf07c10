/** The tokens that one request asks for in several of its fields: their documents count together, as those of one list. */

import { type TokenRef, tokenKey } from "../../../domain/token-ref.ts";
import { ApiError } from "../../http/errors.ts";
import type { CountFitting } from "./document-sizes.ts";

/** What a request has asked for so far, in that order. */
interface Asked {
  readonly tokens: Map<string, TokenRef>;
  counting: Promise<ReadonlySet<string>> | undefined;
}

/**
 * How many of these tokens, from the first, have documents that fit into one answer beside those that other fields of the
 * request have asked for. A list reads one in any case.
 */
export type AdmitTokens = (request: object, tokens: readonly TokenRef[]) => Promise<number>;

/** `countFitting` says how many, from the first, fit into one answer: `fitting` of them whatever they are. */
export function createAdmission(countFitting: CountFitting, fitting: number): AdmitTokens {
  const requests = new WeakMap<object, Asked>();

  /** Once for all fields of the same turn of the event loop. */
  async function findFitting(asked: Asked): Promise<ReadonlySet<string>> {
    await new Promise((resolve) => setImmediate(resolve));
    asked.counting = undefined;
    const names = [...asked.tokens.keys()];
    return new Set(names.slice(0, await countFitting([...asked.tokens.values()])));
  }

  return async (request, tokens) => {
    const asked = requests.get(request) ?? { tokens: new Map(), counting: undefined };
    requests.set(request, asked);
    const names = tokens.map(tokenKey);
    const added = names.flatMap((name, nth) => {
      const token = tokens[nth];
      if (!token || asked.tokens.has(name)) return [];
      asked.tokens.set(name, token);
      return [name];
    });
    if (asked.tokens.size <= fitting) return tokens.length;
    asked.counting ??= findFitting(asked);
    const found = await asked.counting;
    const end = names.findIndex((name) => !found.has(name));
    if (end === -1) return tokens.length;
    // What is not read leaves its share to other fields.
    const left = new Set(names.slice(end));
    for (const name of added) if (left.has(name)) asked.tokens.delete(name);
    return end;
  };
}

/** For a field that reads all of its tokens or none: throws INVALID_REQUEST unless they fit. */
export async function requireAdmitted(
  admit: AdmitTokens,
  request: object,
  tokens: readonly TokenRef[],
): Promise<void> {
  if ((await admit(request, tokens)) === tokens.length) return;
  const message = "the request asks for tokens whose documents exceed one answer; ask for fewer at once";
  throw new ApiError("INVALID_REQUEST", [{ path: "", message }]);
}
