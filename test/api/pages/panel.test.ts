import { beforeAll, describe, expect, it } from "vitest";
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
