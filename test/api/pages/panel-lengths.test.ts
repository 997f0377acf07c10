/** The URL that a collection's form leads to without a script, which sends the fields of all ranges, filled in or not. */

import { beforeAll, expect, it } from "vitest";
import { createPagesWorld, HEROES, idsOf, seen } from "./world.ts";

const EMPTY_FORM_MAX = 4_500;
const NAME_MAX = 600;

const world = await createPagesWorld();

beforeAll(async () => {
  for (const id of ["1", "2"]) {
    await world.mint(id);
    await world.describe(id, {
      attributes: [
        { trait_type: "Class", value: "Mage" },
        { trait_type: "Level", display_type: "number", value: Number(id) },
      ],
    });
  }
  await world.mint("3");
});

const describeWith = (traits: readonly object[]) => world.describe("3", { attributes: traits });
const numbers = (named: (nth: number) => string, count = 60) =>
  Array.from({ length: count }, (_, nth) => ({
    trait_type: named(nth),
    display_type: "number",
    value: nth,
  }));

/** The page's query string after its form was sent as it stands: text fields always, and boxes that are ticked. */
async function submit(query = ""): Promise<{ html: string; sent: string }> {
  const { text: html } = await world.get(`${HEROES}?${query}`);
  const fields = [...html.matchAll(/<input type="([a-z]*)"[^>]* name="([^"]*)"([^>]*)>/g)]
    .filter(([, type = "", , rest = ""]) => !/checkbox|radio/.test(type) || rest.includes(" checked"))
    .map(([, , name = "", rest = ""]): [string, string] => [name, / value="([^"]*)"/.exec(rest)?.[1] ?? ""]);
  return { html, sent: new URLSearchParams(fields).toString() };
}

const boxes = (html: string): number => (html.match(/name="is:/g) ?? []).length;
const starts = (html: string): number => (html.match(/name="from:/g) ?? []).length;

it.each<[string, (nth: number) => string]>([
  ["long", (nth) => `${"Long number trait name ".repeat(9)}${nth}`],
  ["Japanese", (nth) => `第${nth}回大会での最高到達ランク記録`],
  ["of an ordinary length", (nth) => `Wins in the season of the year ${1990 + nth}`],
])("stays short where one token has 60 numbers whose names are %s", async (_, named) => {
  await describeWith(numbers(named));
  const { html, sent } = await submit();

  expect(sent.length).toBeLessThan(EMPTY_FORM_MAX);
  // What most tokens have keeps its place.
  expect(html).toContain('name="from:Level"');
  expect(html).toContain('name="is:Class"');
  expect(seen(html)).toContain(`${61 - starts(html)} more traits; the search finds their values.`);
});

it("has room for 60 numbers with short names", async () => {
  await describeWith(numbers((nth) => `Skill ${nth}`, 58));

  expect(starts((await submit()).html)).toBe(59);
});

it.each([
  ["exactly 4,096 characters, which fit", 224, 5],
  ["two characters more, of which one has no place", 225, 4],
])("has ranges with names of %s", async (_, last, count) => {
  // Each name stands in `from%3A…=&` and `to%3A…=&`; that of Level has 26 characters there.
  const lengths = [593, 593, 593, last];
  await describeWith(numbers((nth) => `${nth}`.repeat(lengths[nth] ?? 0), lengths.length));

  expect(starts((await submit()).html)).toBe(count);
});

it("has room for no trait whose name would fill it, and none is offered to sort by", async () => {
  const fits = "n".repeat(NAME_MAX - "from%3A".length);
  const isTooLong = `${fits}n`;
  await describeWith([
    { trait_type: fits, display_type: "number", value: 1 },
    { trait_type: isTooLong, display_type: "number", value: 1 },
    { trait_type: `${isTooLong}, a text`, value: "Deep" },
  ]);
  const { html } = await submit();

  expect([starts(html), boxes(html)]).toEqual([2, 1]);
  expect(seen(html)).toContain("2 more traits; the search finds their values.");
  expect(html).toContain(`value="trait:${fits}:desc"`);
  expect(html).not.toContain(isTooLong);
});

it("keeps what is filtered already, and the panel shows it", async () => {
  const named = (nth: number): string => `${"Long number trait name ".repeat(9)}${nth}`;
  const text = "t".repeat(NAME_MAX);
  await describeWith([...numbers(named), { trait_type: text, value: "Deep" }]);
  const filter = new URLSearchParams([
    [`from:${named(59)}`, "7"],
    [`is:${text}`, "Deep"],
  ]);
  const { html, sent } = await submit(filter.toString());

  expect(idsOf(html)).toEqual(["3"]);
  expect(html).toContain(`name="is:${text}" value="Deep" checked`);
  const kept = new URLSearchParams(sent);
  expect([kept.get(`from:${named(59)}`), kept.getAll(`is:${text}`)]).toEqual(["7", ["Deep"]]);
  expect(idsOf((await submit(sent)).html)).toEqual(["3"]);
});
