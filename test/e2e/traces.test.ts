/** One refresh, followed by its trace and by its request id, from the request to what was recorded (docs/operations.md). */

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import { createSite, type Site, untilIndexed } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { eventually } from "../support/processes/world.ts";
import { type LocalServer, startLocalServer } from "../support/servers/local-server.ts";
import { type Collector, type ReceivedSpan, startCollector } from "../support/servers/otlp-collector.ts";
import { createKey } from "../support/service-key.ts";

const CONTRACTS = new URL("../contracts/", import.meta.url);
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";
const QUERY_SECRET = "s3cret-of-the-document";
const SIGNATURE = `0x${"5a".repeat(65)}`;
const SERVER = 2;
const CLIENT = 3;
const PRODUCER = 4;
const CONSUMER = 5;

let chain: Chain;
let host: LocalServer;
let collector: Collector;
let site: Site;
let service: Service;
let heroes: Contract;
let key: string;

beforeAll(async () => {
  [chain, host, collector] = await Promise.all([
    startChain({ contracts: CONTRACTS }),
    startLocalServer(({ url = "" }, response) => {
      if (url.startsWith("/moved")) response.end(JSON.stringify({ name: `Hero at ${url}` }));
      else response.writeHead(302, { location: `/moved${url}?token=${QUERY_SECRET}` }).end();
    }),
    startCollector(),
  ]);
  heroes = await chain.deploy("SelfDescribing", [`${host.url}/`, chain.account(3).address]);
  await chain.write(heroes, "mintRange", [chain.account(1).address, 1n, 3n]);
  site = await createSite([{ chain, collections: [lower(heroes)] }], {
    REFRESH_CONCURRENCY: "4",
    RESAMPLE_HOURS: "0",
    ALLOW_PRIVATE_HOSTS: host.host,
    // A trace is continued for the operator's own machines alone.
    TRUSTED_PROXIES: "127.0.0.1,::1",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: "vitrine-under-test",
    // What the caller does not trace, nobody does.
    OTEL_TRACES_SAMPLER: "parentbased_always_off",
    OTEL_BSP_SCHEDULE_DELAY: "100",
  });
  service = await site.start("traces");
  await untilIndexed(service, chain);
  key = await createKey(service);
  await eventually(
    () => site.query("select from vitrine.token where last_outcome = 'good'"),
    (rows) => rows.length === 3,
  );
});
afterAll(async () => {
  await site.close();
  await Promise.all([host.close(), collector.close()]);
});

const refresh = (ids: readonly string[], traceparent: string) =>
  fetch(
    `${service.baseUrl}/market-partner/collections/${lower(heroes)}/refresh_metadata?wait=10&apiKey=${key}`,
    {
      method: "POST",
      headers: { "content-type": "application/json", traceparent },
      body: JSON.stringify({ token_ids: ids }),
    },
  );

const spansOf = (traceId: string): readonly ReceivedSpan[] =>
  collector.spans.filter((span) => span.traceId === traceId);

/** Each span with its ancestors in the trace, by name: `GET < resolve < …`. */
function paths(spans: readonly ReceivedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const pathOf = (span: ReceivedSpan): string => {
    const parent = byId.get(span.parentSpanId ?? "");
    return parent ? `${span.name} < ${pathOf(parent)}` : span.name;
  };
  return spans.map(pathOf);
}

it("one trace, the caller's, leads from the request through the queue and the fetch to what was recorded", async () => {
  const answer = await refresh(["2"], `00-${TRACE}-${CALLER}-01`);
  expect(await answer.json()).toMatchObject({ tokens: [{ token_id: "2", status: "unchanged" }] });

  const spans = await eventually(
    async () => spansOf(TRACE),
    (all) => all.some(({ kind }) => kind === SERVER) && all.some(({ kind }) => kind === CONSUMER),
  );
  const route = "POST /market-partner/collections/:collection_address/refresh_metadata";
  const server = spans.find(({ kind }) => kind === SERVER);
  expect(server).toMatchObject({
    name: route,
    parentSpanId: CALLER,
    attributes: {
      "http.request.method": "POST",
      "http.route": route.split(" ")[1],
      "http.response.status_code": 200,
      "url.path": `/market-partner/collections/${lower(heroes)}/refresh_metadata`,
      "request.id": answer.headers.get("x-request-id"),
    },
  });
  const process = `process refresh < send refresh < ${route}`;
  const all = paths(spans);
  expect(all).toEqual(
    expect.arrayContaining([
      `send refresh < ${route}`,
      process,
      `resolve < ${process}`,
      `read token URI < resolve < ${process}`,
      `GET < resolve < ${process}`,
      `record < ${process}`,
      `transaction < record < ${process}`,
      `complete leases < transaction < record < ${process}`,
      `settle < transaction < record < ${process}`,
    ]),
  );
  expect(all.filter((path) => path.startsWith("eth_call < read token URI"))).not.toEqual([]);
  // The redirect is a request of its own.
  const fetches = spans.filter(({ name }) => name === "GET");
  expect(fetches.map(({ kind, attributes }) => [kind, attributes["http.response.status_code"]])).toEqual([
    [CLIENT, 302],
    [CLIENT, 200],
  ]);
  expect(fetches[0]?.attributes["server.address"]).toBe("127.0.0.1");
  expect(spans.filter(({ kind }) => kind === PRODUCER)).toHaveLength(1);
  // What runs in the background meanwhile is not the request's.
  expect(new Set(all.filter((path) => path.includes("claim")))).toEqual(new Set());
  expect(collector.serviceNames).toEqual(new Set(["vitrine-under-test"]));
});

it("requests that wait for the same fetch are linked to it, which is in the trace of the first", async () => {
  const [one, other] = ["1".repeat(32), "2".repeat(32)];
  // The next fetch starts five seconds after this one.
  await refresh(["3"], `00-${TRACE}-${CALLER}-00`);
  await Promise.all([one, other].map((trace) => refresh(["3"], `00-${trace}-${CALLER}-01`)));

  const [processed, ...more] = await eventually(
    async () => [one, other].flatMap((trace) => spansOf(trace)).filter(({ kind }) => kind === CONSUMER),
    (spans) => spans.length > 0,
  );
  expect(more).toEqual([]);
  expect(processed?.links).toHaveLength(1);
  const traces = [processed?.traceId, processed?.links[0]?.traceId];
  expect(traces.toSorted()).toEqual([one, other]);
});

it("every log line of a refresh, from the request to what was recorded, has the request's id", async () => {
  const answer = await refresh(["1"], `00-${TRACE}-${CALLER}-00`);
  const id = answer.headers.get("x-request-id") ?? "";

  const lines = await eventually(
    async () =>
      service
        .log()
        .split("\n")
        .filter((line) => line.includes(`request_id=${id}`)),
    (found) => found.some((line) => line.includes("Refresh recorded")),
  );
  expect(lines.map((line) => /Refresh \w+/.exec(line)?.[0])).toEqual([
    "Refresh requested",
    "Refresh recorded",
  ]);
  expect(lines[1]).toContain("unchanged=1");
  const { refresh_id } = (await answer.json()) as { refresh_id: string };
  expect(lines[0]).toContain(`refresh_id=${refresh_id}`);
});

it("what a caller does not sample is not sent, and spans have no key, no query and no signature", async () => {
  const signed = await fetch(`${service.baseUrl}/console/sign-in?token=vl_${"ab".repeat(24)}`, {
    method: "POST",
    headers: {
      traceparent: `00-${"3".repeat(32)}-${CALLER}-01`,
      cookie: `session=vs_${"cd".repeat(24)}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ message: "I sign in", signature: SIGNATURE }),
  });
  expect(signed.status).toBeGreaterThanOrEqual(400);
  await eventually(
    async () => spansOf("3".repeat(32)),
    (spans) => spans.length > 0,
  );

  const sent = collector.bodies.join("\n");
  for (const secret of [key, QUERY_SECRET, SIGNATURE, "vl_ab", "vs_cd", "apiKey"])
    expect(sent).not.toContain(secret);
  const sampled = new Set([TRACE, "1".repeat(32), "2".repeat(32), "3".repeat(32)]);
  expect(collector.spans.filter(({ traceId }) => !sampled.has(traceId))).toEqual([]);
});
