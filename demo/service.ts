/** Starts Vitrine as a child process, as an operator does, and waits until it is ready. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { SERVING_BUNDLE } from "../bin/serving-bundle.ts";

export { freePort } from "./ports.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 100;
const TAIL_LINES = 25;

export type ServiceOptions = {
  port: number;
  /** Added to this process's environment. */
  env: Record<string, string>;
  logFile: string;
  /** `npm start`'s supervisor by default; or Ponder itself, with these arguments. */
  ponderArgs?: readonly string[];
  /** More arguments for `npm start`, which passes them to Ponder. */
  startArgs?: readonly string[];
  /** What supervises Ponder: `npm start`'s script by default. */
  script?: string;
  /** The project's folder; this one by default. */
  root?: string;
};

export type Service = {
  baseUrl: string;
  process: ChildProcess;
  /** Resolves with the exit code, or the signal's name, once the process has ended and its log is complete. */
  exited: Promise<number | string>;
  /** Its output so far, on both streams. */
  log(): string;
  /** Sends a signal and waits for the end; returns the exit code or the signal's name. */
  stop(signal?: NodeJS.Signals): Promise<number | string>;
};

/** Spawns without waiting: for starts that are expected to fail. */
export const spawnService = ({
  port,
  env,
  logFile,
  ponderArgs,
  startArgs = [],
  root = ROOT,
  script = join(root, "bin/start.ts"),
}: ServiceOptions): Service => {
  const args = ponderArgs
    ? [join(root, "node_modules/ponder/dist/esm/bin/ponder.js"), ...ponderArgs]
    : ["--import", "tsx", script, ...startArgs];
  const otherCode = root === ROOT ? {} : { [SERVING_BUNDLE]: undefined };
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, PORT: String(port), ...otherCode, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // In its own process group: a terminal's Ctrl-C reaches only the parent, which then stops its parts in order.
    detached: true,
  });
  const log = createWriteStream(logFile, { flags: "a" });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  // A process may have exited before its last output has been read and written.
  const exited = once(child, "close").then(async ([code, signal]) => {
    log.end();
    await once(log, "finish");
    return (code ?? signal) as number | string;
  });

  return {
    baseUrl: `http://localhost:${port}`,
    process: child,
    exited,
    log: () => readFileSync(logFile, "utf8"),
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      const end = await exited;
      clearTimeout(timer);
      return end;
    },
  };
};

/** Spawns and waits until the whole chain is indexed; on failure throws with the end of the log. */
export const startService = async (options: ServiceOptions): Promise<Service> => {
  const service = spawnService(options);
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let end: number | string | undefined;
  service.exited.then(
    (code) => {
      end = code;
    },
    (error: Error) => {
      end = error.message;
    },
  );
  while (!(await answers(`${service.baseUrl}/ready`))) {
    if (end !== undefined || Date.now() > deadline) {
      await service.stop("SIGKILL");
      throw new Error(`the service did not become ready (exit: ${end ?? "none"})\n${tail(service.log())}`);
    }
    await sleep(POLL_MS);
  }
  return service;
};

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
};

const tail = (log: string): string => log.split("\n").slice(-TAIL_LINES).join("\n");
