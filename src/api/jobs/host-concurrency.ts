/** Bounds what this process asks of one host at once, where the host is only known once work has begun. */

import type { Database } from "../db/database.ts";
import { readPaused } from "./hosts.ts";

// Long enough for a host that answers, and nothing to those behind when it does not.
const WAIT_MS = 1_000;
// What other processes find out about a host may come so much later.
const PAUSED_KEPT_MS = 100;

export interface HostConcurrency {
  /**
   * True counts a request until it leaves. False if the host is paused, or stays busy for a second. `isClaimed`: whoever
   * claimed the work knew its host, and that it was not paused.
   */
  enter(host: string, isClaimed: boolean): Promise<boolean>;
  leave(host: string): void;
  /** Forgets which hosts are paused, after this process noted a failure: those that wait for the host are to know. */
  forgetPaused(): void;
  /** How many wait for others of the same host to leave. */
  readonly waiting: number;
}

/** At most `perHost` requests to a host at once, over and above what claims took for it. */
export function createHostConcurrency(database: Database, perHost: number): HostConcurrency {
  const inside = new Map<string, number>();
  const queues = new Map<string, (() => void)[]>();
  let waiting = 0;
  let asking: ReturnType<typeof readPaused> | undefined;

  // A burst of requests asks once.
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

  return {
    async enter(host, isClaimed) {
      const isKnownToAnswer = isClaimed && !isFull(host);
      while (isFull(host)) if (!(await waitForTurn(host))) return false;
      inside.set(host, (inside.get(host) ?? 0) + 1);
      if (isKnownToAnswer || !(await paused()).has(host)) return true;
      leave(host);
      return false;
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
