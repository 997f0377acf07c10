/** Bounds what this process asks of hosts at once: of each by how it answers, and of all together. */

import { LRUCache } from "lru-cache";
import type { Database } from "../db/database.ts";
import { type Bounds, createHostLimit, type HostLimit, type HostSignal } from "./host-limit.ts";
import { readPaused } from "./hosts.ts";

// All processes together ask a host at least so much at once: less would leave a slow one idle between two answers.
const AT_ONCE_MIN = 4;
// Of all that a process asks at once, so that a host that stops answering leaves the rest to others.
const SHARE_OF_ONE_HOST = 3 / 4;
// Long enough for a host that answers, and nothing to those behind when it does not.
const WAIT_MS = 1_000;
// Work for so long is claimed ahead, since a claim and the reading of a token's URI take a part of it.
const AHEAD_MS = 100;
// In multiples of what this process asks at once: what is claimed ahead of one host, and of unknown ones.
const AHEAD_SHARE = 2;
// What other processes find out about a host may come so much later.
const PAUSED_KEPT_MS = 100;
const HOSTS_MAX = 1_000;

export interface Visit {
  /** The highest goes first. */
  readonly priority: number;
  /** Whoever claimed the work knew its host, and that it was not paused. */
  readonly isClaimed: boolean;
  /** Aborted when nothing is to be asked any more. */
  readonly signal: AbortSignal;
}

/** A request that may be made now. */
export interface HostTurn {
  /** Tells how it ended, where that says something of the host. */
  ended(signal: HostSignal): void;
  /** Lets the next one go. Later calls do nothing. */
  leave(): void;
}

/** How much more work this process should claim now. */
export interface ClaimQuota {
  /** By host, where it is not `perHost`. */
  readonly hosts: ReadonlyMap<string, number>;
  readonly perHost: number;
  /** Of work whose host nobody knows yet. */
  readonly unread: number;
}

export interface HostConcurrency {
  /** The turn, once it has come. Undefined if the host is paused, stays busy for a second, or the visit is called off. */
  enter(host: string, visit: Visit): Promise<HostTurn | undefined>;
  /** Counts claimed work for a host until the function that is returned is called. */
  expect(host: string): () => void;
  quota(): ClaimQuota;
  /** By host, how many processes work for it, this one included: they share what may be asked of it. */
  shareWith(processes: ReadonlyMap<string, number>): void;
  /** How many good answers this process has had of about the last hundred; 0 unless one came within the last two seconds. */
  answeredLately(host: string): number;
  /** Forgets which hosts are paused, after this process noted a failure: those that wait for the host are to know. */
  forgetPaused(): void;
}

interface Host {
  readonly name: string;
  readonly limit: HostLimit;
  readonly line: Waiting[];
  inFlight: number;
  expected: number;
}

interface Waiting extends Pick<Visit, "priority" | "isClaimed"> {
  readonly start: () => void;
}

/** At most `concurrency` requests at once, three quarters of them to one host. */
export function createHostConcurrency(database: Database, concurrency: number): HostConcurrency {
  const known = new LRUCache<string, Host>({ max: HOSTS_MAX });
  const lines = new Set<Host>();
  let processes: ReadonlyMap<string, number> = new Map();
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;
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

  function boundsOf(name: string): Bounds {
    const sharing = processes.get(name) ?? 1;
    const max = Math.max(1, Math.floor((concurrency * SHARE_OF_ONE_HOST) / sharing));
    return { min: Math.min(Math.ceil(AT_ONCE_MIN / sharing), max), max };
  }

  function hostOf(name: string): Host {
    let host = known.get(name);
    if (!host) {
      const limit = createHostLimit(() => boundsOf(name));
      host = { name, limit, line: [], inFlight: 0, expected: 0 };
      known.set(name, host);
    }
    return host;
  }

  const mayStart = (host: Host): boolean =>
    inFlight < concurrency && host.inFlight < host.limit.max && host.limit.waitMs(performance.now()) === 0;

  function start(host: Host): void {
    host.inFlight++;
    inFlight++;
    host.limit.started(performance.now());
  }

  const isBefore = (a: Host, b: Host): boolean => {
    const difference = (a.line[0]?.priority ?? 0) - (b.line[0]?.priority ?? 0);
    return difference > 0 || (difference === 0 && a.inFlight < b.inFlight);
  };

  /** Starts what may start: the most wanted first, and of hosts alike the one that is asked least. */
  function startNext(): void {
    clearTimeout(timer);
    for (;;) {
      let next: Host | undefined;
      for (const host of lines)
        if (mayStart(host) && (next === undefined || isBefore(host, next))) next = host;
      if (!next) break;
      next.line[0]?.start();
    }
    if (inFlight === concurrency) return;
    // Those that only their pace holds up go on though nobody leaves.
    const now = performance.now();
    const paced = [...lines].filter((host) => host.inFlight < host.limit.max);
    const waits = paced.map(({ limit }) => limit.waitMs(now));
    if (waits.length > 0) timer = setTimeout(startNext, Math.ceil(Math.min(...waits)));
  }

  /** True once another has left and the turn has come. */
  function waitForTurn(host: Host, { priority, isClaimed, signal }: Visit): Promise<boolean> {
    return new Promise((done) => {
      const end = (isTurn: boolean): void => {
        clearTimeout(late);
        signal.removeEventListener("abort", giveUp);
        host.line.splice(host.line.indexOf(waiting), 1);
        if (host.line.length === 0) lines.delete(host);
        if (isTurn) start(host);
        done(isTurn);
      };
      const giveUp = (): void => end(false);
      const waiting: Waiting = { priority, isClaimed, start: () => end(true) };
      const late = setTimeout(giveUp, WAIT_MS);
      signal.addEventListener("abort", giveUp);
      const behind = host.line.findIndex((other) => other.priority < priority);
      host.line.splice(behind === -1 ? host.line.length : behind, 0, waiting);
      lines.add(host);
      startNext();
    });
  }

  function leave(host: Host): void {
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

  function quotaOf({ limit, expected }: Host): number {
    const ahead = Math.min(limit.startsWithin(AHEAD_MS, performance.now()), AHEAD_SHARE * concurrency);
    return Math.max(0, limit.max + ahead - expected);
  }

  return {
    async enter(name, visit) {
      if (visit.signal.aborted) return undefined;
      const host = hostOf(name);
      const isAtOnce = host.line.length === 0 && mayStart(host);
      if (isAtOnce) start(host);
      else if (!(await waitForTurn(host, visit))) return undefined;
      try {
        if ((isAtOnce && visit.isClaimed) || !(await paused()).has(name)) return createTurn(host);
      } catch (error) {
        leave(host);
        throw error;
      }
      leave(host);
      return undefined;
    },

    expect(name) {
      const host = hostOf(name);
      host.expected++;
      return () => host.expected--;
    },

    quota() {
      // A host that is new to this process starts with the lower bound, and as much again ahead.
      const perHost = 2 * boundsOf("").min;
      const hosts = [...known.values()].map((host) => [host.name, quotaOf(host)] as const);
      const waiting = [...lines].flatMap(({ line }) => line.filter(({ isClaimed }) => !isClaimed)).length;
      return {
        hosts: new Map(hosts.filter(([, quota]) => quota !== perHost)),
        perHost,
        unread: Math.max(0, AHEAD_SHARE * concurrency - waiting),
      };
    },

    shareWith(now) {
      processes = now;
    },

    answeredLately: (name) => known.get(name)?.limit.answeredLately(performance.now()) ?? 0,

    forgetPaused() {
      asking = undefined;
    },
  };
}
