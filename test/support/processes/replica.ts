/** Starts the HTTP application in a process of its own, without an indexer. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { CollectionConfig } from "../../../src/config.ts";

export interface ReplicaOptions {
  readonly connectionString: string;
  /** Of Ponder's tables. */
  readonly schema: string;
  readonly collections: readonly CollectionConfig[];
  readonly memoryMb: number;
  /** How many apps of the highest tier get a key. */
  readonly apps: number;
}

export interface ReplicaStart {
  readonly port: number;
  readonly keys: readonly string[];
}

export interface ReplicaReport {
  /** Of the main thread, since the last report. */
  readonly delayP99Ms: number;
  /** How many search indexes it has loaded. */
  readonly loads: number;
}

export interface Replica extends ReplicaStart {
  report(): Promise<ReplicaReport>;
  kill(): Promise<void>;
}

const SERVER = fileURLToPath(new URL("./replica-server.ts", import.meta.url));

export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const child = fork(SERVER, [JSON.stringify(options)], { execArgv: ["--import", "tsx"], stdio: "inherit" });
  const [started] = (await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => {
      throw new Error(`a replica ended with ${code}`);
    }),
  ])) as [ReplicaStart];
  return {
    ...started,
    async report() {
      child.send("report");
      const [report] = (await once(child, "message")) as [ReplicaReport];
      return report;
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
