/** Another registry over HTTP, within its rate limit and with a short timeout. */

import type { z } from "zod";
import { overLimit, type RateLimit, type RateLimiter } from "../../http/limits/rate-limit.ts";
import { retryAfterMs, retryPolicies } from "../../jobs/retry-policies.ts";
import { betweenSchema, parseExact, recordsSchema } from "./remote-answers.ts";
import { type DelegationSource, isUnlimited, type SourceAnswer, splitByDirection } from "./source.ts";

/**
 * spec.md "Limits": 25 requests per 10 seconds without a key. Its windows and ours start at different moments, and two
 * of ours may overlap one of its. Half as many requests in each of ours stay below the limit in any 10 seconds.
 */
export const delegationBudget: RateLimit = { name: "delegation-budget", requests: 12, seconds: 10 };

// A block or a few: whoever delegates waits for one anyway.
const FRESH_MS = 10_000;
const TIMEOUT_MS = 5_000;
const BODY_CHARACTERS_MAX = 5_000_000;

export interface RemoteSourceDeps {
  /** Without /registry/v2. */
  readonly url: string;
  /** Removes the registry's limit. */
  readonly key: string | undefined;
  /** Shared by all processes. */
  readonly budget: RateLimiter;
  /** In milliseconds; a monotonic clock by default. */
  readonly now?: () => number;
}

interface RemoteAnswer<Body> {
  readonly body: Body;
  /** The registry says that there is more. */
  readonly truncated: boolean;
}

type Unavailable = Extract<SourceAnswer<never>, { kind: "unavailable" }>;
const unavailable = (reason: Unavailable["reason"], message: string): Unavailable => ({
  kind: "unavailable",
  reason,
  message,
});

/** Never rejects: an unreachable registry is an answer. */
export function remoteSource({
  url,
  key,
  budget,
  now = () => performance.now(),
}: RemoteSourceDeps): DelegationSource {
  // The registry answered 429: other clients share its limit with us.
  let pausedUntil = 0;

  async function ask<Schema extends z.ZodType>(
    path: string,
    query: Record<string, string>,
    schema: Schema,
  ): Promise<SourceAnswer<RemoteAnswer<z.output<Schema>>>> {
    if (now() < pausedUntil) return unavailable("rate_limited", "the registry asked for a pause");
    if (key === undefined) {
      const { isAllowed, resetSeconds } = await budget.take(url);
      if (!isAllowed) return unavailable("rate_limited", overLimit(budget.limit, "registry", resetSeconds));
    }
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${url}/registry/v2/${path}?${new URLSearchParams(query)}`, {
        headers: { accept: "application/json", ...(key !== undefined && { "x-api-key": key }) },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        // The key is for this registry alone.
        redirect: "error",
      });
      text = await readText(response);
    } catch (error) {
      return unavailable("unreachable", causeOf(error as Error));
    }
    if (response.status === 429) {
      const header = response.headers.get("retry-after");
      pausedUntil = now() + retryAfterMs(retryPolicies.delegationRegistry, header);
      return unavailable("rate_limited", "the registry answered 429");
    }
    if (!response.ok) return unavailable("refused", `the registry answered ${response.status}`);
    return understand(text, schema, /;\s*rel="?next"?/.test(response.headers.get("link") ?? ""));
  }

  return {
    name: url,
    freshMs: FRESH_MS,
    async ofWallet(chainId, wallet) {
      // Only a registry like ours knows the direction; others return what they return.
      const query = { chainId: String(chainId), direction: "all" };
      const answer = await ask(wallet, query, recordsSchema);
      if (answer.kind !== "answered") return answer;
      const { body, truncated } = answer.value;
      return { kind: "answered", value: splitByDirection(wallet, body, truncated) };
    },
    async between(chainId, from, to) {
      const answer = await ask("check/all", { from, to, chainId: String(chainId) }, betweenSchema);
      if (answer.kind !== "answered") return answer;
      const { body, truncated } = answer.value;
      if (typeof body === "boolean")
        return { kind: "answered", value: { delegated: body, delegations: null, truncated, unreadable: 0 } };
      // Registries that don't know the parameters ignore them.
      const delegations = body.records.filter((each) => each.from === from && each.to === to);
      const grant = { delegated: delegations.some(isUnlimited), delegations };
      return { kind: "answered", value: { ...grant, truncated, unreadable: body.unreadable } };
    },
  };
}

function understand<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  truncated: boolean,
): SourceAnswer<RemoteAnswer<z.output<Schema>>> {
  let body: unknown;
  try {
    body = parseExact(text);
  } catch {
    return unavailable("unexpected_answer", "the registry answered something that is not JSON");
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return { kind: "answered", value: { body: parsed.data, truncated } };
  return unavailable("unexpected_answer", "the registry answered in a shape that is not known");
}

async function readText(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > BODY_CHARACTERS_MAX) throw new Error("the answer is too large");
  }
  return text + decoder.decode();
}

/** fetch hides the reason in the cause; its own message may contain the URL, which may be confidential. */
const causeOf = (error: Error): string =>
  error.name === "TimeoutError"
    ? `no answer within ${TIMEOUT_MS / 1000} s`
    : error.cause instanceof Error
      ? ((error.cause as NodeJS.ErrnoException).code ?? error.cause.message)
      : error.name;
