import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../demo/service.ts";
import { makeFolder } from "../support/folder.ts";
import { eventually } from "../support/processes/world.ts";
import { createDice } from "./support/dice.ts";
import { startWatch } from "./support/figures.ts";
import { createPlant, type Plant } from "./support/plant.ts";
import { type PostgresServer, startPostgresServer } from "./support/postgres-server.ts";
import { badEnds, countEnds, startRequests } from "./support/requests.ts";

const TOKENS = 300;
const REQUESTS = 300;
const MOMENT_MAX_MS = 3_000;
const RECOVERS_WITHIN_MS = 180_000;
// Ponder gives up when a database is away for longer than its retries take, some 64 s, and exits with 75.
const LONGER_THAN_PONDER_TRIES_SECONDS = 75;

let folder: string;
let postgres: PostgresServer;
let plant: Plant;
let service: Service;
beforeAll(async () => {
  folder = makeFolder();
  postgres = await startPostgresServer(folder);
  plant = await createPlant({ tokens: TOKENS, databaseUrl: postgres.url });
  await plant.chain.mineEvery(1);
  service = await plant.start("supervised");
  await plant.settled();
});
afterAll(async () => {
  await plant?.close();
  await postgres?.stop("fast");
  rmSync(folder, { recursive: true, force: true });
});

const isReady = (): Promise<boolean> =>
  fetch(`${service.baseUrl}/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
/** How often the supervisor has started Ponder, for any reason. */
const starts = (): number => service.log().match(/Created HTTP server/g)?.length ?? 0;

it.each([
  ["fast", 5],
  ["immediate", 5],
  ["fast", LONGER_THAN_PONDER_TRIES_SECONDS],
] as const)(
  "PostgreSQL stopped (%s) for %i s costs no accepted refresh and no event, and the supervisor restarts Ponder",
  async (mode, awaySeconds) => {
    const name = `postgres ${mode} ${awaySeconds} s`;
    const watch = startWatch(name);
    const dice = createDice(name);
    const eventId = TOKENS;
    const requests = startRequests(plant, await plant.partner(service), TOKENS - 1, dice);
    const answered = `Announced while the database was away for ${awaySeconds} s (${mode})`;
    plant.origin.forget();
    const startsBefore = starts();

    requests.upTo(REQUESTS);
    await sleep(dice.whole(0, MOMENT_MAX_MS));
    await postgres.stop(mode);
    requests.rename(eventId, answered);
    await plant.chain.write(plant.heroes, "emitMetadataUpdate", [BigInt(eventId)]);
    await sleep(awaySeconds * 1_000);
    const backAt = watch.seconds();
    await postgres.start();
    await eventually(async () => starts() > startsBefore && (await isReady()), Boolean, RECOVERS_WITHIN_MS);
    const readyAt = watch.seconds();
    await requests.sent();
    const entries = await requests.ended();
    await eventually(
      () => requests.stale(),
      (stale) => stale.length === 0,
      RECOVERS_WITHIN_MS,
    );

    watch.report({
      accepted: requests.accepted(),
      cut_off: requests.unanswered(),
      seconds_until_ready_again: Math.round((readyAt - backAt) * 10) / 10,
      restarts: starts() - startsBefore,
      ...countEnds(entries),
      fetches: plant.origin.requests.length,
    });
    expect(requests.accepted()).toBe(REQUESTS);
    expect(await requests.lost()).toEqual([]);
    expect(service.process.exitCode).toBeNull();
    expect(badEnds(entries)).toEqual([]);
  },
);
