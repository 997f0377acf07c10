/** The Postman collection holds what openapi.json does, and can be sent as it is. */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), "utf8"));

interface Item {
  readonly request: {
    readonly method: string;
    readonly auth?: { readonly type: string };
    readonly url: {
      readonly path: readonly string[];
      readonly variable: readonly { readonly value: string }[];
    };
    readonly body?: { readonly raw: string };
  };
}
const folders = read("postman.json").item as { name: string; item: Item[] }[];
const requests = folders.flatMap(({ item }) => item.map(({ request }) => request));
const find = (path: string) => requests.find(({ url }) => `/${url.path.join("/")}` === path);

it("has every operation of openapi.json once, in the folder of its tag", () => {
  const { paths } = read("openapi.json") as { paths: Record<string, Record<string, { tags: string[] }>> };
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, { tags }]) => `${tags[0]} ${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    ),
  );
  const found = folders.flatMap(({ name, item }) =>
    item.map(({ request }) => `${name} ${request.method} /${request.url.path.join("/")}`),
  );

  expect(found.toSorted()).toEqual(documented.toSorted());
});

it("fills bodies and paths with examples", () => {
  expect(JSON.parse(find("/market/trade_checks")?.body?.raw ?? "")).toMatchObject({
    action: "list",
    items: [{ collection_address: expect.stringMatching(/^0x/), token_id: "7" }],
  });
  expect(JSON.parse(find("/market-partner/metadata/validate")?.body?.raw ?? "")).toHaveProperty("uri");
  for (const { body } of requests) if (body) expect(JSON.parse(body.raw)).not.toBeNull();
});

it("sends the key only where one is taken, and the operator's token on the operator's routes", () => {
  expect(find("/market/collections")?.auth).toBeUndefined();
  expect(find("/livez")?.auth?.type).toBe("noauth");
  expect(find("/admin/keys")?.auth?.type).toBe("bearer");
});
