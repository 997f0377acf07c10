/**
 * A whole installation as processes: PostgreSQL with a synchronous standby behind one address, an indexer, three
 * replicas behind HAProxy, and pictures in S3. It is restarted, loses a replica and its primary, and must not show it.
 */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort, type Service, startService } from "../../demo/service.ts";
import { say } from "../faults/support/figures.ts";
import { type EventReader, readEvents } from "../support/http/event-reader.ts";
import { createPartner, createWorld, eventually, type World } from "../support/processes/world.ts";
import { type S3Server, s3Credentials, startS3Server } from "../support/servers/s3-server.ts";
import { createKey } from "../support/service-key.ts";
import { type DebianPostgres, type Standby, startDebianPostgres, startStandby } from "./debian-postgres.ts";
import { type Balancer, startHaproxy, startPostgresProxy } from "./haproxy.ts";

const SCHEMA = "vitrine_e2e";
// None is the burned hero, whose document is read only if its burn is indexed after its mint has been found.
const READ_IDS = ["1", "2", "8", "9", "10", "20"];
// HAProxy asks each second, and takes a server for healthy after two answers.
const HEALTHY_AGAIN_MS = 3_500;
const CLIENTS = 6;
/** Of the tier `basic`, in ten seconds. */
const BASIC_REQUESTS = 300;
const BASIC_WINDOW_MS = 10_000;
const TRIES = 5;

let primary: DebianPostgres;
let standby: Standby;
let database: Balancer;
let s3: S3Server;
let world: World;
let balancer: Balancer;
let key: string;
const replicas: Service[] = [];
const ports: number[] = [];

const startReplica = (nth: number): Promise<Service> =>
  startService({
    port: ports[nth] ?? 0,
    env: { ...world.env, DRAIN_SECONDS: "5" },
    logFile: join(world.folder, `replica-${nth}.log`),
    ponderArgs: ["serve", "--schema", SCHEMA],
  });

beforeAll(async () => {
  primary = await startDebianPostgres();
  standby = await startStandby(primary);
  database = await startPostgresProxy(primary.port, standby.port);
  s3 = await startS3Server("media");
  world = await createWorld({
    env: {
      DATABASE_URL: database.url,
      VITRINE_SECRET: "a-secret-of-the-cluster-test-with-enough-characters",
      RESAMPLE_HOURS: "0",
      MEDIA_STORE: "s3://media",
      S3_ENDPOINT: s3.endpoint,
      S3_REGION: "us-east-1",
      ...s3Credentials,
    },
  });
  for (let nth = 0; nth < 3; nth++) ports.push(await freePort());
  for (let nth = 0; nth < 3; nth++) replicas.push(await startReplica(nth));
  const [a = 0, b = 0, c = 0] = ports;
  balancer = await startHaproxy([a, b, c]);
  key = await createKey(world.service, "cluster");
  await world.chain.write(world.population.erc721, "updateApprovedContracts", [
    [world.chain.account(9).address],
    [true],
  ]);
  const partner = createPartner(balancer.url, key);
  for (const id of READ_IDS)
    await eventually(
      () => partner.token(world.heroes, id),
      ({ name }) => typeof name === "string",
    );
});
afterAll(async () => {
  await balancer?.stop();
  for (const replica of replicas) await replica.stop("SIGKILL");
  await world?.close();
  await database?.stop();
  await s3?.close();
  await standby?.lose();
  await primary?.lose();
});

interface Load {
  /** Stops the clients and returns what they saw. */
  end(): Promise<{ answers: number; failures: string[]; wrong: string[]; refreshes: string[] }>;
}

/** Clients that read, search and refresh through HAProxy, each without a pause. */
function startLoad(
  names: ReadonlyMap<string, string>,
  between: () => Promise<unknown> = async () => {},
): Load {
  const seen = { answers: 0, failures: [] as string[], wrong: [] as string[], refreshes: [] as string[] };
  let isOver = false;
  const of = `/market/collections/${world.heroes}`;
  const post = (body: object) => ({
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", "x-api-key": key },
  });
  const kinds: ((
    id: string,
  ) => readonly [path: string, init: RequestInit, isRight: (body: never) => boolean])[] = [
    (id) => [
      `${of}/tokens/${id}`,
      { headers: { "x-api-key": key } },
      (body: { name: string }) => body.name === names.get(id),
    ],
    () => [`${of}/traits`, { headers: { "x-api-key": key } }, (body: { total: number }) => body.total > 40],
    (id) => [
      "/graphql",
      post({
        query: `{ token(chainId: 31337, tokenAddress: "${world.heroes}", tokenId: "${id}") { name } }`,
      }),
      (body: { data: { token: { name: string } } }) => body.data.token.name === names.get(id),
    ],
    (id) => [
      `/market-partner/collections/${world.heroes}/refresh_metadata`,
      post({ token_ids: [id] }),
      (body: { refresh_id: string }) => {
        seen.refreshes.push(body.refresh_id);
        return true;
      },
    ],
  ];
  const client = async (first: number): Promise<void> => {
    for (let nth = first; !isOver; nth++) {
      const id = READ_IDS[nth % READ_IDS.length] ?? "1";
      // Refreshes are a tenth of the load, since each asks a host.
      const kind = kinds[nth % 10 === 9 ? 3 : nth % 3];
      const [path, init, isRight] = kind?.(id) ?? ["", {}, () => false];
      try {
        const response = await fetch(`${balancer.url}${path}`, init);
        const body = (await response.json()) as never;
        if (!response.ok)
          seen.failures.push(`${init.method ?? "GET"} ${path}: ${response.status} ${JSON.stringify(body)}`);
        else if (
          (body as { errors?: { extensions: { code: string } }[] }).errors?.[0]?.extensions.code ===
          "UNAVAILABLE"
        )
          seen.failures.push(`POST ${path}: 503 in GraphQL ${JSON.stringify(body)}`);
        else if (isRight(body)) seen.answers++;
        else seen.wrong.push(`${path}: ${JSON.stringify(body).slice(0, 300)}`);
      } catch (error) {
        seen.failures.push(`${init.method ?? "GET"} ${path}: ${error} ${(error as Error).cause ?? ""}`);
      }
      await between();
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, nth) => client(nth * 7)));
  return {
    async end() {
      isOver = true;
      await clients;
      return seen;
    },
  };
}

async function readNames(): Promise<Map<string, string>> {
  const partner = createPartner(world.service.baseUrl, key);
  const named = READ_IDS.map(
    async (id) => [id, String((await partner.token(world.heroes, id)).name)] as const,
  );
  return new Map(await Promise.all(named));
}

const refreshIsDone = async (id: string): Promise<boolean> => {
  const answer = await createPartner(balancer.url, key).call(`/market-partner/refreshes/${id}`);
  return answer.body.done === true;
};

/** Reads the event stream through HAProxy and goes on after the last event whenever it is cut. */
function followEvents(from: number) {
  const events: { id: number }[] = [];
  let reader: EventReader | undefined;
  let connections = 0;
  let isOver = false;
  const following = (async () => {
    while (!isOver) {
      const last = events.at(-1)?.id ?? from;
      reader = await readEvents(`${balancer.url}/market/events`, {
        "x-api-key": key,
        "last-event-id": String(last),
      }).catch(() => undefined);
      if (reader) connections++;
      while (reader?.isOpen && !isOver) await sleep(20);
      events.push(...(reader?.events ?? []));
      reader?.close();
      if (!isOver) await sleep(100);
    }
  })();
  return {
    async until(last: number) {
      await eventually(
        async () => reader?.events.at(-1)?.id ?? events.at(-1)?.id ?? from,
        (id) => id >= last,
      );
      isOver = true;
      await following;
      return { ids: events.map(({ id }) => id), connections };
    },
  };
}

const lastEvent = async (): Promise<number> => {
  const [row] = await standby.query<{ last: string }>(
    "select coalesce(max(id), 0)::text as last from vitrine.event",
  );
  return Number(row?.last);
};

it("every replica serves the same picture, which is in S3, and none is lost while S3 is away", async () => {
  const partner = createPartner(balancer.url, key);
  const { image } = await eventually(
    () => partner.token(world.heroes, "1"),
    (token) => token.image.variants.length > 0,
  );
  const { pathname } = new URL(String(image.variants[0]?.url), balancer.url);
  const read = () =>
    Promise.all(
      replicas.map(async ({ baseUrl }) => {
        const response = await fetch(`${baseUrl}${pathname}`);
        return [response.status, Buffer.from(await response.arrayBuffer()).toString("base64")] as const;
      }),
    );
  const [first, ...others] = await eventually(read, (all) => all.every(([status]) => status === 200));
  expect(first?.[1].length).toBeGreaterThan(100);
  expect(others).toEqual([first, first]);
  await s3.kill();
  expect((await partner.token(world.heroes, "1")).name).toBe((await readNames()).get("1"));
  await s3.start();
  const after = await eventually(read, (all) => all.every(([status]) => status === 200));
  expect(after).toEqual([first, first, first]);
});

/** The statuses of so many reads of tokens through the balancer. */
const askAtOnce = (apiKey: string, requests: number): Promise<number[]> =>
  Promise.all(
    Array.from({ length: requests }, async (_, nth) => {
      const response = await fetch(
        `${balancer.url}/market/collections/${world.heroes}/tokens/${READ_IDS[nth % READ_IDS.length]}`,
        { headers: { "x-api-key": apiKey } },
      );
      await response.arrayBuffer();
      return response.status;
    }),
  );

it("a limit is one limit, whichever replica counts", async () => {
  let asked: number[] = [];
  // A busy machine takes longer than the limit's window for so many requests, and then they are counted in two.
  for (let nth = 0; nth < TRIES; nth++) {
    const basic = await createKey(world.service, `basic ${nth}`);
    await primary.query(`update vitrine.app set tier = 'basic' where name = 'basic ${nth}'`);
    const start = Date.now();
    asked = await askAtOnce(basic, 2 * BASIC_REQUESTS);
    if (Date.now() - start < BASIC_WINDOW_MS) break;
  }
  const allowed = asked.filter((status) => status === 200).length;
  expect(new Set(asked)).toEqual(new Set([200, 429]));
  expect(allowed).toBeLessThanOrEqual(BASIC_REQUESTS);
  // Each of three processes may have kept a twentieth.
  expect(allowed).toBeGreaterThanOrEqual(BASIC_REQUESTS * 0.85);
});

it("a rolling restart under load fails no request, and the event stream neither loses nor repeats an event", async () => {
  const names = await readNames();
  const from = await lastEvent();
  const stream = followEvents(from);
  const load = startLoad(names);
  const game = world.chain.account(9);
  let isOver = false;
  const locking = (async () => {
    for (let nth = 0; !isOver; nth++) {
      await world.chain.write(world.population.erc721, nth % 2 ? "unlockId" : "lockId", [20n], game);
      await sleep(300);
    }
  })();
  await sleep(1_000);
  const ends: (number | string | undefined)[] = [];
  for (let nth = 0; nth < 3; nth++) {
    ends.push(await replicas[nth]?.stop("SIGTERM"));
    replicas[nth] = await startReplica(nth);
    await sleep(HEALTHY_AGAIN_MS);
  }
  isOver = true;
  await locking;
  const seen = await load.end();
  const last = await eventually(lastEvent, (id) => id > from + 10);
  const followed = await stream.until(last);

  say({
    test: "a rolling restart",
    answers: seen.answers,
    failures: seen.failures.length,
    events: followed.ids.length,
    connections: followed.connections,
  });
  expect(ends).toEqual([0, 0, 0]);
  expect(seen.failures).toEqual([]);
  expect(seen.wrong).toEqual([]);
  expect(seen.answers).toBeGreaterThan(500);
  expect(followed.connections).toBeGreaterThan(1);
  const rows = await standby.query<{ id: string }>(
    `select id::text as id from vitrine.event where id > ${from} and id <= ${followed.ids.at(-1)} order by vitrine.event.id`,
  );
  expect(followed.ids).toEqual(rows.map(({ id }) => Number(id)));
  for (const id of seen.refreshes)
    await eventually(
      () => refreshIsDone(id),
      (isDone) => isDone,
    );
});

it("kill -9 of a replica costs at most the requests that it was answering", async () => {
  const load = startLoad(await readNames());
  await sleep(1_000);
  const [, victim] = replicas;
  victim?.process.kill("SIGKILL");
  await victim?.exited;
  await sleep(HEALTHY_AGAIN_MS);
  replicas[1] = await startReplica(1);
  const seen = await load.end();

  say({ test: "kill -9 of a replica", answers: seen.answers, failures: seen.failures.length });
  expect(seen.wrong).toEqual([]);
  // Reads are sent again; a refresh is not, since it may have been accepted.
  expect(seen.failures.length).toBeLessThanOrEqual(CLIENTS);
  expect(seen.failures.filter((failure) => failure.startsWith("GET"))).toEqual([]);
  for (const id of seen.refreshes)
    await eventually(
      () => refreshIsDone(id),
      (isDone) => isDone,
    );
});

it("the standby takes over from a lost primary: no answer is wrong, no accepted refresh is lost, and locks are right", async () => {
  const load = startLoad(await readNames(), () => sleep(20));
  await sleep(1_000);
  const lostAt = performance.now();
  await primary.lose();
  await sleep(1_000);
  await standby.promote();
  const promotedAt = performance.now();
  const partner = createPartner(balancer.url, key);
  await eventually(
    () => partner.token(world.heroes, "1").catch(() => undefined),
    (token) => typeof token?.name === "string",
  );
  const readAt = performance.now();
  const { body } = await eventually(
    () => partner.refresh(world.heroes, ["2"], "?wait=5").catch(() => ({ status: 0, body: {} })),
    ({ status }) => status === 200 || status === 202,
  );
  const refreshedAt = performance.now();
  await world.chain.write(world.population.erc721, "lockId", [8n], world.chain.account(9));
  await eventually(
    () => partner.token(world.heroes, "8").catch(() => undefined),
    (token) => token?.lock.locked === true,
  );
  const lockedAt = performance.now();
  const seen = await load.end();

  const since = (from: number, to: number): number => Math.round((to - from) / 100) / 10;
  say({
    test: "failover",
    promoted_after: since(lostAt, promotedAt),
    reads_after: since(promotedAt, readAt),
    refreshes_after: since(promotedAt, refreshedAt),
    lock_after: since(promotedAt, lockedAt),
    answers: seen.answers,
    failures: seen.failures.length,
    refreshes: seen.refreshes.length,
  });
  expect(JSON.stringify(body)).toContain("refresh_id");
  expect(seen.wrong).toEqual([]);
  expect(seen.failures.filter((failure) => !/: 50[0234] |fetch failed/.test(failure))).toEqual([]);
  for (const id of seen.refreshes)
    await eventually(
      () => refreshIsDone(id).catch(() => false),
      (isDone) => isDone,
    );
});
