/** What a process leaves of itself in a row, and whether it is seen from here to be gone. */

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export interface ProcessMark {
  readonly host: string;
  readonly pid: number;
  /** Where process ids mean the same: a boot of a machine, and a namespace of it. Undefined where that can't be told. */
  readonly pids?: string | undefined;
}

/** Of this process. */
export const markProcess = (): ProcessMark => ({ host: hostname(), pid: process.pid, pids: pidSpace() });

/** True only when it is certain. One whose id another process has by now passes for alive. */
export function isSeenGone({ pid, pids }: Pick<ProcessMark, "pid" | "pids">): boolean {
  if (pids === undefined || pids !== pidSpace()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** From Linux's /proc; other systems have none. */
function pidSpace(): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return undefined;
  }
}
