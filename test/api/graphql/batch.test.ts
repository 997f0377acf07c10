import { describe, expect, it } from "vitest";
import { createBatch, keepByKey } from "../../../src/api/graphql/own/batch.ts";

function createCounted(fail = false) {
  const loads: (readonly string[])[] = [];
  const batch = createBatch(async (keys) => {
    loads.push(keys);
    if (fail) throw new Error("away");
    return new Map(keys.filter((key) => key !== "none").map((key) => [key, key.toUpperCase()]));
  });
  return { loads, batch };
}

describe("a batch", () => {
  it("loads what is asked for in one turn together, each key once, and answers each by its own", async () => {
    const { loads, batch } = createCounted();

    expect(await Promise.all(["a", "b", "a", "none"].map(batch))).toEqual(["A", "B", "A", undefined]);
    expect(loads).toEqual([["a", "b", "none"]]);
  });

  it("waits for what comes by way of other promises in the same turn", async () => {
    const { loads, batch } = createCounted();
    const late = Promise.resolve().then(async () => batch("late"));

    await Promise.all([batch("early"), late]);

    expect(loads).toEqual([["early", "late"]]);
  });

  it("asks anew in a later turn", async () => {
    const { loads, batch } = createCounted();

    await batch("a");
    await batch("a");

    expect(loads).toEqual([["a"], ["a"]]);
  });

  it("fails for all who asked, and for them alone", async () => {
    const { loads, batch } = createCounted(true);

    const ends = await Promise.allSettled([batch("a"), batch("b")]);

    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(loads).toHaveLength(1);
  });
});

it("a value that is kept by key is made once", () => {
  const made: string[] = [];
  const get = keepByKey((key) => {
    made.push(key);
    return { key };
  });

  expect(get("a")).toBe(get("a"));
  expect(get("b")).not.toBe(get("a"));
  expect(made).toEqual(["a", "b"]);
});
