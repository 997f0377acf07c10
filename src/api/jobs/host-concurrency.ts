/** Limits concurrent requests: per host, by how the host answers, and for the process as a whole. */

import { LRUCache } from "lru-cache";
import { createBatch } from "../async/batch.ts";
import { createPromiseCache } from "../async/promise-cache.ts";
import type { Database } from "../db/database.ts";
import { type Bounds, createHostLimit, type HostLimit, type HostSignal } from "./host-limit.ts";
import { type HostFault, readFaulty } from "./hosts.ts";

// All processes together make at least so many: with fewer, a slow host would idle between two requests.
const AT_ONCE_MIN = 4;
// One host's share of the process's requests, so that a host that stops answering leaves some for others.
const SHARE_OF_ONE_HOST = 3 / 4;
// Long enough for a host that answers, and short enough for other work if it doesn't.
const WAIT_MS = 1_000;
// So much work is claimed ahead: a claim, and reading a token's URI, take part of this time.
const AHEAD_MS = 100;
// The most to claim ahead for one host, in multiples of the concurrency: a burst of events takes one or two claims.
const AHEAD_SHARE = 6;
// The same for unknown hosts.
const UNREAD_SHARE = 2;
// Of a host, or of unknown ones, while there is no space: each gives up after a second, and what is claimed next may have some.
const WITHOUT_SPACE_MAX = 4;
// A pause that another process began may be noticed so much later.
const PAUSED_KEPT_MS = 100;
const HOSTS_MAX = 1_000;

export interface Visit {
  /** Higher goes first. */
  readonly priority: number;
  /** The claim knew the host, and that it may be asked: it is not paused, and if it was, this is what probes it. */
  readonly isClaimed: boolean;
  /** Aborted when no request is to be made any more. */
  readonly signal: AbortSignal;
}

/** Permission for one request. */
export interface HostTurn {
  /** Reports the outcome, if it says anything about the host. */
  ended(signal: HostSignal): void;
  /** Ends the turn, so that the next one may start. Further calls do nothing. */
  leave(): void;
}

/** How much more work this process should claim now, in units of one request. */
export interface ClaimQuota {
  /** By host, if it differs from `perHost`. */
  readonly hosts: ReadonlyMap<string, number>;
  readonly perHost: number;
  /** For work whose host is unknown. */
  readonly unread: number;
}

export interface HostConcurrency {
  /**
   * Waits for a turn. Undefined if the host is paused or being probed, if it stays busy or there is no space for a second,
   * or if `signal` is aborted.
   */
  enter(host: string, visit: Visit): Promise<HostTurn | undefined>;
  /** To be called when there is space again. */
  retryWaiting(): void;
  /** Counts claimed work for a host until the returned function is called. */
  expect(host: string): () => void;
  quota(): ClaimQuota;
  /** Sets how many processes work for each host, including this one; they divide its limits evenly. */
  shareWith(processes: ReadonlyMap<string, number>): void;
  /** Good answers to this process among about its last hundred requests; 0 unless one came within the last two seconds. */
  answeredLately(host: string): number;
  /** Reads again which hosts are paused, after this process recorded a failure: waiting requests need to know. */
  forgetPaused(): void;
}

interface Host {
  readonly name: string;
  readonly limit: HostLimit;
  readonly queue: Waiting[];
  inFlight: number;
  expected: number;
  /** When a request to it ended last, or the first of those under way started. */
  quietSince: number;
}

interface Waiting extends Pick<Visit, "priority" | "isClaimed"> {
  readonly start: () => void;
}

/**
 * At most `concurrency` requests at once, and at most three quarters of those to one host. None of a priority begins while
 * there is no space for what it would bring.
 */
export function createHostConcurrency(
  database: Database,
  concurrency: number,
  hasSpace: (priority: number) => boolean = () => true,
): HostConcurrency {
  const known = new LRUCache<string, Host>({ max: HOSTS_MAX });
  const queued = new Set<Host>();
  let processes: ReadonlyMap<string, number> = new Map();
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;

  // Requests in a burst share one query.
  const faults = createPromiseCache<string, HostFault | undefined>({ max: HOSTS_MAX, ttlMs: PAUSED_KEPT_MS });
  const readFault = createBatch<HostFault>((names) => readFaulty(database, names), { atOnce: 1 });
  const faultOf = (name: string) => faults.get(name, () => readFault(name));

  function boundsOf(name: string): Bounds {
    const sharing = processes.get(name) ?? 1;
    const max = Math.max(1, Math.floor((concurrency * SHARE_OF_ONE_HOST) / sharing));
    return { min: Math.min(Math.ceil(AT_ONCE_MIN / sharing), max), max };
  }

  function hostOf(name: string): Host {
    let host = known.get(name);
    if (!host) {
      const limit = createHostLimit(() => boundsOf(name));
      host = { name, limit, queue: [], inFlight: 0, expected: 0, quietSince: 0 };
      known.set(name, host);
    }
    return host;
  }

  const isFree = (host: Host, priority: number): boolean =>
    host.inFlight < host.limit.max && hasSpace(priority);

  const mayStart = (host: Host, priority: number): boolean =>
    inFlight < concurrency && isFree(host, priority) && host.limit.waitMs(performance.now()) === 0;

  const priorityOf = (host: Host): number => host.queue[0]?.priority ?? 0;

  function start(host: Host): void {
    if (host.inFlight === 0) host.quietSince = performance.now();
    host.inFlight++;
    inFlight++;
    host.limit.started(performance.now());
  }

  const isBefore = (a: Host, b: Host): boolean => {
    const difference = priorityOf(a) - priorityOf(b);
    return difference > 0 || (difference === 0 && a.inFlight < b.inFlight);
  };

  /** Starts what may start: by priority, and at equal priority the host with the fewest requests. */
  function startNext(): void {
    clearTimeout(timer);
    for (;;) {
      let next: Host | undefined;
      for (const host of queued)
        if (mayStart(host, priorityOf(host)) && (next === undefined || isBefore(host, next))) next = host;
      if (!next) break;
      next.queue[0]?.start();
    }
    if (inFlight === concurrency) return;
    // A host that only its pace holds up goes on without another turn ending.
    const now = performance.now();
    const paced = [...queued].filter((host) => isFree(host, priorityOf(host)));
    const waits = paced.map(({ limit }) => limit.waitMs(now));
    if (waits.length > 0) timer = setTimeout(startNext, Math.ceil(Math.min(...waits)));
  }

  /** True once the turn has come. */
  function waitForTurn(host: Host, { priority, isClaimed, signal }: Visit): Promise<boolean> {
    return new Promise((done) => {
      const end = (isTurn: boolean): void => {
        clearTimeout(late);
        signal.removeEventListener("abort", giveUp);
        host.queue.splice(host.queue.indexOf(waiting), 1);
        if (host.queue.length === 0) queued.delete(host);
        if (isTurn) start(host);
        done(isTurn);
      };
      const giveUp = (): void => end(false);
      const waiting: Waiting = { priority, isClaimed, start: () => end(true) };
      const late = setTimeout(giveUp, WAIT_MS);
      signal.addEventListener("abort", giveUp);
      const behind = host.queue.findIndex((other) => other.priority < priority);
      host.queue.splice(behind === -1 ? host.queue.length : behind, 0, waiting);
      queued.add(host);
      startNext();
    });
  }

  function leave(host: Host): void {
    host.quietSince = performance.now();
    host.inFlight--;
    inFlight--;
    startNext();
  }

  function createTurn(host: Host): HostTurn {
    const startedAt = performance.now();
    let hasLeft = false;
    return {
      ended: (signal) =>
        host.limit.ended({ signal, startedAt, endedAt: performance.now(), inFlight: host.inFlight }),
      leave() {
        if (!hasLeft) leave(host);
        hasLeft = true;
      },
    };
  }

  const boundBySpace = (quota: number): number => (hasSpace(0) ? quota : Math.min(quota, WITHOUT_SPACE_MAX));

  function quotaOf({ limit, expected, inFlight, quietSince }: Host): number {
    const now = performance.now();
    // What is claimed for a host that has stopped answering goes back to the queue, token by token.
    const hasStalled = inFlight > 0 && now - quietSince > AHEAD_MS;
    const most = hasStalled ? limit.max : AHEAD_SHARE * concurrency;
    const ahead = limit.max + Math.min(limit.startsWithin(AHEAD_MS, now), most);
    return Math.max(0, boundBySpace(ahead) - expected);
  }

  return {
    async enter(name, visit) {
      if (visit.signal.aborted) return undefined;
      const host = hostOf(name);
      const isAtOnce = host.queue.length === 0 && mayStart(host, visit.priority);
      if (isAtOnce) start(host);
      else if (!(await waitForTurn(host, visit))) return undefined;
      try {
        if (isAtOnce && visit.isClaimed) return createTurn(host);
        const fault = await faultOf(name);
        if (!fault || (visit.isClaimed && !fault.isPaused)) return createTurn(host);
      } catch (error) {
        leave(host);
        throw error;
      }
      leave(host);
      return undefined;
    },

    retryWaiting: startNext,

    expect(name) {
      const host = hostOf(name);
      host.expected++;
      return () => host.expected--;
    },

    quota() {
      // A host that is new to this process starts at the lower bound, with as much again claimed ahead.
      const perHost = boundBySpace(2 * boundsOf("").min);
      const hosts = [...known.values()].map((host) => [host.name, quotaOf(host)] as const);
      const waiting = [...queued].flatMap(({ queue }) => queue.filter(({ isClaimed }) => !isClaimed)).length;
      return {
        hosts: new Map(hosts.filter(([, quota]) => quota !== perHost)),
        perHost,
        unread: Math.max(0, boundBySpace(UNREAD_SHARE * concurrency) - waiting),
      };
    },

    shareWith(now) {
      processes = now;
    },

    answeredLately: (name) => known.get(name)?.limit.answeredLately(performance.now()) ?? 0,

    forgetPaused: faults.clear,
  };
}
