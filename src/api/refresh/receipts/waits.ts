/** Callers that wait for their receipts: woken by NOTIFY when one changes, and limited per app and process. */

import type { Database } from "../../db/database.ts";
import { createInFlightLimiter } from "../../http/limits/in-flight-limiter.ts";
import { findReceipt, type Receipt, type ReceiptOwner, type ReceiptToken } from "./receipts.ts";

/** Requests that may wait at once in a process, per app and in total. */
export const WAITS_PER_OWNER_MAX = 50;
const WAITS_MAX = 500;

// Finds notifications that were lost with their connection.
const POLL_MS = 2_000;
// A receipt of a hundred tokens may change a hundred times within a second. Its first change is read at once.
const READ_EVERY_MS = 100;

export const waitedFor = ["metadata", "media"] as const;

export interface WaitOptions {
  /** `media` also waits until the images of all tokens are decided. `metadata` by default. */
  readonly until?: (typeof waitedFor)[number];
  /** Aborted when the client has left. */
  readonly gone?: AbortSignal;
}

export interface ReceiptWaits {
  /**
   * The receipt once it is done, or in its current state: after `seconds`, when `gone` is aborted because the client
   * has left, when the process stops, and immediately if the owner or the process has too many waiting requests.
   */
  wait(id: string, owner: ReceiptOwner, seconds: number, options?: WaitOptions): Promise<Receipt | undefined>;
  /** Reads the receipts of these ids, which a notification names, again; without ids, all that are waited for. */
  wake(ids?: string): void;
  /** Ends all waits, now and from now on. Resolves once each has read its receipt for the last time. */
  stop(): Promise<void>;
}

export function createReceiptWaits(database: Database): ReceiptWaits {
  const waiting = new Map<string, Set<() => void>>();
  const unfinished = new Set<Promise<unknown>>();
  let isStopped = false;
  // Over either limit, a caller is answered immediately, so there is nothing to retry later.
  const perOwner = createInFlightLimiter({ requests: WAITS_PER_OWNER_MAX, retrySeconds: 0 });
  const inProcess = createInFlightLimiter({ requests: WAITS_MAX, retrySeconds: 0 });

  /** `changed` resolves when the receipt may have changed, after `ms`, and when it is released. */
  function listenTo(id: string, ms: number): { changed: Promise<void>; letGo: () => void } {
    let letGo = (): void => {};
    const changed = new Promise<void>((resolve) => {
      const listeners = waiting.get(id) ?? new Set();
      letGo = () => {
        clearTimeout(timer);
        listeners.delete(letGo);
        if (listeners.size === 0 && waiting.get(id) === listeners) waiting.delete(id);
        resolve();
      };
      const timer = setTimeout(letGo, ms);
      waiting.set(id, listeners.add(letGo));
    });
    return { changed, letGo };
  }

  async function waitUntil(
    id: string,
    owner: ReceiptOwner,
    deadline: number,
    { gone, until = "metadata" }: WaitOptions,
  ): Promise<Receipt | undefined> {
    for (let changes = 0; ; changes++) {
      const readAt = performance.now();
      // Subscribed before the receipt is read, so that no change in between is missed.
      const { changed, letGo } = listenTo(id, Math.max(0, Math.min(POLL_MS, deadline - readAt)));
      gone?.addEventListener("abort", letGo);
      try {
        const receipt = await findReceipt(database, id, owner);
        const isOver = receipt?.done && (until === "metadata" || receipt.tokens.every(isImageDecided));
        const isEnough = isOver || performance.now() >= deadline || gone?.aborted || isStopped;
        if (!receipt || isEnough) return receipt;
        await changed;
      } finally {
        gone?.removeEventListener("abort", letGo);
        letGo();
      }
      const pause =
        changes === 0 || isStopped ? 0 : Math.min(readAt + READ_EVERY_MS, deadline) - performance.now();
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  function wake(ids?: string): void {
    const named = ids === undefined ? [...waiting.keys()] : ids.split(",");
    for (const id of named) {
      for (const wakeUp of [...(waiting.get(id) ?? [])]) wakeUp();
    }
  }

  return {
    async wait(id, owner, seconds, options = {}) {
      const name = typeof owner === "string" ? owner : owner.appId;
      const places = [perOwner.take(name), inProcess.take("all")];
      const release = (): void => {
        for (const place of places) place.release?.();
      };
      if (!places.every(({ isAllowed }) => isAllowed)) {
        release();
        return findReceipt(database, id, owner);
      }
      const read = waitUntil(id, owner, performance.now() + seconds * 1000, options).finally(release);
      unfinished.add(read);
      return read.finally(() => unfinished.delete(read));
    },

    wake,

    async stop() {
      isStopped = true;
      wake();
      await Promise.allSettled(unfinished);
    },
  };
}

const isImageDecided = ({ image }: ReceiptToken): boolean => image !== "pending";
