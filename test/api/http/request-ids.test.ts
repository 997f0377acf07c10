/** From a request's id to its log lines, the statements that it ran or waited for, and back (docs/operations.md). */

import { buildSchema, graphql } from "graphql";
import { expect, it, onTestFinished } from "vitest";
import { createDatabase } from "../../../src/api/db/database.ts";
import { createGraphqlModule } from "../../../src/api/graphql/module.ts";
import { requestBegan, requestEnded, requestsSince } from "../../../src/api/tracing/requests-in-flight.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { logger, entries } = createMemoryLogger();
const inner = createTestApp(test);
const base = buildSchema("scalar JSON type Query { _meta: JSON }");
const api = createTestApp(test, {
  logger,
  graphql: await createGraphqlModule({
    ponder: async (request) => {
      const { query: source } = (await request.json()) as { query: string };
      return Response.json(await graphql({ schema: base, source }));
    },
    services: { ...inner, ...inner.catalogModule },
    rateLimits: inner.rateLimits,
    logger,
  }),
});

/** Runs without the table of receipts, so that statements about them fail. */
async function withoutReceipts<Result>(work: () => Promise<Result>): Promise<Result> {
  await test.database.query("alter table vitrine.receipt rename to receipt_away");
  try {
    return await work();
  } finally {
    await test.database.query("alter table vitrine.receipt_away rename to receipt");
  }
}

it("a failed request's line names the request, as its answer does, and the statement that failed", async () => {
  const key = await api.createKey();
  const id = "54c82a10-84e4-4fdd-88a8-df8e3627bbb9";

  const { status, body, headers } = await withoutReceipts(() =>
    api.call(`/market-partner/refreshes/${id}`, { key }),
  );

  expect(status).toBe(500);
  expect(body.request_id).toBe(headers.get("x-request-id"));
  expect(entries.find(({ msg }) => msg === "Request failed")).toMatchObject({
    level: "error",
    request_id: body.request_id,
    statement: "find collection refresh",
  });
  expect(JSON.stringify(body)).not.toContain("collection refresh");
});

it("a failed field of a GraphQL request is logged with the request's id and its statement", async () => {
  const query = `{ metadataRefresh(id: "54c82a10-84e4-4fdd-88a8-df8e3627bbb9") { id } }`;

  const { body, headers } = await withoutReceipts(() => api.call("/graphql", { body: { query } }));

  expect(body.errors).toMatchObject([{ extensions: { code: "INTERNAL" } }]);
  expect(entries.find(({ msg }) => msg === "GraphQL request failed")).toMatchObject({
    request_id: headers.get("x-request-id"),
    statement: expect.stringMatching(/^select p\.chain_id/),
  });
});

it("an accepted refresh is logged with its request's id, which its receipt keeps", async () => {
  const key = await api.createKey();
  api.existing.add("7");

  const { headers, body } = await api.call(`/market-partner/collections/${COLLECTION}/refresh_metadata`, {
    key,
    body: { token_ids: ["7"] },
  });

  const request_id = headers.get("x-request-id");
  expect(entries.filter((entry) => entry.request_id === request_id)).toMatchObject([
    { level: "info", msg: "Refresh requested", refresh_id: body.refresh_id, trigger: "rest", queued: 1 },
  ]);
  expect(
    await test.database.query("select request_id, traceparent from vitrine.receipt where id = $1", [
      body.refresh_id,
    ]),
  ).toEqual([{ request_id, traceparent: null }]);
});

it("a slow statement is logged without its parameters, with the requests that wait for it", async () => {
  const database = createDatabase(test.url, logger);
  onTestFinished(() => database.close());

  requestBegan("ended-before", performance.now());
  requestBegan("slow-one", performance.now());
  requestEnded("ended-before");
  await database.query("select pg_sleep(1.05), $1::text", ["a secret"]);
  requestEnded("slow-one");

  const lines = entries.filter(({ msg }) => msg === "Slow statement");
  expect(lines).toMatchObject([
    { level: "warn", statement: "select pg_sleep(1.05), $1::text", waiting_request_ids: "slow-one" },
  ]);
  expect(JSON.stringify(lines)).not.toContain("a secret");
});

it("names five waiting requests at most, the oldest first, and none that began later", () => {
  const early = ["a", "b", "c", "d", "e", "f"];
  for (const id of early) requestBegan(id, 1);
  requestBegan("late", 3);

  expect(requestsSince(2)).toEqual(["a", "b", "c", "d", "e"]);
  for (const id of early) requestEnded(id);
  expect(requestsSince(2)).toEqual([]);
  requestEnded("late");
});

it("knows a request while it is answered, and not after it", async () => {
  const key = await api.createKey();
  let known: readonly string[] = [];
  const spied = createTestApp({
    ...test,
    database: {
      ...test.database,
      query: (...statement) => {
        known = [...known, ...requestsSince(performance.now())];
        return test.database.query(...statement);
      },
    },
  });

  const { headers } = await spied.call(`/market/collections/${COLLECTION}/tokens/7`, { key });

  expect(known).toContain(headers.get("x-request-id"));
  expect(requestsSince(performance.now())).toEqual([]);
});
