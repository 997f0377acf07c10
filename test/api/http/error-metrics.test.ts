import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { createErrorMetrics } from "../../../src/api/http/error-metrics.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";

const test = await createTestDatabase();

it("counts errors by the code that callers get", async () => {
  const registry = new Registry();
  // As after a second start in the same process.
  createErrorMetrics(registry);
  const api = createTestApp(test, { countError: createErrorMetrics(registry) });
  await api.call("/market/collections");
  await api.call("/market/collections", { key: "vk_wrong" });
  await api.call("/market/collections", { key: "vk_wrong" });

  const text = await registry.metrics();
  expect(text).toContain('vitrine_http_errors_total{code="KEY_MISSING"} 1');
  expect(text).toContain('vitrine_http_errors_total{code="KEY_INVALID"} 2');
});
