import { beforeAll, describe, expect, it } from "vitest";
import { readQuery } from "../../../src/api/pages/collection/filter-query.ts";
import { en } from "../../../src/api/ui/words/en.ts";
import { createPagesWorld, HEROES, idsOf, seen } from "./world.ts";

const COMMON = 3;

const world = await createPagesWorld();

beforeAll(async () => {
  for (let id = 1; id <= COMMON; id++) {
    await world.mint(String(id));
    await world.describe(String(id), {
      attributes: [
        { trait_type: "Class", value: "Mage" },
        { trait_type: "Weight", display_type: "number", value: id / 10 },
        { trait_type: "Zeal", display_type: "number", value: id * 1_000 },
      ],
    });
  }
  // First in alphabetical order, and more than a panel or a menu shows.
  const parts = Array.from({ length: 90 }, (_, nth) => String(nth).padStart(2, "0"));
  await world.mint("99");
  await world.describe("99", {
    attributes: parts.map((nth) => ({ trait_type: `A part ${nth}`, display_type: "number", value: 1 })),
  });
});

const page = async (...fields: readonly (readonly [string, string])[]): Promise<string> =>
  (await world.get(`${HEROES}?${new URLSearchParams(fields as [string, string][])}`)).text;
const inputs = (html: string, type: string): string[] =>
  [...html.matchAll(new RegExp(`<input type="${type}" name="([^"]*)" value="([^"]*)"`, "g"))].map(
    ([, name, value]) => `${name}=${value}`,
  );
const sorts = (html: string): string[] =>
  [...html.matchAll(/<option value="([^"]*)"( selected)?/g)].map(
    ([, value, isSelected]) => `${value}${isSelected ? "!" : ""}`,
  );

describe("the panel and the orders", () => {
  it.each([
    [1, "1 more trait; the search finds its values.", "1 rarer value; the search finds it.", "token"],
    [2, "2 more traits; the search finds their values.", "2 rarer values; the search finds them.", "tokens"],
  ])("count in words: %i", (count, traits, values, tokens) => {
    const { filters } = en;
    expect(filters.moreTraits(count)).toBe(traits);
    expect(filters.rarerValues(count, String(count))).toBe(values);
    expect(filters.ofTotal(count)).toBe(tokens);
  });

  it("hold the traits that most tokens have, whatever one token's document adds", async () => {
    const html = await page();

    expect(html).toContain('name="is:Class"');
    expect(html).toContain('name="from:Zeal"');
    expect(seen(html)).toContain("33 more traits; the search finds their values.");
    expect(sorts(html)).toEqual(expect.arrayContaining(["trait:Weight:desc", "trait:Zeal:asc"]));
    expect(sorts(html)).toHaveLength(47);
  });

  it("keep their places, whatever is filtered: the most common first, and ticked values where nothing matches", async () => {
    const fields = (html: string): string[] =>
      [...html.matchAll(/<input type="checkbox" [^>]*?name="(is:[^"]*)" value="([^"]*)"( checked)?/g)].map(
        ([, name, value, isChecked]) => `${name}=${value}${isChecked ? "!" : ""}`,
      );
    const sections = (html: string): string[] =>
      [...html.matchAll(/<details class="facet".*?<h3>(.*?)<\/h3>/gs)].map(([, name]) =>
        seen(name ?? "").trim(),
      );
    const whole = await page();
    const none = await page(["is:Class", "Mage"], ["q", "nobody"]);

    expect(sections(whole).slice(0, 3)).toEqual(["Class", "Weight", "Zeal"]);
    expect(sections(none)).toEqual(sections(whole));
    expect(idsOf(none)).toEqual([]);
    expect(fields(none)).toEqual(["is:Class=Mage!"]);
    expect(inputs(none, "hidden")).toEqual([]);
  });

  it("hold no value that would fill a URL, unless it is asked for", async () => {
    // Nine characters of a URL each.
    const [long, short] = [`${"語".repeat(66)}1234567`, `${"語".repeat(66)}123456`];
    await world.mint("98");
    await world.describe("98", {
      attributes: [long, short].map((value) => ({ trait_type: "Class", value })),
    });
    const offered = (html: string): string[] =>
      [...html.matchAll(/name="is:Class" value="([^"]*)"/g)].map(([, value = ""]) => value);

    expect(offered(await page())).toEqual(["Mage", short]);
    expect(offered(await page(["is:Class", long]))).toEqual(["Mage", short, long]);
  });

  it("keep each condition and the order that are asked for, where no field shows them", async () => {
    const html = await page(
      ["is:Class", "Mage"],
      ["is:Class", "Rogue"],
      ["from:Zeal", "9000"],
      ["sort", "trait:Class:asc"],
    );

    expect(idsOf(html)).toEqual([]);
    for (const value of ["Mage", "Rogue"])
      expect(html).toMatch(new RegExp(`name="is:Class" value="${value}" checked`));
    expect(inputs(html, "hidden")).toEqual([]);
    expect(html).toMatch(/name="from:Zeal"[^>]*value="9000"/);
    expect(sorts(html)).toContain("trait:Class:asc!");
  });

  it("move sliders by steps that reach both ends, without the dust of binary fractions", async () => {
    const html = await page();
    const bounds = (name: string) =>
      new RegExp(`min="([^"]*)" max="([^"]*)" step="([^"]*)"[^>]*aria-label="${name}, lowest"`)
        .exec(html)
        ?.slice(1);

    expect(bounds("Weight")).toEqual(["0.1", "0.3", "0.001"]);
    expect(bounds("Zeal")).toEqual(["1000", "3000", "10"]);
  });

  it("name as in use only what is understood", async () => {
    const html = await page(
      ["from:Zeal", "abc"],
      ["locked", "perhaps"],
      ["owner", "zz"],
      ["to:Zeal", "2000"],
    );

    const chips = [...html.matchAll(/<a class="chip" .*?<\/a>/gs)].map(([chip]) => seen(chip).trim());
    expect(chips).toEqual(["Remove Zeal 2,000 or less ×"]);
  });
});

describe("an address of many conditions", () => {
  // The longest that the server accepts have 16 kB.
  const URL_CHARACTERS = 15_000;
  const PAGE_BYTES_MAX = 400_000;
  const chipsIn = (html: string): string[] =>
    [...html.matchAll(/<a class="chip" .*?<\/a>/gs)].map(([chip]) => seen(chip).trim());
  const moreIn = (html: string): string | undefined =>
    /and ([\d,]+) more/.exec(seen(/<ul id="chips".*?<\/ul>/s.exec(html)?.[0] ?? ""))?.[1];
  const badgeIn = (html: string): string | undefined => /<span class="badge">([^<]*)</.exec(html)?.[1];
  const idsTwice = (html: string): string[] => {
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id ?? "");
    return ids.filter((id, at) => ids.indexOf(id) !== at);
  };
  const values = (count: number): (readonly [string, string])[] =>
    Array.from({ length: count }, (_, nth) => ["is:Class", `v${nth}`]);
  /** As many entries as the longest address has room for. */
  const longest = (entry: (nth: number) => string): string => {
    const entries: string[] = [];
    for (let left = URL_CHARACTERS, nth = 0; left > 0; nth++) {
      const next = entry(nth);
      entries.push(next);
      left -= next.length + 1;
    }
    return entries.join("&");
  };

  it("shows a repeated condition once: one chip, one in the badge, one field", async () => {
    const html = await page(
      ["is:Class", "Mage"],
      ["is:Class", "Mage"],
      ["is:Class", "Bard"],
      ["is:Class", "Bard"],
    );

    expect(chipsIn(html)).toEqual(["Remove Class Mage ×", "Remove Class Bard ×"]);
    expect(badgeIn(html)).toBe("2");
    expect(html.match(/value="Bard"/g)).toHaveLength(1);
    expect(idsTwice(html)).toEqual([]);
    expect(html).toContain(`<a class="chip" href="${HEROES}?is%3AClass=Bard">`);
  });

  it("has a chip for each of 50 conditions, and says how many more there are", async () => {
    const fifty = await page(...values(50));
    const more = await page(...values(62));

    expect([chipsIn(fifty).length, moreIn(fifty), badgeIn(fifty)]).toEqual([50, undefined, "50"]);
    expect([chipsIn(more).length, moreIn(more), badgeIn(more)]).toEqual([50, "12", "62"]);
    expect(seen(more)).toMatch(/v49 × and 12 more Clear all/);
  });

  it("filters by the conditions that have no chip, and keeps them when the form is sent", async () => {
    const html = await page(...values(60), ["is:Class", "Mage"]);

    expect(idsOf(html)).toEqual(["1", "2", "3"]);
    expect(chipsIn(html).join()).not.toContain("Mage");
    expect(html).toMatch(/name="is:Class" value="Mage" checked/);
  });

  it("has a checkbox for 20 chosen values that a trait does not list, and sends the others with the form", async () => {
    const html = await page(["is:Class", "Mage"], ...values(62));
    const ticked = [...html.matchAll(/name="is:Class" value="([^"]*)" checked/g)].map(([, value]) => value);
    const hidden = inputs(html, "hidden");

    expect([ticked.length, ticked[0], ticked.at(-1)]).toEqual([21, "Mage", "v19"]);
    expect([hidden.length, hidden[0], hidden.at(-1)]).toEqual([42, "is:Class=v20", "is:Class=v61"]);
  });

  it.each<[string, (nth: number) => string]>([
    ["one condition, repeated", () => "is:Class=Mage"],
    ["values of traits that the collection has", (nth) => `is:${nth % 2 ? "Class" : "Zeal"}=${nth % 100}`],
    ["values of 20 traits", (nth) => `is:${String.fromCharCode(97 + (nth % 20))}=${nth}`],
    ["texts", (nth) => `q=${nth}`],
    ["ranges", (nth) => `from:${nth % 20}=${nth}`],
    ["ranges that are not understood", (nth) => `from:${nth}=x`],
    ["long values that grow when they are written", (nth) => `is:Class=${nth}${":".repeat(200)}`],
    ["a value of the whole address", () => `is:Class=${"'".repeat(URL_CHARACTERS)}`],
  ])("has a page of a bounded size: %s", async (_, entry) => {
    const { text } = await world.get(`${HEROES}?${longest(entry)}`);

    expect(text).toContain('id="results"');
    expect(text.length).toBeLessThan(PAGE_BYTES_MAX);
    expect(chipsIn(text).length).toBeLessThanOrEqual(50);
    expect(idsTwice(text)).toEqual([]);
  });

  it("shows 20 of its problems, and says how many more there are", async () => {
    const html = await page(...Array.from({ length: 30 }, (_, nth) => [`from:${nth}`, "x"] as const));

    expect(html.match(/is neither a number nor a day/g)).toHaveLength(20);
    expect(seen(/<div id="problems">.*?<p id="count"/s.exec(html)?.[0] ?? "")).toContain("and 10 more");
  });
});

it("says that tokens are on their way while a search index is loaded, and reloads by itself", async () => {
  const { database } = world.test;
  const fresh = world.another();
  let answers: Awaited<ReturnType<typeof world.get>>[] = [];
  await database.transaction(async (tx) => {
    await tx.query("lock table vitrine.token in access exclusive mode");
    answers = await Promise.all(
      [HEROES, `${HEROES}/1`].map((path) => fresh.call(path, { headers: { accept: "text/html" } })),
    );
  });

  for (const { status, headers, text } of answers) {
    expect([status, headers.get("refresh"), headers.get("retry-after")]).toEqual([503, "3", "3"]);
    expect(seen(text)).toContain("The tokens of this collection are being loaded.");
  }
  expect((await fresh.call(`${HEROES}/1`, { headers: { accept: "text/html" } })).status).toBe(200);
});

describe("a trait with line breaks", () => {
  const MOTTO = "Motto\nof a hero";
  const RANK = "Rank\nof a hero";
  const values = ["To be\nor not", "All\r\nis well"];

  const unescaped = (html: string): string =>
    html.replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
  /** The fields of a type, as an HTML parser reads them. */
  function fieldsOf(html: string, type: string): [name: string, value: string][] {
    const text = html.replace(/\r\n?/g, "\n");
    const fields = new RegExp(`<input type="${type}"[^>]*? name="([^"]*)"[^>]*? value="([^"]*)"`, "g");
    return [...text.matchAll(fields)].map(([, ...field]) => field.map(unescaped) as [string, string]);
  }
  // A form sends line breaks as CR LF; the script, as they were read.
  const submitted = (value: string): string => value.replace(/\r\n|\r|\n/g, "\r\n");
  const ways = [submitted, (value: string) => value];

  beforeAll(async () => {
    for (const [nth, value] of values.entries()) {
      await world.mint(String(200 + nth));
      await world.describe(String(200 + nth), {
        attributes: [
          { trait_type: MOTTO, value },
          { trait_type: RANK, display_type: "number", value: nth + 1 },
        ],
      });
    }
  });
  it("is found by each value that the panel offers, with and without script", async () => {
    const html = await page([`is:${MOTTO}`, values[0] ?? ""]);
    expect(idsOf(html)).toEqual(["200"]);
    const boxes = fieldsOf(html, "checkbox").filter(([name]) => name.includes("Motto"));
    expect(boxes).toHaveLength(values.length);
    for (const way of ways) {
      const found = [];
      for (const field of boxes) found.push(...idsOf(await page(field.map(way) as [string, string])));
      expect(found.toSorted()).toEqual(["200", "201"]);
    }
  });

  it("stays a condition when another is added, where the panel has no such trait", async () => {
    const [name, value] = ["Unknown\r\ntrait", "x\ny"];
    const hidden = fieldsOf(await page([`is:${name}`, value]), "hidden");
    for (const way of ways) {
      const kept = new URLSearchParams(hidden.map((field) => field.map(way) as [string, string]));
      expect(readQuery(kept).filter.criteria).toEqual([{ name, values: [value] }]);
    }
  });

  it("has bounds that are sent under its name", async () => {
    const html = await page([`from:${RANK}`, "2"]);
    expect(idsOf(html)).toEqual(["201"]);
    const [name = ""] = fieldsOf(html, "number").find(([each]) => each.includes("Rank")) ?? [];
    expect(idsOf(await page([submitted(name), "2"]))).toEqual(["201"]);
  });
});
