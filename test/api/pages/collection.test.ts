import sharp from "sharp";
import { rgbaToThumbHash } from "thumbhash";
import { beforeAll, describe, expect, it } from "vitest";
import { FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { ALICE, BOB, createPagesWorld, HEROES, idsOf, LOCKED_BLOCK, seen } from "./world.ts";

const world = await createPagesWorld();
const { get } = world;
const FILE = `${"ab".repeat(32)}.png`;

const trait = (trait_type: string, value: unknown, display_type?: string) => ({
  trait_type,
  value,
  display_type,
});
const DAY = 86_400;

beforeAll(async () => {
  await world.mint("1");
  await world.mint("2", { owner: BOB, lockCount: 1, lockedSinceBlock: BigInt(LOCKED_BLOCK) });
  await world.mint("10");
  await world.mint("11");
  await world.describe("1", {
    name: "Zoe",
    attributes: [
      trait("Class", "Mage"),
      trait("Level", 10, "number"),
      trait("Born", DAY - 1, "date"),
      trait("Shiny", true, "bool"),
    ],
  });
  await world.describe("2", {
    name: "adam",
    attributes: [
      trait("Class", "Rogue"),
      trait("Level", 0, "number"),
      trait("Born", DAY, "date"),
      trait("Shiny", false, "bool"),
    ],
  });
  await world.describe("10", {
    name: "Bea",
    attributes: [trait("Class", "Mage"), trait("Level", 2.5, "number"), trait("Title", "")],
  });
  await world.cacheImage("1", FILE);
});

const at = (...fields: readonly (readonly [string, string])[]): string =>
  `${HEROES}?${new URLSearchParams(fields as [string, string][])}`;

describe("/collections", () => {
  it("lists every collection by its name, or its address where it has none", async () => {
    const { status, text } = await get("/collections");

    expect(status).toBe(200);
    expect(seen(text)).toMatch(/3 collections .*Heroes .*0x0000…00fa .*Far heroes/);
    expect(text).toContain(`href="${HEROES}"`);
    expect(text).toContain(`href="/collections/${FAR_CHAIN_ID}/${FAR_COLLECTION}"`);
  });
});

describe("a collection's page", () => {
  it("shows its tokens with the cached image only, and a badge on what is locked", async () => {
    const { status, text, headers } = await get(HEROES);

    expect([status, idsOf(text)]).toEqual([200, ["1", "2", "10", "11"]]);
    expect(headers.get("content-security-policy")).toContain("img-src 'self' data:;");
    expect(text).toMatch(new RegExp(`<img src="/media/images/${FILE}" alt="" width="480" height="480"`));
    expect(text).not.toContain("img.example");
    expect(text.match(/class="lock-badge"/g)).toHaveLength(1);
    expect(seen(text)).toMatch(/Locked adam #2/);
    expect(seen(text)).toMatch(/Not read yet Token #11 #11/);
  });

  it("offers a picture's variants, and shows its placeholder until it has loaded", async () => {
    await world.test.database.query(
      `insert into vitrine.media_file (name, source_hash, format, width, height, placeholder)
       values ($1, '', 'PNG', 500, 500, $2)`,
      // Of a picture that is plain red.
      [
        FILE,
        Buffer.from(
          rgbaToThumbHash(8, 8, Array.from({ length: 64 }, () => [255, 0, 0, 255]).flat()),
        ).toString("base64"),
      ],
    );
    for (const side of [240, 480])
      await world.test.database.query(
        `insert into vitrine.media_variant (file, name, type, width, height, bytes)
         values ($1, $2, 'image/webp', $3, $3, 1)`,
        [FILE, `${side}.webp`, side],
      );

    const { text, headers } = await get(HEROES);

    expect(text).toContain(
      `<picture><source type="image/webp" srcset="/media/images/480.webp 480w, /media/images/240.webp 240w" sizes="(max-width: 30rem) 80px, 240px"/><img src="/media/images/${FILE}"`,
    );
    const [, png = ""] =
      /<svg class="placeholder"[^>]*><image href="data:image\/png;base64,([^"]+)"/.exec(text) ?? [];
    const { data, info } = await sharp(Buffer.from(png, "base64"))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: 8, height: 8, channels: 3 });
    const [red = 0, green = 0, blue = 0] = data;
    expect(red - Math.max(green, blue)).toBeGreaterThan(150);
    expect(headers.get("content-security-policy")).toContain("style-src 'self';");
  });

  it.each<[string, readonly (readonly [string, string])[], string[]]>([
    [
      "any value of a trait",
      [
        ["is:Class", "Mage"],
        ["is:Class", "Rogue"],
      ],
      ["1", "2", "10"],
    ],
    [
      "all traits at once",
      [
        ["is:Class", "Mage"],
        ["is:Shiny", "true"],
      ],
      ["1"],
    ],
    [
      "a range, ends included",
      [
        ["from:Level", "2.5"],
        ["to:Level", "10"],
      ],
      ["1", "10"],
    ],
    ["zero as the end of a range", [["to:Level", "0"]], ["2"]],
    [
      "a day up to its last second",
      [
        ["from:Born", "1970-01-01"],
        ["to:Born", "1970-01-01"],
      ],
      ["1"],
    ],
    ["the empty value of a trait", [["is:Title", ""]], ["10"]],
    ["a text", [["q", "ADAM"]], ["2"]],
    ["a text without the spaces around it", [["q", " adam\u3000"]], ["2"]],
    ["nothing by a text of spaces", [["q", "  "]], ["1", "2", "10", "11"]],
    ["an owner", [["owner", BOB.toUpperCase().replace("0X", "0x")]], ["2"]],
    ["locks", [["locked", "true"]], ["2"]],
    ["no locks", [["locked", "false"]], ["1", "10", "11"]],
    ["an order", [["sort", "name_desc"]], ["1", "10", "2", "11"]],
    ["the order of a trait", [["sort", "trait:Level:asc"]], ["2", "10", "1", "11"]],
    [
      "nothing by fields that are empty or not ours",
      [
        ["q", ""],
        ["from:Level", ""],
        ["utm", "x"],
      ],
      ["1", "2", "10", "11"],
    ],
  ])("filters by %s, as its address says", async (_, fields, ids) => {
    expect(idsOf((await get(at(...fields))).text)).toEqual(ids);
  });

  it("counts beside a value what it would bring, and beside all others what matches now", async () => {
    const panel = async (...fields: readonly (readonly [string, string])[]) => {
      const { text } = await get(at(...fields));
      const count = (name: string, value: string): string | undefined =>
        new RegExp(`name="is:${name}" value="${value}"[^>]*>.*?class="count">([^<]*)<`, "s").exec(text)?.[1];
      return [
        count("Class", "Mage"),
        count("Class", "Rogue"),
        count("Shiny", "true"),
        count("Shiny", "false"),
      ];
    };

    expect(await panel()).toEqual(["2", "1", "1", "1"]);
    expect(await panel(["is:Class", "Mage"])).toEqual(["2", "1", "1", "0"]);
    expect(await panel(["is:Class", "Mage"], ["is:Shiny", "true"])).toEqual(["1", "0", "1", "0"]);
  });

  it("names each filter in use, and leads to the page without it", async () => {
    const { text } = await get(at(["is:Class", "Mage"], ["from:Level", "1"], ["locked", "false"]));

    const chips = [...text.matchAll(/<a class="chip" href="([^"]*)">(.*?)<\/a>/gs)].map(
      ([, href = "", body = ""]) => [
        seen(body).replace("×", "").trim(),
        new URL(href.replaceAll("&amp;", "&"), "http://x").search,
      ],
    );
    expect(chips).toEqual([
      ["Remove Class Mage", "?from%3ALevel=1&locked=false"],
      ["Remove Level 1 or more", "?is%3AClass=Mage&locked=false"],
      ["Remove Unlocked", "?is%3AClass=Mage&from%3ALevel=1"],
    ]);
  });

  it("says which filters it does not understand, and goes by the rest", async () => {
    const { status, text } = await get(
      at(
        ["owner", "zz"],
        ["from:Level", "high"],
        ["locked", "perhaps"],
        ["sort", "by_luck"],
        ["is:Class", "Mage"],
      ),
    );

    expect([status, idsOf(text)]).toEqual([400, ["1", "10"]]);
    for (const problem of [
      'owner: "zz" is not an address',
      'from:Level: "high" is neither a number nor a day',
      'locked: must be true or false; it is "perhaps"',
      "sort: must be id_asc",
    ])
      expect(seen(text)).toContain(problem);
  });

  it("says that nothing matches, and how to go on", async () => {
    const { text } = await get(at(["q", "nobody"]));
    expect(seen(text)).toMatch(/0 tokens No tokens match these filters\. Clear the filters/);
  });

  it("is in one place: an address with capitals leads to it, filters kept", async () => {
    const { status, headers } = await get(
      at(["q", "x"]).replace(COLLECTION, COLLECTION.toUpperCase().replace("0X", "0x")),
    );
    expect([status, headers.get("location")]).toEqual([301, `${HEROES}?q=x`]);
  });

  it.each([
    `${HEROES}/?q=x`,
    "/collections/",
    `${HEROES}/1/`,
    `${HEROES}/owners//`,
    `/search/?q=x`,
    `/wallets/0x${"a1".repeat(20)}/`,
  ])("is in one place: %s leads to it", async (path) => {
    const { status, headers } = await get(path);
    const [place = "", query] = path.split("?");
    const there = place.replace(/\/+$/, "") + (query ? `?${query}` : "");
    expect([status, headers.get("location")]).toEqual([301, there]);
    expect((await get(path, { method: "HEAD" })).status).toBe(301);
    expect((await get(there)).status).toBe(200);
  });

  it("depends on the visitor's cookies and language, and says so to caches", async () => {
    const vary = (await get(HEROES)).headers.get("vary") ?? "";
    expect(vary.split(/,\s*/)).toEqual(expect.arrayContaining(["Cookie", "Accept-Language"]));
  });

  it("shows tokens of nobody else: a wallet without any has none", async () => {
    expect(idsOf((await get(at(["owner", `0x${"9".repeat(40)}`]))).text)).toEqual([]);
    expect(idsOf((await get(at(["owner", ALICE]))).text)).toEqual(["1", "10", "11"]);
  });
});

describe("a collection of many tokens", () => {
  const many = Array.from({ length: 53 }, (_, index) => String(1_000 + index));

  it("is read to its end by the links of its pages, each token once, while others are minted", async () => {
    for (const tokenId of many) await world.mint(tokenId);
    const ids: string[] = [];
    let path: string | undefined = at(["from:Level", "0"], ["sort", "id_desc"]).replace(
      "from%3ALevel=0&",
      "",
    );
    for (let pages = 0; path !== undefined && pages < 10; pages++) {
      const { text } = await get(path);
      ids.push(...idsOf(text));
      path = /<a class="button" rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
      await world.mint(String(9_000 + pages));
    }

    expect(path).toBeUndefined();
    expect(ids).toEqual([...many.toReversed(), "11", "10", "2", "1"]);
  });

  it("answers the next tokens alone when the script asks for them", async () => {
    const { text } = await get(`${HEROES}?part=tokens`);
    expect(idsOf(text)).toHaveLength(24);
    expect(text).not.toContain("<html");
    expect(text).not.toContain('id="facets"');
  });
});

it.each([
  "from:Born=0x5FBDB2315678AFECB367F032D93F642F64180AA3&to:Born=2021-04-13",
  "to:Born=9223372036854775807",
  "from:Born=1e300",
  "from:Level=1e999&to:Level=-1e999",
  "sort=constructor&is:__proto__=constructor&locked=toString",
  "q=%00&owner=%5C&cursor=%00",
])("answers an address that nobody would write: %s", async (query) => {
  expect([200, 400]).toContain((await get(`${HEROES}?${query}`)).status);
});

it.each([
  "before=4294967296",
  "before=__proto__",
  "transfers=9999999999",
  "part=constructor&notice=toString",
])("answers an address of a token that nobody would write: %s", async (query) => {
  expect((await get(`${HEROES}/1?${query}`)).status).toBe(200);
});

it("says so while the index is still being built", async () => {
  expect(seen((await get(HEROES)).text)).not.toContain("still being built");

  await world.test.setHead({ chainId: CHAIN_ID, block: 100, ready: false });
  const pages = [await get(HEROES), await get(`${HEROES}/1`)];
  await world.test.setHead({ chainId: CHAIN_ID, block: 100 });

  for (const { text } of pages) expect(seen(text)).toContain("The index of this chain is still being built.");
});
