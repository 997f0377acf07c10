/** Refreshing tokens, and waiting for the result. */

import type { components } from "./api.ts";
import type { CallOptions, Sender } from "./request.ts";
import { sleep } from "./retry.ts";
import { type TokenId, tokenIdText } from "./token-id.ts";

export type RefreshReceipt = components["schemas"]["RefreshReceipt"];
export type RefreshAccepted = components["schemas"]["RefreshAccepted"];

export type CollectionRefreshReceipt = components["schemas"]["CollectionRefreshReceipt"];

export interface RefreshOptions extends CallOptions {
  readonly chainId?: number;
}

export interface WaitOptions extends CallOptions {
  /** Milliseconds after which the receipt is returned as it is then, with `done: false`; 120,000 by default. */
  readonly timeoutMs?: number;
}

// The most that the service waits in one request.
const WAIT_SECONDS = 10;
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
    (response) => response.json() as Promise<RefreshAccepted>,
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
    (response) => response.json() as Promise<RefreshReceipt>,
  );
}

/** Polls a receipt until it is done or the time is up. */
export async function waitForReceipt(
  sender: Sender,
  refreshId: string,
  { timeoutMs = 120_000, signal }: WaitOptions,
): Promise<RefreshReceipt> {
  const end = Date.now() + timeoutMs;
  for (let delay = FIRST_POLL_MS; ; delay = Math.min(LONGEST_POLL_MS, delay * 2)) {
    const receipt = await readReceipt(sender, refreshId, { signal });
    const left = end - Date.now();
    if (receipt.done || left <= 0) return receipt;
    await sleep(Math.min(delay, left), signal);
  }
}

/** Requests a refresh and resolves when every token has its result, or when the time is up. */
export async function refreshAndWait(
  sender: Sender,
  collection: string,
  tokenIds: readonly TokenId[],
  options: RefreshOptions & WaitOptions,
): Promise<RefreshReceipt> {
  const { timeoutMs = 120_000, ...call } = options;
  const end = Date.now() + timeoutMs;
  const waitSeconds = Math.min(WAIT_SECONDS, Math.floor(timeoutMs / 1_000));
  const { refresh_id: refreshId } = await requestRefresh(sender, collection, tokenIds, {
    ...call,
    waitSeconds,
  });
  return waitForReceipt(sender, refreshId, { timeoutMs: end - Date.now(), signal: options.signal });
}
