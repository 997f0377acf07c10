/** The facets that the service keeps of what its search threads have answered. */

import { expect, it } from "vitest";
import { createFacetsCache } from "../../../src/api/search/facets-cache.ts";
import { packFacets } from "../../../src/api/search/threads/packed-facets.ts";
import type { FacetsQuestion } from "../../../src/api/search/threads/questions.ts";

const collection = { chainId: 1, collection: "0x1" };
const named = (text: string) => ({ criteria: [], ranges: [], text });

function start() {
  const kept = createFacetsCache();
  const asked: (string | undefined)[] = [];
  const find = (text: string, stamp: string, total = 1, kind: "facets" | "panel" = "facets") =>
    kept.find(kind, collection, named(text), async ({ known }: FacetsQuestion) => {
      asked.push(known);
      return { stamp, packed: known === stamp ? null : packFacets({ total, listed: 5, traits: [] }) };
    });
  return { find, asked };
}

it("are the same object while their stamp is the same, of each kind and filter", async () => {
  const { find, asked } = start();

  const first = await find("a", "s1");
  expect(await find("a", "s1")).toBe(first);
  expect(await find("a", "s2", 2)).toEqual({ total: 2, listed: 5, traits: [] });
  expect(await find("b", "s3", 3)).toMatchObject({ total: 3 });
  expect(await find("a", "s4", 4, "panel")).toMatchObject({ total: 4 });
  expect(await find("a", "s2", 9)).toMatchObject({ total: 2 });

  expect(asked).toEqual([undefined, "s1", "s1", undefined, undefined, "s2"]);
});

it("of questions that cross each other are each question's own", async () => {
  const kept = createFacetsCache();
  const answers: ((stamp: string, total: number) => void)[] = [];
  const find = () =>
    kept.find(
      "facets",
      collection,
      named("a"),
      () =>
        new Promise((resolve) =>
          answers.push((stamp, total) =>
            resolve({ stamp, packed: packFacets({ total, listed: 5, traits: [] }) }),
          ),
        ),
    );
  const [early, late] = [find(), find()];
  answers[1]?.("s2", 2);
  answers[0]?.("s1", 1);

  expect([(await early).total, (await late).total]).toEqual([1, 2]);
});

it("make room for others, by the length of their filters too", async () => {
  const { find, asked } = start();
  const long = "x".repeat(1_000_000);
  for (let nth = 0; nth < 20; nth++) await find(`${nth} ${long}`, `s${nth}`);
  asked.length = 0;

  await find(`0 ${long}`, "s0");
  await find(`19 ${long}`, "s19");

  expect(asked).toEqual([undefined, "s19"]);
});
