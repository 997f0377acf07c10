/** Traces change nothing but what a collector receives (docs/operations.md). */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createServingBundle } from "../../../bin/serving-bundle.ts";
import { nameRequests } from "../../../src/api/tracing/logged-request.ts";
import { startTracing } from "../../../src/api/tracing/start-tracing.ts";
import { traceRequests } from "../../../src/api/tracing/trace-requests.ts";
import { BootError } from "../../../src/boot-error.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
import { type Collector, startCollector } from "../../support/servers/otlp-collector.ts";

const run = promisify(execFile);
const test = await createTestDatabase();
const api = createTestApp(test);
const key = await api.createKey();
const trusting = createTestApp(test, { config: { trustedProxies: ["10.0.0.0/8"] } });

/** Starts tracing with these variables, for the length of a test. */
async function trace(environment: Readonly<Record<string, string>>) {
  const variables = { OTEL_BSP_SCHEDULE_DELAY: "20", OTEL_EXPORTER_OTLP_TIMEOUT: "200", ...environment };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const { logger, entries } = createMemoryLogger();
  const tracing = await startTracing(process.env, nameRequests(logger));
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await tracing.stop();
  });
  return { ...tracing, logger: nameRequests(logger), entries };
}

async function collector(answer: number | "never" = 200): Promise<Collector> {
  const started = await startCollector(answer);
  onTestFinished(() => started.close());
  return started;
}

const ask = (headers: Record<string, string> = {}) =>
  api.call("/market/collections/heroes?apiKey=ignored", { key, headers });

describe("without a collector", () => {
  const script = (environment: string) => `
    import { Module } from "node:module";
    const { startTracing } = await import("./src/api/tracing/start-tracing.ts");
    await import("./src/api/tracing/trace-requests.ts");
    await startTracing(${environment}, { info() {}, warn() {}, error() {}, debug() {} });
    const loaded = Object.keys(Module._cache).filter((file) => /@opentelemetry\\/(?!api\\/)/.test(file));
    console.log(loaded.length);
    process.exit();`;
  const loaded = async (environment: string): Promise<number> => {
    const args = ["--import", "tsx", "--input-type=module", "-e", script(environment)];
    const cwd = fileURLToPath(new URL("../../..", import.meta.url));
    return Number((await run(process.execPath, args, { cwd })).stdout);
  };

  it("loads nothing of OpenTelemetry but its interface", async () => {
    expect(await loaded("{}")).toBe(0);
    expect(
      await loaded(`{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_SDK_DISABLED: "true" }`),
    ).toBe(0);
    expect(await loaded(`{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }`)).toBeGreaterThan(10);
  });

  it("has a bundle that imports the SDK only on demand", async () => {
    const text = readFileSync(new URL(await createServingBundle().current()), "utf8");
    const imports = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, file]) => file);

    expect(imports(/^import [^(]*?"([^"]*@opentelemetry\/(?!api\/)[^"]*)"/gm)).toEqual([]);
    expect(imports(/import\("([^"]*@opentelemetry\/[^"]*)"\)/g)).toHaveLength(4);
  });
});

describe("the variables", () => {
  it("are refused at the start where the SDK would ignore them, each with its name", async () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
      OTEL_TRACES_SAMPLER: "sometimes",
      OTEL_TRACES_SAMPLER_ARG: "10%",
      OTEL_TRACES_EXPORTER: "zipkin",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
      OTEL_BSP_SCHEDULE_DELAY: "5s",
      OTEL_BSP_EXPORT_TIMEOUT: "0",
      OTEL_BSP_MAX_QUEUE_SIZE: "-1",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "0.5",
    };
    const refusal = (await startTracing(environment, api.logger).catch((error: Error) => error)) as Error;

    expect(refusal).toBeInstanceOf(BootError);
    for (const name of Object.keys(environment)) expect(refusal.message).toContain(`${name} must be`);
  });

  it("are refused where a timer would run out at once", async () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_BSP_SCHEDULE_DELAY: "2147483648",
      OTEL_BSP_EXPORT_TIMEOUT: "99999999999",
      OTEL_EXPORTER_OTLP_TIMEOUT: "99999999999",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "99999999999",
    };
    const refusal = (await startTracing(environment, api.logger).catch((error: Error) => error)) as Error;

    for (const name of Object.keys(environment).slice(1))
      expect(refusal.message).toContain(
        `${name} must be a positive integer of milliseconds, at most 2147483647`,
      );
  });

  it("count as unset if they are empty", async () => {
    const { logger, entries } = createMemoryLogger();
    await startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: "", OTEL_TRACES_SAMPLER: "" }, logger);
    expect(entries).toEqual([]);
  });

  it("turn traces off with the exporter none", async () => {
    const { logger, entries } = createMemoryLogger();
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_TRACES_EXPORTER: "none" };
    await startTracing(environment, logger);
    expect(entries).toEqual([]);
  });

  it("are not refused where no traces are sent", async () => {
    const { logger, entries } = createMemoryLogger();
    await startTracing({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_TRACES_SAMPLER: "sometimes" }, logger);
    expect(entries).toEqual([]);
  });

  it("may name what Vitrine does anyway", async () => {
    const { url, spans } = await collector();
    await trace({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "100",
    });
    await ask();
    await eventually(
      async () => spans,
      (all) => all.some(({ kind }) => kind === 2),
    );
  });

  it("may name a collector of traces alone", async () => {
    const { url, spans } = await collector();
    await trace({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces` });
    await ask();
    await eventually(
      async () => spans,
      (all) => all.some(({ kind }) => kind === 2),
    );
  });
});

describe("a request", () => {
  it("begins a trace of its own unless its caller sends one, with spans for its statements", async () => {
    const { url, spans } = await collector();
    await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    const { headers } = await ask({ traceparent: "00-nonsense" });

    const all = await eventually(
      async () => spans,
      (found) => found.some(({ kind }) => kind === 2),
    );
    const server = all.find(({ kind }) => kind === 2);
    expect(server).toMatchObject({
      name: "GET /market/collections/:collection_address",
      attributes: { "http.response.status_code": 200, "request.id": headers.get("x-request-id") },
    });
    expect(server?.parentSpanId).toBeUndefined();
    const statements = all.filter(({ attributes }) => "db.query.text" in attributes);
    expect(statements.length).toBeGreaterThan(0);
    expect(new Set(statements.map(({ traceId }) => traceId))).toEqual(new Set([server?.traceId]));
  });

  it.each([
    { from: "10.0.0.5", forwarded: undefined, isContinued: true },
    { from: "10.0.0.5", forwarded: "10.0.0.9", isContinued: true },
    // A load balancer passes on what a stranger sends.
    { from: "10.0.0.5", forwarded: "203.0.113.7", isContinued: false },
    { from: "203.0.113.7", forwarded: "10.0.0.9", isContinued: false },
    { from: undefined, forwarded: undefined, isContinued: false },
  ])(
    "from $from for $forwarded continues its caller's trace: $isContinued; a stranger's is linked",
    async (caller) => {
      const { url, spans } = await collector();
      await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
      const [theirs, parent] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
      const headers = {
        traceparent: `00-${theirs}-${parent}-01`,
        ...(caller.forwarded && { "x-forwarded-for": caller.forwarded }),
      };
      await trusting.call("/market/collections/heroes", {
        headers,
        ...(caller.from && { from: caller.from }),
      });

      const [server] = await eventually(
        async () => spans.filter(({ kind }) => kind === 2),
        (found) => found.length === 1,
      );
      expect(server).toMatchObject(
        caller.isContinued
          ? { traceId: theirs, parentSpanId: parent, links: [] }
          : { traceId: expect.not.stringContaining(theirs), links: [{ traceId: theirs, spanId: parent }] },
      );
      expect(server?.parentSpanId).toBe(caller.isContinued ? parent : undefined);
    },
  );

  it("of a stranger is sampled as this service decides, whatever its flags say", async () => {
    const { url, spans } = await collector();
    await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER: "parentbased_always_off" });
    const sampled = (digit: string) => ({ traceparent: `00-${digit.repeat(32)}-b7ad6b7169203331-01` });
    await trusting.call("/market/collections/heroes", { headers: sampled("1"), from: "203.0.113.7" });
    await trusting.call("/market/collections/heroes", { headers: sampled("2"), from: "10.0.0.5" });

    const servers = await eventually(
      async () => spans.filter(({ kind }) => kind === 2),
      (found) => found.some(({ traceId }) => traceId === "2".repeat(32)),
    );
    expect(servers).toHaveLength(1);
  });

  it("that a middleware refuses, or that no route answers, has a span with its status", async () => {
    const { url, spans } = await collector();
    await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    await api.call("/market/collections/heroes");
    await api.call("/no-such-path");

    const servers = await eventually(
      async () => spans.filter(({ kind }) => kind === 2),
      (found) => found.length === 2,
    );
    expect(servers.map(({ name, attributes }) => [name, attributes["http.response.status_code"]])).toEqual([
      ["GET /market/*", 401],
      ["GET", 404],
    ]);
  });

  it("has its id in every line that is written while it is answered, and none after it", async () => {
    const { url } = await collector();
    const { logger, entries } = await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    let goOn = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let left: Promise<void> | undefined;
    const app = new Hono<{ Variables: { requestId: string } }>()
      .use((c, next) => {
        c.set("requestId", "the-request");
        return next();
      })
      .use(traceRequests(() => false))
      .get("/", async (c) => {
        await Promise.resolve();
        logger.info({ msg: "during" });
        left = answered.then(() => logger.info({ msg: "after" }));
        return c.text("");
      });

    await app.request("/");
    goOn();
    await left;

    const lines = entries.filter(({ msg }) => msg === "during" || msg === "after");
    expect(lines.map(({ msg, request_id }) => [msg, request_id])).toEqual([
      ["during", "the-request"],
      ["after", undefined],
    ]);
  });
});

describe("a collector that", () => {
  it("refuses what it gets changes no answer, and is warned of once", async () => {
    const before = await ask();
    const { url, bodies } = await collector(400);
    const { entries } = await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: url });

    await eventually(
      async () => {
        expect((await ask()).text).toBe(before.text);
        return bodies.length;
      },
      (count) => count >= 3,
    );
    await eventually(
      async () => entries.filter(({ level }) => level === "warn"),
      (warned) => warned.length > 0,
    );
    expect(entries.filter(({ level }) => level === "warn")).toMatchObject([
      { msg: "Could not send traces; they were lost", reason: expect.stringContaining("Bad Request") },
    ]);
  });

  it.each([
    { fault: "is away", start: async () => "http://127.0.0.1:9" },
    { fault: "never answers", start: async () => (await collector("never")).url },
  ])("$fault changes no answer, and doesn't keep the service from stopping", async ({ start }) => {
    const before = await ask();
    const { entries, stop } = await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: await start() });

    expect((await ask()).text).toBe(before.text);
    await eventually(
      async () => entries.filter(({ level }) => level === "warn"),
      (warned) => warned.length === 1,
    );
    expect((await ask()).text).toBe(before.text);
    await stop();
    expect(entries.filter(({ level }) => level === "warn")).toHaveLength(1);
  });
});
