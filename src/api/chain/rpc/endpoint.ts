/** One RPC endpoint of a chain: limits its concurrency, and distinguishes faults from answers. */

import { type GetLogsRetryHelperParameters, getLogsRetryHelper } from "@ponder/utils";
import {
  BaseError,
  type EIP1193RequestFn,
  HttpRequestError,
  http,
  isHex,
  ResponseBodyTooLargeError,
  type RpcError,
  RpcRequestError,
  TimeoutError,
} from "viem";
import { retryAfterMs, retryPolicies } from "../../jobs/retry-policies.ts";
import { hideUrl, redactError } from "../../logging/redact.ts";

// Enough for the logs of a block range; anything larger is requested in smaller ranges.
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const AT_ONCE_MAX = 64;
const AT_ONCE_MIN = 2;
const RATE_LIMIT_CODES: readonly number[] = [-32005, 429, -32007];

/** The reason of a response above 64 MiB. */
export const TOO_LARGE = "too_large";

/** A JSON-RPC call. */
export interface Call {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * `refused`: a JSON-RPC error or a response above 64 MiB, about this call or about all. `fault`: no readable response.
 */
export type Outcome =
  | { readonly kind: "answer"; readonly result: unknown }
  | { readonly kind: "refused"; readonly reason: string; readonly error: Error }
  | { readonly kind: "fault"; readonly reason: string; readonly error: Error; readonly retryAfterMs: number };

export interface RpcEndpoint {
  /** Its position in PONDER_RPC_URL_<chainId>, from 1. */
  readonly place: number;
  /** The host of its URL, without path or query, which may contain a key. */
  readonly host: string;
  /** Calls in flight, as a share of its concurrency limit. */
  load(): number;
  /** Never rejects, and no error shows the URL. A response above 64 MiB, or above `bytesMax`, is refused. */
  ask(call: Call, timeoutMs: number, bytesMax?: number): Promise<Outcome>;
}

/** From now on, no log line shows more of the URL than its host. */
export function createEndpoint(url: string, place: number): RpcEndpoint {
  hideUrl(url);
  const requests = new Map<string, EIP1193RequestFn>();
  let underWay = 0;
  let atOnce = AT_ONCE_MAX;
  const waiting: (() => void)[] = [];

  function requestWithin(timeout: number, maxResponseBodySize: number): EIP1193RequestFn {
    const key = `${timeout} ${maxResponseBodySize}`;
    const known = requests.get(key);
    if (known) return known;
    const transport = http(url, { retryCount: 0, timeout, maxResponseBodySize });
    const request = transport({}).request as EIP1193RequestFn;
    requests.set(key, request);
    return request;
  }

  async function take(): Promise<void> {
    while (underWay >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    underWay++;
  }
  function release(outcome: Outcome): void {
    underWay--;
    // Like TCP congestion control: halve on a rate limit, grow slightly with each success.
    if (outcome.kind === "fault" && outcome.reason === "rate_limited") {
      atOnce = Math.max(AT_ONCE_MIN, Math.floor(atOnce / 2));
    } else if (outcome.kind === "answer") {
      atOnce = Math.min(AT_ONCE_MAX, atOnce + 1 / atOnce);
    }
    // Several where the limit has risen, none where it has fallen.
    for (let free = atOnce - underWay; free > 0 && waiting.length > 0; free--) waiting.shift()?.();
  }

  return {
    place,
    host: new URL(url).host,
    load: () => underWay / atOnce,
    async ask({ method, params = [] }, timeoutMs, bytesMax = ANSWER_BYTES_MAX) {
      await take();
      let outcome: Outcome;
      try {
        const result: unknown = await requestWithin(
          timeoutMs,
          bytesMax,
        )({ method, params: [...params] } as never);
        outcome =
          result === undefined
            ? fault("empty", new Error(`${method} was answered without a result`))
            : { kind: "answer", result };
      } catch (error) {
        const failed = outcomeOf(error as Error, { method, params });
        // Ponder logs errors by itself.
        outcome = failed.kind === "answer" ? failed : { ...failed, error: redactError(failed.error) };
      }
      release(outcome);
      return outcome;
    },
  };
}

const fault = (reason: string, error: Error, retryAfter?: string | null): Outcome => ({
  kind: "fault",
  reason,
  error,
  retryAfterMs: retryAfterMs(retryPolicies.rpcEndpoint, retryAfter),
});

/** What an error of viem's HTTP transport says: of the call, or of the endpoint. */
export function outcomeOf(error: Error, call: Call): Outcome {
  const find = <Kind extends Error>(kind: new (...args: never[]) => Kind): Kind | undefined => {
    const found = error instanceof BaseError ? error.walk((each) => each instanceof kind) : undefined;
    return found instanceof kind ? found : undefined;
  };
  const refusal = find(RpcRequestError);
  if (refusal && RATE_LIMIT_CODES.includes(refusal.code) && !isRangeLimit(error, call))
    return fault("rate_limited", error);
  if (refusal) return { kind: "refused", reason: "rpc_error", error };
  if (find(ResponseBodyTooLargeError)) return { kind: "refused", reason: TOO_LARGE, error };
  if (find(TimeoutError)) return fault("timeout", error);
  const answer = find(HttpRequestError);
  if (answer?.status === 429) return fault("rate_limited", error, answer.headers?.get("retry-after"));
  if (answer?.status) return fault(`http_${answer.status}`, error);
  return fault(systemReason(error), error);
}

/**
 * Whether Ponder can derive a smaller block range for logs from this error, by its own rule. Infura and similar nodes
 * reject a range with too many results with the code of a rate limit (-32005).
 */
function isRangeLimit(error: Error, { method, params }: Call): boolean {
  const [filter] = params ?? [];
  if (method !== "eth_getLogs" || !isRange(filter)) return false;
  return getLogsRetryHelper({ params: [filter], error: error as RpcError }).shouldRetry;
}

type Range = GetLogsRetryHelperParameters["params"][0];

const isRange = (filter: unknown): filter is Range => {
  const { fromBlock, toBlock } = (filter ?? {}) as Partial<Range>;
  return isHex(fromBlock) && isHex(toBlock);
};

function systemReason(error: Error): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED") return "refused";
    if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "unknown_host";
  }
  return /JSON|Unexpected token/i.test(`${error.message} ${(error as BaseError).details ?? ""}`)
    ? "not_json"
    : "unreachable";
}
