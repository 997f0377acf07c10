/** Linux's data about a running process under /proc: its memory, files and children. */

import { readdirSync, readFileSync } from "node:fs";

/** Resident memory in MB; 0 if unreadable. */
export function memoryOf(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
}

/** The number of open file descriptors, including sockets and pipes; 0 if unreadable. */
export function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** The number of files and folders that it watches for changes (inotify). Throws if unreadable. */
export function watchesOf(pid: number): number {
  const files = readdirSync(`/proc/${pid}/fdinfo`).map((fd) => read(`/proc/${pid}/fdinfo/${fd}`));
  return files.flatMap((file) => file.match(/^inotify wd:/gm) ?? []).length;
}

/** The running child processes of its main thread. */
export const childrenOf = (pid: number): readonly number[] =>
  read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);

/** Its command line, with spaces between arguments; empty if unreadable. */
export const commandOf = (pid: number): string => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It may have ended, and other systems have no such file.
    return "";
  }
}
