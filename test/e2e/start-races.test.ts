/** What changes in the midst of a start: PostgreSQL goes away, another service takes the port. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, startChain } from "../../demo/chain.ts";
import {
  freePort,
  type Service,
  type ServiceOptions,
  spawnService,
  startService,
} from "../../demo/service.ts";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../../src/api/postgres/embedded-postgres.ts";
import { makeFolder } from "../support/folder.ts";
import { eventually } from "../support/processes/world.ts";

const ADDRESS = "0x5fbdb2315678afecb367f032d93f642f64180aa3";

let chain: Chain;
let folder: string;
let options: ServiceOptions;
let database: pg.Client;
let service: Service | undefined;
beforeAll(async () => {
  folder = makeFolder();
  chain = await startChain();
  const collections = join(folder, "collections.json");
  writeFileSync(collections, JSON.stringify([{ chainId: 31337, address: ADDRESS, startBlock: 0 }]));
  options = {
    port: await freePort(),
    env: {
      DATABASE_URL: "",
      BASE_URL: "",
      VITRINE_DATA: folder,
      COLLECTIONS_FILE: collections,
      PONDER_RPC_URL_31337: chain.rpcUrl,
    },
    logFile: join(folder, "service.log"),
  };
  await (await startService(options)).stop();
  database = new pg.Client({ connectionString: await joinEmbeddedPostgres(folder) });
  await database.connect();
});
afterAll(async () => {
  await service?.stop();
  await database.end();
  await stopEmbeddedPostgres(folder);
  await chain.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The status of `/ready`; 0 while nothing answers. */
const readiness = (asked: Service | undefined): Promise<number> =>
  fetch(`${asked?.baseUrl}/ready`).then(
    ({ status }) => status,
    () => 0,
  );

it("`npm start` tries again, whichever of its first statements finds PostgreSQL gone", async () => {
  // Of those before it serves, the mark of the chain's head is written last. This is how an administrator's stop is answered.
  await database.query(`
    create function gone() returns trigger language plpgsql as $$
      begin raise sqlstate '57P01' using message = 'terminating connection due to administrator command'; end $$;
    create trigger gone before insert on vitrine.chain_head execute function gone()`);

  service = spawnService(options);
  let end: number | string | undefined;
  void service.exited.then((code) => {
    end = code;
  });
  const log = await eventually(
    async () => service?.log() ?? "",
    (text) => end !== undefined || text.includes("starting it again"),
  );
  await database.query("drop function gone() cascade");
  const ready =
    end ??
    (await eventually(
      () => readiness(service),
      (status) => end !== undefined || status === 200,
    ));

  expect(log).toContain(
    "vitrine: PostgreSQL can't be reached (terminating connection due to administrator command).\n",
  );
  // At once if it had come so far only after ten seconds.
  expect(log).toMatch(/Ponder ended with exit code 75; starting it again (?:in 0\.25 s|at once)\./);
  expect(ready).toBe(200);
});

it("of two replicas that start at the same moment on one port, one serves there and the other says why it does not", async () => {
  const port = await freePort();
  const replicas = ["a", "b"].map((name) =>
    spawnService({
      ...options,
      port,
      // As the units and the image start one.
      env: { ...options.env, DATABASE_SCHEMA: "vitrine_chain" },
      logFile: join(folder, `replica-${name}.log`),
      ponderArgs: ["serve"],
    }),
  );
  try {
    const [refused, code] = await Promise.race([
      ...replicas.map(async (each) => [each, await each.exited] as const),
      sleep(60_000, [undefined, "nobody has ended"] as const),
    ]);
    const other = replicas.find((each) => each !== refused);

    expect(code).toBe(1);
    expect(refused?.log()).toContain(
      `vitrine: Port ${port} is in use; stop what listens there or set PORT to a free one.\n`,
    );
    await eventually(
      () => readiness(other),
      (status) => status === 200,
    );
  } finally {
    await Promise.all(replicas.map((each) => each.stop("SIGKILL")));
  }
});
