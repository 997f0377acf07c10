/** Runs anvil as a child process that never outlives its parent. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

// A cold start takes a tenth of a second; a loaded machine gets a hundred times that.
const START_TIMEOUT_MS = 15_000;
// Anvil may write its state on exit, which takes a moment.
const STOP_TIMEOUT_MS = 3_000;

export type Anvil = { rpcUrl: string; stop(): Promise<void> };

/** Starts anvil with these arguments and resolves with its URL once it listens. */
export const startAnvil = async (args: readonly string[]): Promise<Anvil> => {
  // In its own process group: a Ctrl-C must reach only the parent, which stops its parts in order.
  const child = spawn(findBinary(), args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const errors = collect(child.stderr);
  await once(child, "spawn").catch((cause: unknown) => {
    throw new Error("cannot run anvil; install Foundry from https://getfoundry.sh", { cause });
  });
  const watchdog = startWatchdog(child);

  const address = await listeningAddress(child);
  if (address === undefined) {
    child.kill("SIGKILL");
    throw new Error(`anvil ${args.join(" ")} did not start listening: ${errors()}`);
  }

  return {
    rpcUrl: `http://${address}`,
    stop: async () => {
      watchdog.kill("SIGKILL");
      await stopChild(child);
    },
  };
};

// The platform's own binary: the npm package's launcher would stay between us and the process to kill.
const findBinary = (): string => {
  const platform = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve(`@foundry-rs/anvil-${platform}/package.json`)), "bin", "anvil");
  } catch {
    // The package is optional and supports only some platforms; elsewhere Foundry's own installation is used.
    return "anvil";
  }
};

const listeningAddress = async (child: ChildProcess): Promise<string | undefined> => {
  const lines = createInterface({ input: child.stdout as Readable });
  const timer = setTimeout(() => lines.close(), START_TIMEOUT_MS);
  try {
    for await (const line of lines) {
      const address = /^Listening on (\S+)/.exec(line)?.[1];
      if (address !== undefined) return address;
    }
    return undefined;
  } finally {
    clearTimeout(timer);
    // Anvil logs every call; an unread pipe would fill up and block it.
    child.stdout?.resume();
  }
};

const collect = (stream: Readable): (() => string) => {
  const chunks: string[] = [];
  stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  return () => chunks.join("").trim();
};

// Exit handlers do not run when the parent is killed, but its end of this pipe closes in any case.
const startWatchdog = (child: ChildProcess): ChildProcess => {
  const watchdog = spawn("sh", ["-c", `cat; kill -9 ${child.pid}`], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Otherwise, after anvil has exited and its process id is reused, the parent's end would kill an unrelated process.
  child.once("exit", () => watchdog.kill("SIGKILL"));
  return watchdog;
};

const stopChild = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const stopped = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  child.kill("SIGTERM");
  await stopped;
  clearTimeout(timer);
};
