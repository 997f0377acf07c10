/** The Node that runs Vitrine: the machine's if it is new enough, otherwise the one that `npm ci` installed. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

// The oldest major version that Ponder runs on.
const OLDEST = 22;
const OWN = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url));
const SIGNALS = ["SIGINT", "SIGTERM", "SIGQUIT", "SIGHUP"] as const;
/** Set for the installed Node, and by nobody else. */
const HANDED_OVER = "VITRINE_HANDED_OVER";

/**
 * Returns if this process's Node is new enough. Otherwise runs its command again on the installed one, passes signals
 * on, and ends as that ends; exits with 1 and the reason if none is installed. If this process is killed, that one gets
 * SIGTERM. npm and npx find the installed Node first, so this is for `node bin/…`.
 */
export async function switchToOwnNode(own = OWN, version = process.versions.node): Promise<void> {
  const isHandedOver = process.env[HANDED_OVER] !== undefined;
  if (isHandedOver) stopWithParent();
  // What this process starts is not handed over.
  delete process.env[HANDED_OVER];
  if (Number.parseInt(version, 10) >= OLDEST) return;
  if (isHandedOver || !existsSync(own)) refuse(version);
  // Listened to before there is a child: a signal that came between the two would end this process and leave the child.
  let child: ChildProcess | undefined;
  for (const signal of SIGNALS) process.on(signal, () => child?.kill(signal));
  child = spawn(own, [...process.execArgv, ...process.argv.slice(1)], {
    env: { ...process.env, [HANDED_OVER]: "1" },
    // In its own process group: a terminal's Ctrl-C reaches only this process, which passes it on once.
    detached: true,
    // By the channel's end it notices that this process is gone.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  // Where it is of another system, such as one with musl, it can't be started.
  const ended = once(child, "exit").catch(() => refuse(version));
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
}

function refuse(version: string): never {
  process.stderr.write(
    `Vitrine needs Node ${OLDEST} or newer; this is ${version}. \`npm ci\` brings one on Linux; elsewhere, install it.\n`,
  );
  process.exit(1);
}

function stopWithParent(): void {
  const stop = (): boolean => process.kill(process.pid, "SIGTERM");
  if (process.connected) process.once("disconnect", stop);
  else stop();
  // A command that is done ends, whatever may still come.
  process.channel?.unref();
}
