/** Lets fetches through to the hosts that their URIs lead to, where the claim could not know the host. */

import type { Database } from "../../db/database.ts";
import type { Lease } from "../queue/queue.ts";
import { awaitHost, readPaused } from "./hosts.ts";

// Long enough for a host that answers, and nothing to those behind when it does not.
const WAIT_MS = 1_000;
// What other processes found out about a host bears being late.
const PAUSED_KEPT_MS = 100;

export interface HostConcurrency {
  /** True counts a fetch until it leaves; false when the token was put back, undefined when its lease was lost. */
  enter(lease: Lease, host: string): Promise<boolean | undefined>;
  leave(host: string): void;
  /** After this process found fault with a host, which those that wait for it are to know. */
  forgetPaused(): void;
  /** How many wait for others of the same host to leave. */
  readonly waiting: number;
}

/**
 * `perHost` bounds what this process asks of one host at once, over and above what its claims took for it. A token that
 * finds its host busy waits for a moment, and then for a claim that knows where it leads.
 */
export function createHostConcurrency(database: Database, perHost: number): HostConcurrency {
  const inside = new Map<string, number>();
  const queues = new Map<string, (() => void)[]>();
  let waiting = 0;
  let asking: ReturnType<typeof readPaused> | undefined;

  // A burst of fetches asks once.
  const paused = (): ReturnType<typeof readPaused> => {
    if (asking) return asking;
    const asked = readPaused(database);
    asking = asked;
    const forget = (): void => {
      if (asking === asked) asking = undefined;
    };
    asked.then(() => setTimeout(forget, PAUSED_KEPT_MS).unref(), forget);
    return asked;
  };

  const isFull = (host: string): boolean => (inside.get(host) ?? 0) >= perHost;

  /** True once another has left. */
  async function waitForTurn(host: string): Promise<boolean> {
    const queue = queues.get(host) ?? [];
    queues.set(host, queue);
    waiting++;
    const isTurn = await new Promise<boolean>((done) => {
      const turn = (): void => {
        clearTimeout(timer);
        done(true);
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(turn), 1);
        done(false);
      }, WAIT_MS);
      queue.push(turn);
    });
    waiting--;
    if (queue.length === 0) queues.delete(host);
    return isTurn;
  }

  function leave(host: string): void {
    const count = (inside.get(host) ?? 1) - 1;
    if (count > 0) inside.set(host, count);
    else inside.delete(host);
    queues.get(host)?.shift()?.();
  }

  const putBack = async (lease: Lease, host: string): Promise<false | undefined> =>
    (await awaitHost(database, lease, host)) ? false : undefined;

  return {
    async enter(lease, host) {
      // The claim has looked at the host that it knew.
      const isSeen = host === lease.host && !isFull(host);
      while (isFull(host)) if (!(await waitForTurn(host))) return putBack(lease, host);
      inside.set(host, (inside.get(host) ?? 0) + 1);
      if (isSeen || !(await paused()).has(host)) return true;
      leave(host);
      return putBack(lease, host);
    },

    leave,

    forgetPaused() {
      asking = undefined;
    },

    get waiting() {
      return waiting;
    },
  };
}
