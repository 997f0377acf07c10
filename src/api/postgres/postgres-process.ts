/** The process behind a PostgreSQL cluster folder, found through the lock file PostgreSQL keeps there. */

import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";

export interface RunningServer {
  readonly pid: number;
  readonly port: number;
}

/** The cluster's running server; none if the lock file is only left from a crashed machine. */
export function runningServer(cluster: string): RunningServer | undefined {
  const [pid, , , port] = readLockFile(cluster).split("\n").map(Number);
  return pid && port && holdsFolder(pid, cluster) ? { pid, port } : undefined;
}

/** The port of the cluster's server, running or crashed. */
export function lastPort(cluster: string): number {
  return Number(readLockFile(cluster).split("\n")[3]) || 0;
}

/** Asks the server to end every session and shut down, as Ctrl-C in its terminal would. */
export function interrupt({ pid }: RunningServer): void {
  try {
    process.kill(pid, "SIGINT");
  } catch (error) {
    // Already gone is what was asked for.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function readLockFile(cluster: string): string {
  try {
    return readFileSync(join(cluster, "postmaster.pid"), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function holdsFolder(pid: number, cluster: string): boolean {
  try {
    // A container hands out the same process ids at every start, so being alive proves nothing.
    if (process.platform === "linux") return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
    process.kill(pid, 0);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ESRCH";
  }
}
