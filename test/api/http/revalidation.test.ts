/** JSON answers and their ETags, whatever of them is kept. */

import fc from "fast-check";
import { Hono } from "hono";
import { expect, it } from "vitest";
import { revalidateJson, writeOnce } from "../../../src/api/http/revalidation.ts";

async function answer(value: unknown, headers: Record<string, string> = {}) {
  const app = new Hono().use(revalidateJson).get("/", (c) => c.json(value as object));
  const response = await app.request("/", { headers });
  return {
    status: response.status,
    tag: response.headers.get("etag") ?? "",
    type: response.headers.get("content-type"),
    text: await response.text(),
  };
}

const plain = fc.oneof(
  fc.jsonValue(),
  fc.record({ items: fc.array(fc.jsonValue()), next_cursor: fc.jsonValue() }),
  fc.record({ items: fc.jsonValue() }),
  fc.constantFrom([undefined, 1], { items: [undefined, 1, {}] }, { items: [], total: undefined }),
);

it("is the value's JSON, whichever of its items are kept, the first time and again", async () => {
  await fc.assert(
    fc.asyncProperty(plain, fc.array(fc.boolean()), async (value, kept) => {
      const { items } = (value ?? {}) as { items?: unknown };
      if (Array.isArray(items))
        for (const [nth, item] of items.entries())
          if (kept[nth] && typeof item === "object" && item !== null) writeOnce(item);
      const expected = JSON.parse(JSON.stringify(value));

      const first = await answer(value);
      const second = await answer(value);

      expect(first).toMatchObject({ status: 200, type: "application/json" });
      expect(JSON.parse(first.text)).toEqual(expected);
      expect(second).toEqual(first);
      expect(await answer(value, { "if-none-match": first.tag })).toMatchObject({ status: 304, text: "" });
    }),
    { numRuns: 500 },
  );
});

it("has another ETag where an item has changed", async () => {
  const [kept, other] = [writeOnce({ id: 1 }), { id: 2 }];
  const of = async (items: readonly object[]) => (await answer({ items, total: 2 })).tag;

  expect(await of([kept, other])).toBe(await of([kept, { id: 2 }]));
  expect(await of([kept, other])).not.toBe(await of([kept, { id: 3 }]));
  expect(await of([kept, other])).not.toBe(await of([other, kept]));
});
