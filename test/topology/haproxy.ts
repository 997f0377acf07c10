/** The HAProxy of docs/haproxy.cfg in front of replicas. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../../demo/service.ts";

const CONFIG = fileURLToPath(new URL("../../docs/haproxy.cfg", import.meta.url));
const START_MS = 10_000;

export interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Throws if HAProxy is not installed: `.ci/run` installs it. */
export async function startHaproxy(ports: readonly [number, number, number]): Promise<Balancer> {
  const port = await freePort();
  const [a, b, c] = ports.map((each) => `127.0.0.1:${each}`);
  const child = spawn("haproxy", ["-db", "-f", CONFIG], {
    stdio: "inherit",
    env: {
      PATH: `${process.env.PATH}:/usr/sbin`,
      LISTEN: `127.0.0.1:${port}`,
      REPLICA_A: a,
      REPLICA_B: b,
      REPLICA_C: c,
    },
  });
  let failure: Error | undefined;
  child.once("error", (error) => {
    failure = new Error(`HAProxy is needed (apt-get install haproxy): ${error.message}`);
  });
  const url = `http://127.0.0.1:${port}`;
  const until = Date.now() + START_MS;
  for (;;) {
    if (failure) throw failure;
    if (child.exitCode !== null || Date.now() > until)
      throw new Error(`HAProxy ended with ${child.exitCode}`);
    const isUp = await fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    await sleep(50);
  }
  return {
    url,
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
