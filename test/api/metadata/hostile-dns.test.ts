/** DNS rebinding against a real DNS server and a canary on this machine: we connect to the address that was checked. */

import { get } from "node:http";
import type { LookupFunction } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createGuardedFetch, type GuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { type LocalServer, startLocalServer } from "../../support/servers/local-server.ts";
import { type RebindingDns, startRebindingDns } from "./rebinding-dns.ts";

const options = { bytesMax: 1_000, timeoutMs: 10_000, accept: "application/json" };
// In a block that IANA reserves: public by every rule, and unassigned.
const PUBLIC = "2d00::1";
const HOST = "rebind.example";

let dns: RebindingDns;
/** Listens on every address; must receive no connection. */
let canary: LocalServer;
/** Allowed by the operator; redirects to the name. */
let origin: LocalServer;
let guardedFetch: GuardedFetch;
let connectionsBefore: number;

beforeAll(async () => {
  dns = await startRebindingDns();
  canary = await startLocalServer((_request, response) => response.end("{}"));
  origin = await startLocalServer((_request, response) =>
    response.writeHead(302, { location: `http://${HOST}:${canary.port}/secret` }).end(),
  );
  guardedFetch = createGuardedFetch(new Set([origin.host]), "test", {
    lookup: dns.lookup,
    connectTimeoutMs: 300,
  });
});
beforeEach(() => {
  dns.answer([]);
  connectionsBefore = canary.connections();
});
afterAll(() => Promise.all([dns.close(), canary.close(), origin.close()]));

const newConnections = () => canary.connections() - connectionsBefore;
const url = () => `http://${HOST}:${canary.port}/secret`;
const asked = async (run: () => Promise<unknown>): Promise<string[]> => {
  const before = dns.questions.length;
  await run();
  return dns.questions.slice(before).sort();
};

it("leads to the canary where nothing guards: the names of this suite work", async () => {
  dns.answer(["127.0.0.1"]);

  const status = await new Promise((resolve, reject) => {
    const request = get(url(), { lookup: dns.lookup as LookupFunction }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on("error", reject);
  });

  expect({ status, connections: newConnections() }).toEqual({ status: 200, connections: 1 });
});

describe("a name that is public first and private then", () => {
  it("is asked once for a connection, which goes to the public address", async () => {
    dns.answer([PUBLIC], ["127.0.0.1"]);

    const questions = await asked(async () => {
      const fetched = await guardedFetch(url(), options);
      expect(["unreachable", "timeout"]).toContain(fetched.kind === "failed" && fetched.reason);
    });

    expect(questions).toEqual([`${HOST} 4`, `${HOST} 6`]);
    expect(newConnections()).toBe(0);
  });

  it("is refused at the next connection", async () => {
    dns.answer([PUBLIC], ["127.0.0.1"]);
    await guardedFetch(url(), options);

    expect(await guardedFetch(url(), options)).toMatchObject({ reason: "host_refused", transient: false });
    expect(newConnections()).toBe(0);
  });

  it("is refused behind a redirect of an allowed host", async () => {
    dns.answer(["127.0.0.1"]);

    const questions = await asked(async () => {
      expect(await guardedFetch(origin.url, options)).toMatchObject({ reason: "host_refused" });
    });

    expect(questions).toEqual([`${HOST} 4`, `${HOST} 6`]);
    expect(newConnections()).toBe(0);
  });
});

it.each([
  ["127.0.0.1"],
  ["::1"],
  ["::ffff:127.0.0.1"],
  ["10.1.2.3"],
  ["172.20.0.1"],
  ["192.168.1.1"],
  ["169.254.169.254"],
  ["100.100.100.200"],
  ["0.0.0.0"],
  ["fd00:ec2::254"],
  ["fe80::1"],
  ["64:ff9b::7f00:1"],
  [PUBLIC, "127.0.0.1"],
  ["127.0.0.1", PUBLIC],
  ["8.8.8.8", "10.0.0.1"],
])("a name with the addresses %s %s is refused, and nobody is connected to", async (...addresses) => {
  dns.answer(addresses);

  expect(await guardedFetch(url(), options)).toMatchObject({ reason: "host_refused", transient: false });
  expect(newConnections()).toBe(0);
});

it("a name without an address may have one later", async () => {
  expect(await guardedFetch(url(), options)).toMatchObject({ reason: "unreachable", transient: true });
});
