/** Counts of values that an answer doesn't list, because a trait has very many. */

import { beforeAll, expect, it } from "vitest";
import { createPagesWorld, HEROES, idsOf } from "./world.ts";

// A document of so many trait types leaves room for 20 values of each.
const TYPES = 990;
const SERIALS = 25;

const world = await createPagesWorld();
const serial = (nth: number): string => `S${String(nth).padStart(2, "0")}`;

beforeAll(async () => {
  const others = Array.from({ length: TYPES }, (_, nth) => ({ trait_type: `Part ${nth}`, value: "x" }));
  for (let nth = 1; nth <= SERIALS + 2; nth++) {
    await world.mint(String(nth));
    await world.describe(String(nth), {
      attributes: [
        { trait_type: "Serial", value: serial(Math.min(nth, SERIALS)) },
        { trait_type: "Class", value: nth <= SERIALS ? "Rare" : "Plain" },
        ...(nth === 1 ? others : []),
      ],
    });
  }
});

/** The counts of the values of `Serial`, as shown; empty where none is. */
async function countsAt(query: string): Promise<{ ids: string[]; counts: Map<string, string> }> {
  const { text } = await world.get(`${HEROES}?${query}`);
  const rows = [...text.matchAll(/name="is:Serial" value="([^"]*)"[^>]*>(.*?)<\/label>/gs)];
  const counts = new Map(
    rows.map(([, value = "", rest = ""]) => [value, /class="count">([^<]*)</.exec(rest)?.[1] ?? ""]),
  );
  return { ids: idsOf(text), counts };
}

it("a value that is not among those that are listed has no count, rather than none", async () => {
  const { ids, counts } = await countsAt("is:Serial=S24&is:Serial=S01");

  expect(ids).toEqual(["1", "24"]);
  expect(counts.get("S25")).toBe("3");
  expect(counts.get("S24")).toBe("");
});

it("so has one that filters leave behind others", async () => {
  const { ids, counts } = await countsAt("is:Class=Rare");

  expect(ids).toHaveLength(24);
  expect(counts.get("S01")).toBe("1");
  expect(counts.get("S25")).toBe("");
});

it("one that no token has any more has 0 where all are listed", async () => {
  const { ids, counts } = await countsAt("is:Class=Plain");

  expect(ids).toEqual(["26", "27"]);
  expect(counts.get("S25")).toBe("2");
  expect(counts.get("S01")).toBe("0");
});
