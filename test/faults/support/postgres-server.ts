/** A separate PostgreSQL at a fixed address, which a test can stop in every way and restart. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../demo/service.ts";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../../../src/api/postgres/embedded-postgres.ts";
import { findInstall, launch } from "../../../src/api/postgres/postgres-install.ts";
import { postgresAnswers } from "../../support/database/postgres-answers.ts";
import { childrenOf } from "../../support/processes/process-state.ts";

const POLL_MS = 50;
const START_TIMEOUT_MS = 60_000;
// The free port may be taken before PostgreSQL binds it.
const START_TRIES = 3;

// PostgreSQL's own terms for the signals that end it (documentation, 18.5 "Shutting Down the Server").
const SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

export interface PostgresServer {
  readonly url: string;
  start(): Promise<void>;
  /** `fast` ends every session and flushes to disk; `immediate` is a crash, from which the next start recovers. */
  stop(mode: keyof typeof SIGNALS): Promise<void>;
  /** kill -9 of the postmaster alone; its sessions find out by themselves. */
  kill(): Promise<void>;
  /** It and its sessions neither answer nor end, until `resume`. */
  pause(): void;
  resume(): void;
}

/** Creates a cluster in this folder, like the embedded one, and starts it. */
export async function startPostgresServer(folder: string): Promise<PostgresServer> {
  const made = new URL(await joinEmbeddedPostgres(folder));
  await stopEmbeddedPostgres(folder);
  const cluster = join(folder, "postgres");
  const install = findInstall(cluster);
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=100"];
  let child: ChildProcess | undefined;
  let paused: readonly number[] = [];
  const signal = (pid: number, name: NodeJS.Signals): boolean => {
    try {
      return process.kill(pid, name);
    } catch {
      // A session may have ended.
      return false;
    }
  };

  const server: PostgresServer = {
    get url() {
      return made.href;
    },
    async start() {
      const args = ["-D", cluster, "-p", made.port, ...settings.flatMap((setting) => ["-c", setting])];
      const { file, args: all, identity } = launch(install, install.postgres, args);
      child = spawn(file, all, { ...identity, cwd: folder, stdio: "ignore" });
      endWithParent(child);
      const deadline = Date.now() + START_TIMEOUT_MS;
      while (!(await postgresAnswers(made.href))) {
        if (child.exitCode !== null || Date.now() > deadline)
          throw new Error(`PostgreSQL in ${cluster} did not start (exit: ${child.exitCode ?? "none"})`);
        await sleep(POLL_MS);
      }
    },
    async stop(mode) {
      if (!child || child.exitCode !== null) return;
      const exited = once(child, "exit");
      child.kill(SIGNALS[mode]);
      await exited;
    },
    async kill() {
      if (!child || child.exitCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
    pause() {
      if (!child?.pid) return;
      // The postmaster first: from then on there are no new sessions.
      signal(child.pid, "SIGSTOP");
      paused = [child.pid, ...childrenOf(child.pid)];
      for (const pid of paused) signal(pid, "SIGSTOP");
    },
    resume() {
      for (const pid of paused) signal(pid, "SIGCONT");
      paused = [];
    },
  };
  for (let tries = START_TRIES; ; tries--) {
    made.port = String(await freePort());
    try {
      await server.start();
      return server;
    } catch (error) {
      if (tries === 1) throw error;
    }
  }
}

/** Exit handlers do not run when a process is killed, but its end of this pipe closes in any case. */
function endWithParent(child: ChildProcess): void {
  const watchdog = spawn("sh", ["-c", `cat; kill -INT ${child.pid}`], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.once("exit", () => watchdog.kill("SIGKILL"));
}
