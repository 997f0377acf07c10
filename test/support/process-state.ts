/** What Linux tells of a running process under /proc: its memory, its files and its children. */

import { readdirSync, readFileSync } from "node:fs";

/** Resident memory, in MB; 0 where that can't be read. */
export function memoryOf(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
}

/** How many file descriptors it has open, sockets and pipes included; 0 where that can't be read. */
export function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** The processes that its main thread has started and that still run. */
export const childrenOf = (pid: number): readonly number[] =>
  read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);

/** Its command line, with spaces between arguments; empty where that can't be read. */
export const commandOf = (pid: number): string => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It may have ended, and other systems have no such file.
    return "";
  }
}
