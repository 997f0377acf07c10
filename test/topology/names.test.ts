/** HAProxy that starts before its servers, whose names a container runtime knows only while they run, as in deploy/compose.yaml. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { json, startScriptedService } from "../client/scripted-service.ts";
import { startDebianPostgres } from "./debian-postgres.ts";
import { startHaproxyWith, startPostgresProxyWith } from "./haproxy.ts";

const COMPOSE = join(import.meta.dirname, "../../deploy/compose.yaml");

it("serves from the replica that is there while the names of the others are unknown", async () => {
  const { environment } = parse(readFileSync(COMPOSE, "utf8"), { merge: true }).services.haproxy;
  const service = await startScriptedService(json(200, { live: true }));
  onTestFinished(() => service.close());

  const balancer = await startHaproxyWith({
    REPLICA_A: new URL(service.baseUrl).host,
    REPLICA_B: environment.REPLICA_B,
    REPLICA_C: environment.REPLICA_C,
  });
  onTestFinished(() => balancer.stop());

  for (const path of ["/market/collections/a/tokens", "/market/collections/b/tokens", "/market/search"])
    expect((await fetch(balancer.url + path)).status).toBe(200);
});

it("leads to the primary while the name of the standby is unknown", async () => {
  const primary = await startDebianPostgres();
  onTestFinished(() => primary.lose());

  const balancer = await startPostgresProxyWith({
    POSTGRES_A: `127.0.0.1:${primary.port}`,
    POSTGRES_B: "standby.invalid:5432 resolvers names init-addr none",
  });
  onTestFinished(() => balancer.stop());

  const client = new pg.Client({ connectionString: balancer.url });
  await client.connect();
  onTestFinished(() => client.end());
  expect((await client.query("select inet_server_port() as port")).rows).toEqual([{ port: primary.port }]);
});
