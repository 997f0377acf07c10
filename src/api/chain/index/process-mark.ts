/** How a process identifies itself in a row, and whether it is known to have ended. */

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export interface ProcessMark {
  readonly host: string;
  readonly pid: number;
  /** The scope in which process ids are comparable: a machine's boot and its PID namespace. Undefined if unknown. */
  readonly pids?: string | undefined;
}

/** The mark of this process. */
export const markProcess = (): ProcessMark => ({ host: hostname(), pid: process.pid, pids: pidSpace() });

/** True only if certain. A process whose id was reused counts as alive. */
export function isSeenGone({ pid, pids }: Pick<ProcessMark, "pid" | "pids">): boolean {
  if (pids === undefined || pids !== pidSpace()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** From Linux's /proc; undefined on other systems. */
function pidSpace(): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return undefined;
  }
}
