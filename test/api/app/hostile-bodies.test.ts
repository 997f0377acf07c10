/** No field of any body makes a request fail, whatever stands in its place. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const api = createTestApp(await createTestDatabase());
const document = JSON.parse(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const fieldsOf = (schema: Schema): readonly string[] =>
  Object.keys(
    (schema.$ref ? document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] : schema)?.properties ??
      {},
  );
const bodies = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { requestBody }]) => {
    const schema = requestBody?.content["application/json"]?.schema;
    return schema ? fieldsOf(schema).map((field) => [method.toUpperCase(), path, field] as const) : [];
  }),
);
const HOSTILE: readonly unknown[] = [
  { length: { toString: 1, valueOf: 1 } },
  { length: 99_999 },
  { toString: 1, valueOf: 1, toJSON: 1 },
  [[[]]],
  { constructor: 1, valueOf: null },
  1e308,
];

it("are those of every operation with a body", () => {
  expect(new Set(bodies.map(([method, path]) => `${method} ${path}`)).size).toBe(14);
});

it.each(bodies)("%s %s: %s", async (method, path, field) => {
  const key = await api.createKey(["market", "market-partner"]);
  const url = path
    .replace("{collection_address}", COLLECTION)
    .replace(/\{[a-z_]+\}/g, "00000000-0000-4000-8000-000000000000");
  for (const value of HOSTILE) {
    const { status } = await api.call(url, {
      method,
      body: { [field]: value },
      ...(path.startsWith("/admin") ? { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } } : { key }),
    });

    // A document may be any JSON.
    expect(field === "document" ? [200] : [400, 403, 404]).toContain(status);
  }
});
