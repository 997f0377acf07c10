/** Notices a thread that answers nothing at all any more, which only ending it can cure. */

// Apart, so that a process that stood still, as a suspended machine does, sees one of them late and not all at once.
const PINGS = 4;
const PING_MS = 5_000;

export interface Watchdog {
  /** Call it when the thread owes an answer for too long: a long load answers pings, a loop without an end doesn't. */
  suspect(): void;
  /** Call it for each message of the thread. */
  heard(): void;
  /** Call it when the thread has ended. */
  stop(): void;
}

/** Calls `end` once the thread has been silent for all pings; `pingMs` apart, 5 seconds by default. */
export function createWatchdog(deps: {
  readonly ping: () => void;
  readonly end: () => void;
  readonly pingMs?: number;
}): Watchdog {
  const { ping, end, pingMs = PING_MS } = deps;
  let timer: NodeJS.Timeout | undefined;
  let pings = 0;

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    pings = 0;
  }

  return {
    suspect() {
      if (timer) return;
      ping();
      timer = setInterval(() => {
        pings++;
        if (pings < PINGS) return ping();
        stop();
        end();
      }, pingMs);
      timer.unref();
    },
    heard: stop,
    stop,
  };
}
