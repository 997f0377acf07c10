import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { createRequestMetrics } from "../../../src/api/http/request-metrics.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();

it("measures each request once, by its method, its route and the class of its status", async () => {
  const registry = new Registry();
  // As after a second start in the same process.
  createRequestMetrics(registry);
  const api = createTestApp(test, { measureRequests: createRequestMetrics(registry) });
  const key = await api.createKey();
  for (const tokenId of ["1", "2"])
    await api.call(`/market/collections/${COLLECTION}/tokens/${tokenId}`, { key });
  await api.call("/market/collections");
  await api.call("/nowhere");
  await api.call("/livez");

  const text = await registry.metrics();
  const counts = text.split("\n").filter((line) => line.includes("_count{"));
  expect(counts.sort()).toEqual([
    'vitrine_http_request_duration_seconds_count{method="GET",path="/*",status="4XX"} 1',
    'vitrine_http_request_duration_seconds_count{method="GET",path="/livez",status="2XX"} 1',
    'vitrine_http_request_duration_seconds_count{method="GET",path="/market/*",status="4XX"} 1',
    'vitrine_http_request_duration_seconds_count{method="GET",path="/market/collections/:collection_address/tokens/:token_id",status="4XX"} 2',
  ]);
});
