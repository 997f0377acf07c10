/** HAProxy with the configurations of deploy/. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { freePort } from "../../demo/service.ts";

const CONFIG = fileURLToPath(new URL("../../deploy/haproxy.cfg", import.meta.url));
const POSTGRES_CONFIG = fileURLToPath(new URL("../../deploy/postgres/haproxy.cfg", import.meta.url));
const START_MS = 10_000;

export interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

/** In front of replicas. Throws if HAProxy is not installed: `.ci/run` installs it. */
export const startHaproxy = ([a, b, c]: readonly [number, number, number]): Promise<Balancer> =>
  startHaproxyWith({ REPLICA_A: `127.0.0.1:${a}`, REPLICA_B: `127.0.0.1:${b}`, REPLICA_C: `127.0.0.1:${c}` });

/** The same, with its variables for the replicas. */
export async function startHaproxyWith(
  replicas: Readonly<Record<"REPLICA_A" | "REPLICA_B" | "REPLICA_C", string>>,
): Promise<Balancer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const isUp = (): Promise<boolean> =>
    fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    );
  const stop = await run(CONFIG, { LISTEN: `127.0.0.1:${port}`, ...replicas }, isUp);
  return { url, stop };
}

/** In front of a primary and a standby of PostgreSQL, by the ports of both. */
export const startPostgresProxy = (primary: number, standby: number): Promise<Balancer> =>
  startPostgresProxyWith({ POSTGRES_A: `127.0.0.1:${primary}`, POSTGRES_B: `127.0.0.1:${standby}` });

/** The same, with its variables for the servers. */
export async function startPostgresProxyWith(
  servers: Readonly<Record<"POSTGRES_A" | "POSTGRES_B", string>>,
): Promise<Balancer> {
  const port = await freePort();
  const url = `postgres://vitrine@127.0.0.1:${port}/postgres`;
  const isUp = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => undefined);
    const isConnected = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    return isConnected;
  };
  const stop = await run(
    POSTGRES_CONFIG,
    { LISTEN: `127.0.0.1:${port}`, POSTGRES_USER: "vitrine", ...servers },
    isUp,
  );
  return { url, stop };
}

async function run(
  config: string,
  env: Record<string, string | undefined>,
  isUp: () => Promise<boolean>,
): Promise<() => Promise<void>> {
  const child = spawn("haproxy", ["-db", "-f", config], {
    stdio: "inherit",
    env: { PATH: `${process.env.PATH}:/usr/sbin`, ...env },
  });
  let failure: Error | undefined;
  child.once("error", (error) => {
    failure = new Error(`HAProxy is needed (apt-get install haproxy): ${error.message}`);
  });
  const until = Date.now() + START_MS;
  while (!(await isUp())) {
    if (failure) throw failure;
    if (child.exitCode !== null || Date.now() > until)
      throw new Error(`HAProxy ended with ${child.exitCode}`);
    await sleep(50);
  }
  return async () => {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
}
