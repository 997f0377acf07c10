/** HAProxy as deploy/compose.yaml starts it: before its replicas, whose names Docker knows only while they run. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { json, startScriptedService } from "../client/scripted-service.ts";
import { startHaproxyWith } from "./haproxy.ts";

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
