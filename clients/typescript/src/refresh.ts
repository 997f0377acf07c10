/** Refreshing tokens, and waiting for the result. */

import type { components } from "./api.ts";
import { type CallOptions, readBody, type Sender } from "./request.ts";
import { isRetryable } from "./retry.ts";
import { createTimeLimit } from "./time-limit.ts";
import { sleep } from "./timer.ts";
import { type TokenId, tokenIdText } from "./token-id.ts";

export type RefreshReceipt = components["schemas"]["RefreshReceipt"];
export type RefreshAccepted = components["schemas"]["RefreshAccepted"];

export type CollectionRefreshReceipt = components["schemas"]["CollectionRefreshReceipt"];

export interface RefreshOptions extends CallOptions {
  readonly chainId?: number;
}

export interface WaitOptions extends CallOptions {
  /**
   * Milliseconds after which the last receipt is returned, with `done: false`; 120,000 by default. A `NETWORK` error is
   * thrown if there is none by then.
   */
  readonly timeoutMs?: number;
}

// The most that the service waits in one request.
const WAIT_SECONDS = 10;
const TIMEOUT_MS = 120_000;
const FIRST_POLL_MS = 500;
const LONGEST_POLL_MS = 5_000;

/** Requests a refresh of 1 to 100 tokens; `waitSeconds` is 0 to 10. */
export function requestRefresh(
  sender: Sender,
  collection: string,
  tokenIds: readonly TokenId[],
  { chainId, signal, waitSeconds = 0 }: RefreshOptions & { readonly waitSeconds?: number },
): Promise<RefreshAccepted> {
  return sender.send(
    "/market-partner/collections/{collection_address}/refresh_metadata",
    {
      method: "POST",
      path: { collection_address: collection },
      query: { chain_id: chainId, wait: waitSeconds || undefined },
      body: { token_ids: tokenIds.map(tokenIdText) },
      // Requesting twice what is pending requests one refresh.
      isIdempotent: true,
      signal,
    },
    readBody<RefreshAccepted>,
  );
}

export function readReceipt(
  sender: Sender,
  refreshId: string,
  { signal }: CallOptions,
): Promise<RefreshReceipt> {
  return sender.send(
    "/market-partner/refreshes/{refresh_id}",
    { method: "GET", path: { refresh_id: refreshId }, signal },
    readBody<RefreshReceipt>,
  );
}

/**
 * Polls the receipt of what `request` requests, through any outage, until it is done or the time is up: then the last
 * receipt, or a `NETWORK` error without any.
 */
async function untilDone(
  sender: Sender,
  { timeoutMs = TIMEOUT_MS, signal }: WaitOptions,
  request: (signal: AbortSignal) => Promise<string>,
): Promise<RefreshReceipt> {
  const end = Date.now() + timeoutMs;
  const limit = createTimeLimit(timeoutMs, `No receipt within ${timeoutMs} ms`, signal);
  let receipt: RefreshReceipt | undefined;
  try {
    const refreshId = await request(limit.signal);
    for (let delay = FIRST_POLL_MS; ; delay = Math.min(LONGEST_POLL_MS, delay * 2)) {
      let askedMs = 0;
      try {
        receipt = await readReceipt(sender, refreshId, { signal: limit.signal });
        if (receipt.done) return receipt;
      } catch (error) {
        if (!isRetryable(error, true)) throw error;
        askedMs = error.retryAfterMs ?? 0;
      }
      // More often towards the end, so that the last receipt is hardly older than the first delay.
      const left = end - Date.now();
      await sleep(Math.max(FIRST_POLL_MS, Math.min(delay, left / 2), askedMs), limit.signal);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (receipt && limit.signal.aborted) return receipt;
    throw error;
  } finally {
    limit.end();
  }
}

/** Polls a receipt until it is done or the time is up. */
export const waitForReceipt = (
  sender: Sender,
  refreshId: string,
  options: WaitOptions,
): Promise<RefreshReceipt> => untilDone(sender, options, async () => refreshId);

/** Requests a refresh and resolves when every token has its result, or when the time is up. */
export function refreshAndWait(
  sender: Sender,
  collection: string,
  tokenIds: readonly TokenId[],
  { timeoutMs = TIMEOUT_MS, ...call }: RefreshOptions & WaitOptions,
): Promise<RefreshReceipt> {
  // Half of the limits is left for the way there and back, and for the receipt.
  const half = Math.min(timeoutMs, sender.timeoutMs) / 2;
  const waitSeconds = Math.min(WAIT_SECONDS, Math.floor(half / 1_000));
  return untilDone(sender, { timeoutMs, signal: call.signal }, async (signal) => {
    const accepted = await requestRefresh(sender, collection, tokenIds, { ...call, signal, waitSeconds });
    return accepted.refresh_id;
  });
}
