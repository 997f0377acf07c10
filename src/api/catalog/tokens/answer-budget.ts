/** The tokens that one request asks for in several of its fields: their documents count together, as those of one list. */

import { type TokenRef, tokenKey } from "../../../domain/token-ref.ts";
import { ApiError } from "../../http/errors.ts";
import type { CountFitting } from "./document-sizes.ts";

/** What a request has asked for so far, in that order. */
interface Asked {
  readonly tokens: Map<string, TokenRef>;
  /** Those that lists read though they don't fit. */
  readonly beyond: Map<string, TokenRef>;
  counting: Promise<ReadonlySet<string>> | undefined;
}

const exceeded = (): ApiError => {
  const message = "the request asks for tokens whose documents exceed one answer; ask for fewer at once";
  return new ApiError("INVALID_REQUEST", [{ path: "", message }]);
};

/** `countFitting` says how many, from the first, fit into one answer: `fitting` of them whatever they are. */
export function createAnswerBudget(countFitting: CountFitting, fitting: number) {
  const requests = new WeakMap<object, Asked>();

  /** Once for all fields of the same turn of the event loop. */
  async function findFitting(asked: Asked): Promise<ReadonlySet<string>> {
    await new Promise((resolve) => setImmediate(resolve));
    asked.counting = undefined;
    const names = [...asked.tokens.keys()];
    return new Set(names.slice(0, await countFitting([...asked.tokens.values()])));
  }

  function askedOf(request: object): Asked {
    const asked = requests.get(request) ?? { tokens: new Map(), beyond: new Map(), counting: undefined };
    requests.set(request, asked);
    return asked;
  }

  /** How many of these, from the first, fit beside what other fields of the request have asked for. */
  async function take(asked: Asked, tokens: readonly TokenRef[]): Promise<number> {
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
  }

  return {
    /**
     * How many of these tokens, from the first, a list may read: those whose documents fit into one answer beside those
     * that other fields of the request have asked for, or else the first, so that it can be gone through. Throws
     * INVALID_REQUEST where such first ones exceed one answer as well.
     */
    async fitList(request: object, tokens: readonly TokenRef[]): Promise<number> {
      const asked = askedOf(request);
      const count = await take(asked, tokens);
      const [first] = tokens;
      if (count > 0 || first === undefined) return count;
      const name = tokenKey(first);
      asked.beyond.set(name, first);
      const before = [...asked.beyond.keys()].indexOf(name);
      if (before < (await countFitting([...asked.beyond.values()]))) return 1;
      asked.beyond.delete(name);
      throw exceeded();
    },

    /** For a field that reads all of its tokens or none: throws INVALID_REQUEST unless they fit. */
    async requireFit(request: object, tokens: readonly TokenRef[]): Promise<void> {
      if ((await take(askedOf(request), tokens)) < tokens.length) throw exceeded();
    },
  };
}
