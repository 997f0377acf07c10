/** Follows work of the service to its end, across restarts. */

import { setTimeout as sleep } from "node:timers/promises";
import { AdminError } from "../admin-client.ts";
import type { Tool } from "./tool.ts";

const POLL_MS = 500;
// A restarting service is back by then.
const AWAY_MS = 60_000;
const BAR_CELLS = 24;

/** The last progress once the work is done; undefined if aborted first. Throws when the service stays unreachable. */
export async function follow<Progress>(deps: {
  readonly read: () => Promise<Progress>;
  readonly isDone: (progress: Progress) => boolean;
  readonly describe: (progress: Progress) => string;
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
  readonly pollMs?: number;
  readonly awayMs?: number;
}): Promise<Progress | undefined> {
  const { read, isDone, describe, onText, signal, pollMs = POLL_MS, awayMs = AWAY_MS } = deps;
  let answeredAt = performance.now();
  while (!signal.aborted) {
    try {
      const progress = await read();
      answeredAt = performance.now();
      if (isDone(progress)) return progress;
      onText(describe(progress));
    } catch (error) {
      if (signal.aborted) return undefined;
      const isRefusal = error instanceof AdminError && error.status < 500;
      if (isRefusal || performance.now() - answeredAt > awayMs) throw error;
      onText(`${(error as Error).message} Trying again`);
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** `[####....] 50%`; empty if the total is 0 and nothing ended. */
export function bar(ended: number, total: number): string {
  const share = total === 0 ? 0 : ended / total;
  const cells = Math.floor(share * BAR_CELLS);
  return `[${"#".repeat(cells)}${".".repeat(BAR_CELLS - cells)}] ${Math.floor(share * 100)}%`;
}

/** Runs `work` with a signal that Ctrl-C aborts. Where `work` rejects with that, says so, with the exit code of Ctrl-C. */
export async function untilInterrupted(
  { progress: say }: Pick<Tool, "progress">,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once("SIGINT", interrupt);
  try {
    await work(interrupted.signal);
  } catch (error) {
    if (!interrupted.signal.aborted || error !== interrupted.signal.reason) throw error;
    say("stopped before the service answered; it may do what it was asked to");
    process.exitCode = INTERRUPTED_EXIT_CODE;
  } finally {
    process.off("SIGINT", interrupt);
  }
}

/** A shell's exit code for Ctrl-C, so that no caller takes it for success. */
export const INTERRUPTED_EXIT_CODE = 130;
