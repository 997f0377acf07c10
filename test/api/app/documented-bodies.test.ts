/** The sizes of bodies that docs/api.md states are those that the routes accept. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const api = createTestApp(await createTestDatabase());
const key = await api.createKey();
const { body: document } = await api.call("/openapi.json");

const page = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8");
const [, table = ""] = /^\| Body of \| Bytes at most \|$(.+?)\n\n/ms.exec(page) ?? [];
const documented = [...table.matchAll(/^\| (.+) \| ([\d,]+) \|$/gm)].flatMap(([, cell = "", bytes = ""]) =>
  [...cell.matchAll(/`([A-Z]+) (\S+)`/g)].map(([, method = "", path = ""]) => ({
    title: `${method} ${path}`,
    method,
    path,
    bytes: Number(bytes.replaceAll(",", "")),
  })),
);

it("name every route that reads a body", () => {
  const withBody = Object.entries(document.paths as Record<string, Record<string, { requestBody?: unknown }>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { requestBody }]) => requestBody !== undefined)
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    )
    .filter((title) => !title.includes(" /admin/"));
  expect(documented.map(({ title }) => title).toSorted()).toEqual(
    [...withBody, "POST /admin/refreshes", "POST /graphql"].toSorted(),
  );
});

it.each(documented)("$title: $bytes", async ({ method, path, bytes }) => {
  const url = path
    .replace("{collection_address}", COLLECTION)
    .replace(/\{\w+\}/g, "00000000-0000-4000-8000-000000000000");
  const isOperators = path.startsWith("/admin");
  const statusOf = async (length: number): Promise<number> => {
    const sent = await api.call(url, {
      method,
      body: "[]".padEnd(length),
      headers: {
        "content-type": "application/json",
        ...(isOperators && { authorization: `Bearer ${OPERATOR_TOKEN}` }),
      },
      ...(!isOperators && { key }),
    });
    return sent.status;
  };
  expect(await statusOf(bytes)).not.toBe(413);
  expect(await statusOf(bytes + 1)).toBe(413);
});
