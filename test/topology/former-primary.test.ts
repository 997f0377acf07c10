/** A PostgreSQL primary that comes back, behind the balancer of deploy/postgres/haproxy.cfg. */

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../support/processes/world.ts";
import { type DebianPostgres, type Standby, startDebianPostgres, startStandby } from "./debian-postgres.ts";
import { type Balancer, startPostgresProxy } from "./haproxy.ts";

// HAProxy asks each second, and one good answer is enough.
const NOTICED_MS = 3_000;

let primary: DebianPostgres;
let standby: Standby;
let database: Balancer;

beforeAll(async () => {
  primary = await startDebianPostgres();
  standby = await startStandby(primary, { isHot: false });
  database = await startPostgresProxy(primary.port, standby.port);
});
afterAll(async () => {
  await database?.stop();
  await standby?.lose();
  await primary?.lose();
});

/** The port of the server that a new connection reaches; undefined if it reaches none. */
async function reached(): Promise<number | undefined> {
  const client = new pg.Client({ connectionString: database.url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ port: number }>("select inet_server_port() as port");
    return rows[0]?.port;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const reachedByMany = async (): Promise<Set<number | undefined>> =>
  new Set(await Promise.all(Array.from({ length: 20 }, reached)));

it("is used again after a restart, since its standby refuses connections until it is promoted", async () => {
  expect(await reached()).toBe(primary.port);

  await primary.crash();
  await eventually(reached, (port) => port === undefined);
  await sleep(NOTICED_MS);
  expect(await reachedByMany()).toEqual(new Set([undefined]));
  await primary.restart();
  await eventually(reached, (port) => port === primary.port);
});

it("is not used again once its standby has been promoted, as long as that answers", async () => {
  await primary.crash();
  await standby.promote();
  await eventually(reached, (port) => port === standby.port);
  await primary.restart();
  await sleep(NOTICED_MS);

  expect(await reachedByMany()).toEqual(new Set([standby.port]));
  // It is ready: with the other one gone, it is reached.
  await standby.crash();
  await eventually(reached, (port) => port === primary.port);
});
