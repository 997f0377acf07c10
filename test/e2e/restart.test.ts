import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STEADY_MS } from "../../bin/supervisor.ts";
import { type Service, spawnService } from "../../demo/service.ts";
import { servingIndexes } from "../../src/api/chain/index/serving-indexes.ts";
import {
  createPartner,
  createWorld,
  eventually,
  WITHOUT_PICTURES,
  type World,
} from "../support/processes/world.ts";
import { type RpcProxy, startRpcProxy } from "../support/servers/rpc-proxy.ts";
import { createKey } from "../support/service-key.ts";

const PROJECT = resolve(import.meta.dirname, "../..");

let world: World;
let partner: ReturnType<typeof createPartner>;
beforeAll(async () => {
  world = await createWorld({ host: WITHOUT_PICTURES });
  partner = createPartner(world.service.baseUrl, await createKey(world.service));
});
afterAll(() => world.close());

const isLocked = async (): Promise<boolean> => {
  const [row] = await world.query<{ locked: number }>(
    "select (value->>'is_locked')::int as locked from vitrine_e2e._ponder_meta where key = 'app'",
  );
  return row?.locked === 1;
};

const readIndexes = () =>
  world.query<{ name: string; oid: number; valid: boolean }>(
    `select c.relname as name, c.oid::int as oid, i.indisvalid as valid from pg_index i
       join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = 'vitrine_e2e'::regnamespace and c.relname like 'vitrine%' order by c.relname`,
  );
/** The process id of a supervisor's Ponder. */
const ponderOf = (service: Service): number =>
  Number(execFileSync("pgrep", ["-P", String(service.process.pid), "-f", "ponder.js"]).toString());
/** What listens there from now on; undefined while something else does. */
const listen = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => resolve(undefined)).listen(port, () => resolve(server));
  });
const answersSlowly = (id: number, name: string, delayMs = 1_500) =>
  world.host.set("heroes", id, { body: { name, image: "https://x.example/a.png" }, delayMs });
const untilDone = (receipt: { body: Record<string, unknown> }) =>
  eventually(
    // While the service is down, requests fail.
    () =>
      partner
        .call(`/market-partner/refreshes/${receipt.body.refresh_id}`)
        .catch(() => ({ body: {} as Record<string, unknown> })),
    (answer) => answer.body.done === true,
  );

describe("a stop by SIGTERM", () => {
  let indexes: Awaited<ReturnType<typeof readIndexes>>;
  let receipt: Awaited<ReturnType<typeof partner.refresh>>;
  /** The answer to a request that waited for its refresh when the signal came. */
  let waited: Awaited<ReturnType<typeof partner.refresh>>;
  let locked: { before: boolean; after: boolean };
  let end: number | string;

  beforeAll(async () => {
    indexes = await eventually(
      readIndexes,
      (now) => now.length === servingIndexes.length && now.every(({ valid }) => valid),
    );
    await eventually(
      () => partner.token(world.heroes, 20),
      ({ name }) => name !== null,
    );
    for (const id of [17, 18, 20]) answersSlowly(id, `After ${id}`);
    world.host.patch("heroes", 26, { name: "While away" });
    const before = await isLocked();

    receipt = await partner.refresh(world.heroes, ["17", "18", "20"]);
    answersSlowly(19, "After 19", 9_000);
    const waiting = partner.refresh(world.heroes, ["19"], "?wait=10");
    await eventually(
      () => world.query("select from vitrine.receipt_token where token_id = 19"),
      (rows) => rows.length === 1,
    );
    end = await world.service.stop("SIGTERM");
    waited = await waiting;
    answersSlowly(19, "After 19");
    locked = { before, after: await isLocked() };
    await world.chain.write(world.population.erc721, "emitMetadataUpdate", [26n]);
    // Ponder without a supervisor, which would restart it after the crash below.
    await world.start({ ponderArgs: ["start", "--schema", "vitrine_e2e"] });
  });

  it("ends with 0 and leaves the schema unlocked", () => {
    expect(end).toBe(0);
    expect(locked).toEqual({ before: true, after: false });
  });

  it("answers who waits for a refresh with its receipt, which the next start ends", async () => {
    expect(waited).toMatchObject({
      status: 200,
      body: { tokens: [{ token_id: "19", status: expect.stringMatching(/^(queued|fetching)$/) }] },
    });
    expect((await untilDone(waited)).body).toMatchObject({ tokens: [{ status: "updated" }] });
  });

  it("leaves the indexes that serving needs as they are", async () => {
    expect(await readIndexes()).toEqual(indexes);
  });

  it("loses no accepted request: what was queued is fetched after the restart", async () => {
    const { body } = await untilDone(receipt);

    expect(body.tokens).toMatchObject([{ status: "updated" }, { status: "updated" }, { status: "updated" }]);
    expect((await partner.token(world.heroes, 18)).name).toBe("After 18");
  });

  it("misses no event of the time in between", async () => {
    await eventually(
      () => partner.token(world.heroes, 26),
      ({ name }) => name === "While away",
    );
  });
});

it("a crash loses no request either, and the next start takes the dead one's lock away", async () => {
  answersSlowly(24, "After a crash");
  const receipt = await partner.refresh(world.heroes, ["24"]);

  await world.service.stop("SIGKILL");
  const logged = world.service.log().length;
  await world.start();

  const log = world.service.log().slice(logged);
  expect(log).toMatch(
    /is gone; its lock on schema "vitrine_e2e" has been removed[\s\S]+Detected crash recovery/,
  );
  expect(log).not.toContain("Schema is locked");
  await untilDone(receipt);
  expect((await partner.token(world.heroes, 24)).name).toBe("After a crash");
});

it("a supervised Ponder that is killed is replaced by one that does not wait for its lock", async () => {
  answersSlowly(22, "After a kill");
  const receipt = await partner.refresh(world.heroes, ["22"]);
  const logged = world.service.log().length;

  process.kill(ponderOf(world.service), "SIGKILL");

  await untilDone(receipt);
  const log = world.service.log().slice(logged);
  expect(log).toMatch(
    /Ponder ended by SIGKILL[\s\S]+its lock on schema "vitrine_e2e" has been removed[\s\S]+Detected crash recovery/,
  );
  expect(log).not.toContain("Schema is locked");
  expect(log.match(/Ponder ended/g)).toHaveLength(1);
});

it("a supervised Ponder whose port another takes meanwhile is started again until the port is free", async () => {
  const logged = world.service.log().length;
  const since = (): string => world.service.log().slice(logged);
  // A port that is taken ends a service that hasn't served this long.
  await sleep(STEADY_MS);
  process.kill(ponderOf(world.service), "SIGKILL");
  const other = await eventually(() => listen(world.port), Boolean);

  await eventually(
    async () => since().match(/Port \d+ is in use; stop what listens there/g)?.length,
    (said) => said === 2,
  );
  other?.close();

  await eventually(
    () => fetch(`${world.service.baseUrl}/ready`).catch(() => undefined),
    (ready) => ready?.ok === true,
  );
  expect(since()).toMatch(/Ponder ended with exit code 1; starting it again in /);
});

it("a stop by SIGINT ends with 0 and leaves the schema unlocked", async () => {
  expect(await isLocked()).toBe(true);

  const end = await world.service.stop("SIGINT");

  expect(end).toBe(0);
  expect(await isLocked()).toBe(false);
});

describe("a start while the chain's node is away", () => {
  let node: RpcProxy;
  let receipt: Awaited<ReturnType<typeof partner.refresh>>;

  beforeAll(async () => {
    node = await startRpcProxy(world.chain.rpcUrl);
    // It takes calls and answers none.
    node.reset(() => true);
    world.host.patch("heroes", 27, { name: "Changed while away" });
    await world.chain.write(world.population.erc721, "emitMetadataUpdate", [27n]);
    world.service = spawnService({
      port: world.port,
      env: { ...world.env, [`PONDER_RPC_URL_${world.chain.chainId}`]: node.url },
      logFile: join(world.folder, "node-away.log"),
    });
    await eventually(
      () =>
        fetch(`${world.service.baseUrl}/livez`).then(
          ({ ok }) => ok,
          () => false,
        ),
      (isServing) => isServing,
    );
    receipt = await partner.refresh(world.heroes, ["17"]);
  });
  afterAll(() => node.close());

  it("serves what is indexed, accepts refreshes, and says why nothing is indexed", async () => {
    expect((await partner.token(world.heroes, 1)).owner).toMatch(/^0x/);
    expect(receipt.status).toBe(200);
    expect(world.service.log()).toContain(
      `No endpoint in PONDER_RPC_URL_${world.chain.chainId} answers with block `,
    );
    expect(await isLocked()).toBe(false);
  });

  it("indexes again, without a new index, once the node answers", async () => {
    node.reset();

    await eventually(
      () => partner.token(world.heroes, 27).catch(() => ({ name: null })),
      ({ name }) => name === "Changed while away",
    );
    await untilDone(receipt);
    expect(await isLocked()).toBe(true);
    expect(world.service.log()).toContain("Each chain has a node again; starting the indexer.");
    expect(world.service.log()).not.toContain("Created database tables");
    expect(await world.service.stop("SIGINT")).toBe(0);
  });
});

describe("after an edit", () => {
  let root: string;
  const options = (schema: string) => ({
    root,
    ponderArgs: ["start", "--schema", schema],
    logFile: join(world.folder, `edit-${Date.now()}.log`),
  });

  beforeAll(() => {
    // A copy, so that the project under test is never edited.
    root = join(world.folder, "project");
    mkdirSync(root);
    for (const part of [
      "src",
      "abis",
      "bin",
      "ponder.config.ts",
      "ponder.schema.ts",
      "package.json",
      "tsconfig.json",
    ]) {
      cpSync(join(PROJECT, part), join(root, part), { recursive: true });
    }
    symlinkSync(join(PROJECT, "node_modules"), join(root, "node_modules"));
  });

  it("under src/api, `npm start` on the same schema resumes without a re-index", async () => {
    appendFileSync(join(root, "src/api/app/openapi.ts"), "\n// edited\n");

    const { logFile } = options("vitrine_e2e");
    const service = await world.start({ root, logFile });

    expect(service.log()).not.toContain("Created database tables");
    expect(service.log()).toContain("Detected crash recovery");
    expect((await partner.token(world.heroes, 1)).metadata.version).toBeGreaterThan(0);
  });

  it("Ponder follows the end of a supervisor that is killed, and leaves the schema unlocked", async () => {
    const { baseUrl, process } = world.service;
    process.kill("SIGKILL");

    await eventually(
      () =>
        fetch(`${baseUrl}/health`).then(
          () => true,
          () => false,
        ),
      (isThere) => !isThere,
    );
    await eventually(isLocked, (locked) => !locked);
  });

  it("under src/domain, `npm start` stops with the command that builds a new index beside the old one", async () => {
    appendFileSync(join(root, "src/domain/lock-count.ts"), "\n// edited\n");

    const { logFile } = options("vitrine_e2e");
    const service = spawnService({ port: world.port, env: world.env, logFile, root });

    expect(await service.exited).toBe(1);
    expect(service.log()).toContain("DATABASE_SCHEMA=vitrine_e2e_2 npm start");
  });

  it("a new index over known tokens asks their hosts for nothing again", async () => {
    // The tests before have changed what the first ones are asked for.
    const heroes = [30, 31, 32, 33, 34, 35].map((id) => world.host.path("heroes", id));
    const requests = () => heroes.map((path) => world.host.requests.get(path));
    // Any chain index would request the rechecks of earlier events.
    await world.query("update vitrine.refresh set wanted = done, looks = null where trigger = 'recheck'");
    const before = requests();

    const service = await world.start(options("vitrine_e2e_2"));
    await eventually(
      () =>
        world.query<{ chains: number }>(
          "select count(*)::int as chains from vitrine.cause_cursor where schema = 'vitrine_e2e_2' and handled <> ''",
        ),
      ([row]) => row?.chains === 1,
    );

    expect(service.log()).toContain("Created database tables");
    const [waiting] = await world.query<{ tokens: number }>(
      `select count(*)::int as tokens from vitrine.refresh
        where collection = '${world.heroes}' and token_id between 30 and 35 and wanted > done`,
    );
    expect(waiting?.tokens).toBe(0);
    expect(before).not.toContain(undefined);
    expect(requests()).toEqual(before);
  });
});
