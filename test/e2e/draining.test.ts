/** DRAIN_SECONDS: what waits before a stop, and what doesn't (docs/deploy.md). */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SAME_SIGNAL_MS } from "../../bin/supervisor.ts";
import { createWorld, eventually, WITHOUT_PICTURES, type World } from "../support/processes/world.ts";

let world: World;
beforeAll(async () => {
  // Longer than any wait of a test: what drains fails it.
  world = await createWorld({ host: WITHOUT_PICTURES, env: { DRAIN_SECONDS: "120" } });
});
afterAll(() => world.close());

const statusOf = async (path: string): Promise<number> =>
  (await fetch(`${world.service.baseUrl}${path}`)).status;
const isLocked = async (): Promise<boolean> => {
  const [row] = await world.query<{ locked: number }>(
    "select (value->>'is_locked')::int as locked from vitrine_e2e._ponder_meta where key = 'app'",
  );
  return row?.locked === 1;
};
const isRunning = (id: number): boolean =>
  execFileSync("ps", ["-A", "-o", "pid="]).toString().split(/\s+/).includes(String(id));
/** The process id of a supervisor's Ponder. */
const ponderOf = (supervisor: number | undefined): number =>
  Number(execFileSync("pgrep", ["-P", String(supervisor), "-f", "ponder.js"]).toString());

it("an operator's signal drains: the service still answers, but not as ready; a second signal stops it at once", async () => {
  const { service } = world;
  service.process.kill("SIGTERM");
  await eventually(
    async () => service.log().includes("Draining"),
    (isDraining) => isDraining,
  );
  await sleep(2 * SAME_SIGNAL_MS);
  expect(await Promise.all(["/freshness", "/ready", "/livez"].map(statusOf))).toEqual([200, 503, 404]);

  expect(await service.stop("SIGTERM")).toBe(0);
  expect(await isLocked()).toBe(false);
});

it("a supervisor that is killed is followed at once: port and schema are free for the next one", async () => {
  const service = await world.start({ logFile: join(world.folder, "supervisor-killed.log") });
  const ponder = ponderOf(service.process.pid);
  service.process.kill("SIGKILL");

  await eventually(
    async () => isRunning(ponder),
    (isThere) => !isThere,
  );
  expect(service.log()).not.toContain("Draining");
  expect(await isLocked()).toBe(false);
});

it("a restart that no operator asked for doesn't drain", async () => {
  const script = join(world.folder, "start.mts");
  writeFileSync(
    script,
    `import { createPonderSupervisor } from ${JSON.stringify(new URL("../../bin/ponder-process.ts", import.meta.url).href)};
const supervisor = createPonderSupervisor({ schema: "vitrine_e2e", args: [] });
process.on("SIGUSR2", () => supervisor.restart("The test wants a restart."));
process.exit(await supervisor.run());`,
  );
  const service = await world.start({ script });
  const before = ponderOf(service.process.pid);
  service.process.kill("SIGUSR2");

  await eventually(
    async () => isRunning(before),
    (isThere) => !isThere,
  );
  await eventually(
    async () => service.log(),
    (log) => log.includes("The test wants a restart."),
  );
  await eventually(
    () =>
      fetch(`${service.baseUrl}/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    (isReady) => isReady,
  );
  expect(ponderOf(service.process.pid)).not.toBe(before);
  await service.stop("SIGKILL");
});
