import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { createTraitsHarness, number, text } from "../metadata/traits-harness.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const key = await api.createKey(["market-partner", "market"], "Holder");
const { record } = createTraitsHarness(test);
const path = (address = COLLECTION, query = "") =>
  `/market-partner/collections/${address}/information${query}`;
const put = (body: unknown, address = COLLECTION, query = "") =>
  api.call(path(address, query), { method: "PUT", key, body });
const read = (address = COLLECTION, query = "") => api.call(path(address, query), { key });
const readToken = () => api.call(`/market/collections/${COLLECTION}/tokens/1`, { key });

const full = {
  name: "Heroes of Vitrine",
  slug: "heroes-of_vitrine",
  description: "",
  creator_name: "Studio",
  avatar: "https://img.example/avatar.png",
  banner: "http://img.example/banner.png",
  website: "https://heroes.example",
  discord: "https://discord.example/heroes",
  x: "https://x.example/heroes",
  show_at: "2026-01-31T12:00:00Z",
  tradable_at: "2026-02-01T00:00:00.500Z",
  trait_groups: [
    { name: "Outfit", traits: [{ name: "Hat" }, { name: "Level" }] },
    { name: "Empty", traits: [] },
  ],
};
const nothing = {
  ...Object.fromEntries(Object.keys(full).map((field) => [field, null])),
  trait_groups: [],
};

beforeEach(async () => {
  await emptyTables(database);
  await database.query("truncate vitrine.collection_information, vitrine.audit");
});

describe("collection information", () => {
  it("is null until somebody has written some", async () => {
    expect((await read()).body).toEqual({
      chain_id: CHAIN_ID,
      collection_address: COLLECTION,
      information: null,
      notices: [],
    });
  });

  it("is answered as it was sent, to partners and on the market", async () => {
    await record("1", [text("Hat", "Red"), number("Level", 3)]);

    const { status, body } = await put(full);

    const information = { ...full, updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) };
    expect([status, body.information, body.notices]).toEqual([200, information, []]);
    expect((await read()).body).toEqual(body);
    expect((await api.call(`/market/collections/${COLLECTION}`, { key })).body).toMatchObject({
      // The operator's name and slug take precedence.
      name: "Heroes",
      slug: "heroes",
      information,
    });
  });

  it("names a collection that the operator gave no name", async () => {
    await put({ name: "Far", slug: "far" }, FAR_COLLECTION);

    expect((await api.call(`/market/collections/${FAR_COLLECTION}`, { key })).body).toMatchObject({
      name: "Far",
      slug: "far",
    });
  });

  it("is replaced as a whole: what is left out is no longer served", async () => {
    await put(full);

    const { body } = await put({ name: "Plain", avatar: null });

    expect(body.information).toEqual({ ...nothing, name: "Plain", updated_at: expect.any(String) });
  });

  it("is whole after replacements at once: one of them, as it was sent", async () => {
    const versions = Array.from({ length: 8 }, (_, index) => ({
      ...full,
      name: `Version ${index}`,
      slug: `version-${index}`,
      trait_groups: [{ name: `Group ${index}`, traits: [] }],
    }));

    const answers = await Promise.all(versions.map((version) => put(version)));

    expect(answers.map(({ status }) => status)).toEqual(versions.map(() => 200));
    const { updated_at, ...stored } = (await read()).body.information;
    expect(versions).toContainEqual(stored);
  });

  it("has a later time after each replacement, also if the clock was set back", async () => {
    await put({ name: "Heroes" });
    const [row] = await database.query<{ updatedAt: Date }>(
      `update vitrine.collection_information set updated_at = now() + interval '1 hour' returning updated_at as "updatedAt"`,
    );
    let before = row?.updatedAt.toISOString() ?? "none";
    for (const name of ["First", "Second"]) {
      const { updated_at } = (await put({ name })).body.information;
      expect(updated_at > before, `${updated_at} after ${before}`).toBe(true);
      before = updated_at;
    }
  });

  it("is kept by chain: the same address elsewhere is another collection", async () => {
    await put({ name: "Here" });
    await put({ name: "There" }, COLLECTION, `?chain_id=${FAR_CHAIN_ID}`);

    expect((await read()).body.information.name).toBe("Here");
    expect((await read(COLLECTION, `?chain_id=${FAR_CHAIN_ID}`)).body.information.name).toBe("There");
  });

  it("leaves a row in the audit log for each replacement, with who, when and what", async () => {
    await put(full);
    await put({ name: "" });

    const rows = await database.query("select actor, action, subject, detail, at from vitrine.audit");

    expect(rows).toEqual([
      {
        actor: "app:Holder",
        action: "information.put",
        subject: `${CHAIN_ID}:${COLLECTION}`,
        detail: { name: full.name, slug: full.slug, trait_groups: 2 },
        at: expect.any(Date),
      },
    ]);
  });
});

describe("replacing with If-Match", () => {
  const putIf = (ifMatch: string, name: string, address = COLLECTION) =>
    api.call(path(address), { method: "PUT", key, body: { name }, headers: { "if-match": ifMatch } });
  const tag = async (address = COLLECTION) => (await read(address)).headers.get("etag") ?? "none";
  const nameNow = async () => (await read()).body.information?.name;

  it("takes the tag of the present state, alone, in a list and written as a strong one", async () => {
    const before = await tag();
    expect((await putIf(before, "First")).status).toBe(200);
    expect((await putIf(`"a", ${await tag()} ,W/"b"`, "Second")).status).toBe(200);
    expect((await putIf((await tag()).replace(/^W\//, ""), "Third")).status).toBe(200);
    expect(await nameNow()).toBe("Third");
  });

  it("refuses every other tag with 412, and stores nothing", async () => {
    const first = await tag();
    await put({ name: "Kept" });
    const other = await tag(FAR_COLLECTION);

    for (const stale of ['"stale"', first, other, `W/"a", ${first}`, "", "Kept"]) {
      const { status, body } = await putIf(stale, "Lost");
      expect([stale, status, body]).toEqual([
        stale,
        412,
        {
          message: "Precondition failed",
          code: "PRECONDITION_FAILED",
          request_id: expect.any(String),
          details: [{ path: "if-match", message: "names no current state; read the information again" }],
        },
      ]);
    }
    expect(await nameNow()).toBe("Kept");
    expect(await database.query("select 1 from vitrine.audit where detail->>'name' = 'Lost'")).toEqual([]);
  });

  it("accepts what GET answered, with a change", async () => {
    await put(full);
    const { body, headers } = await read();
    const changed = { ...body.information, description: "Changed" };
    const answer = await api.call(path(), {
      method: "PUT",
      key,
      body: changed,
      headers: { "if-match": headers.get("etag") ?? "" },
    });

    expect(answer.status).toBe(200);
    const { updated_at: before, ...fields } = changed;
    const { updated_at: after, ...stored } = answer.body.information;
    expect(stored).toEqual(fields);
    expect(Date.parse(after)).toBeGreaterThan(Date.parse(before));
    expect(
      await database.query("select body::jsonb ? 'updated_at' as kept from vitrine.collection_information"),
    ).toEqual([{ kept: false }]);
  });

  it("takes * for any state", async () => {
    expect((await putIf("*", "First")).status).toBe(200);
    expect((await putIf(" * ", "Second")).status).toBe(200);
  });

  it("lets one of several writers with the same tag through, of the first record too", async () => {
    for (let round = 0; round < 5; round++) {
      const seen = await tag();
      const answers = await Promise.all([1, 2, 3, 4, 5].map((nth) => putIf(seen, `Writer ${round} ${nth}`)));
      const won = answers.filter(({ status }) => status === 200);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
      expect(await nameNow()).toBe(won[0]?.body.information.name);
    }
  });

  it("has one tag, however the answer is compressed", async () => {
    await put({ ...full, description: "x ".repeat(500), creator_name: "é".repeat(100) });
    const ask = (coding: string) =>
      api.app.request(path(), { headers: { "x-api-key": key, "accept-encoding": coding } });
    const answers = await Promise.all(["identity", "gzip", "br"].map(ask));

    expect(answers.map(({ headers }) => headers.get("content-encoding"))).toEqual([null, "gzip", "br"]);
    expect(new Set(answers.map(({ headers }) => headers.get("etag"))).size).toBe(1);
    expect((await putIf(answers[2]?.headers.get("etag") ?? "", "Next")).status).toBe(200);
  });

  it("comes after the permission and the body", async () => {
    expect((await putIf('"stale"', " ")).status).toBe(400);
    const stranger = await api.call(path(), {
      method: "PUT",
      body: { name: "Lost" },
      headers: { "if-match": '"stale"' },
    });
    expect(stranger.status).toBe(401);
  });
});

describe("trait groups", () => {
  it("are the categories of every token page, from the next answer on", async () => {
    await record("1", [text("Hat", "Red"), text("Aura", "Blue"), number("Level", 3)]);
    await put(full);

    expect((await readToken()).body.property_groups).toEqual([
      { category: "Outfit", traits: ["Hat", "Level"] },
      { category: "Others", traits: ["Aura"] },
    ]);

    await put({ name: "Heroes", trait_groups: [] });
    expect((await readToken()).body.property_groups).toEqual([
      { category: "Traits", traits: ["Aura", "Hat"] },
      { category: "Others", traits: ["Level"] },
    ]);
  });

  it("may name a trait type that no token has, and a notice says so until one has it", async () => {
    await record("1", [number("Level", 3)]);

    const { status, body } = await put(full);

    const notice = {
      path: "trait_groups[0].traits[0].name",
      message: 'no token of the collection has a trait type "Hat"',
    };
    expect([status, body.notices]).toEqual([200, [notice]]);
    await record("2", [text("Hat", "Red")]);
    expect((await read()).body.notices).toEqual([]);
  });

  it("gets no notice for a trait type that one token has, however many more common ones there are", async () => {
    const common = Array.from({ length: 1_000 }, (_, nth) => text(`Common ${nth}`, "yes"));
    for (const tokenId of ["1", "2"]) await record(tokenId, common);
    await record("3", [text("Hat", "Red"), number("Level", 3)]);

    expect((await put(full)).body.notices).toEqual([]);
  });
});

describe("writing information", () => {
  const granted = async (collections: readonly string[] | null): Promise<string> =>
    (
      await api.access.createKey(
        { name: JSON.stringify(collections), apis: ["market-partner"], collections },
        "tests",
      )
    ).key;

  it("takes an app that holds the collection, on that very chain", async () => {
    const body = { name: "Mine" };
    const statusWith = async (grant: readonly string[] | null) =>
      (await api.call(path(), { method: "PUT", key: await granted(grant), body })).status;

    expect(await statusWith([`${CHAIN_ID}:${COLLECTION}`])).toBe(200);
    expect(await statusWith([`${FAR_CHAIN_ID}:${COLLECTION}`, `${CHAIN_ID}:${FAR_COLLECTION}`])).toBe(403);
    expect(await statusWith([])).toBe(403);
    expect((await read()).body.information.name).toBe("Mine");
  });

  it("is refused with every problem of the body, by path, and changes nothing", async () => {
    await put({ name: "Before" });

    const { status, body } = await put({
      name: " ",
      slug: "Not A Slug",
      description: "x".repeat(1_001),
      creator_name: 7,
      avatar: "javascript:alert(1)",
      banner: "https://user:pass@img.example/",
      website: "",
      discord: "https://a b.example/",
      x: ["https://x.example"],
      show_at: "tomorrow",
      tradable_at: "2026-01-31T12:00:00+07:00",
      twitter: "https://x.example",
      trait_groups: [{ name: "A", traits: [{ name: "" }, "Hat", { trait: "Hat" }] }, { name: 1 }, null],
    });

    expect(status).toBe(400);
    const messages = Object.fromEntries(
      body.details.map(({ path: at, message }: { path: string; message: string }) => [at, message]),
    );
    expect(messages).toEqual({
      "": 'has no field "twitter"',
      name: "must not be empty",
      slug: 'must be of a-z, 0-9, - and _; it is "Not A Slug"',
      description: "has 1001 characters; the limit is 1000",
      creator_name: "must be a string; it is a number",
      avatar: 'must be an http or https link without credentials; it is "javascript:alert(1)"',
      banner: 'must be an http or https link without credentials; it is "https://user:pass@img.example/"',
      website: 'must be an http or https link without credentials; it is ""',
      discord: 'must be an http or https link without credentials; it is "https://a b.example/"',
      x: "must be a string; it is an array",
      show_at: 'must be an ISO 8601 time in UTC, such as 2026-01-31T12:00:00Z; it is "tomorrow"',
      tradable_at:
        'must be an ISO 8601 time in UTC, such as 2026-01-31T12:00:00Z; it is "2026-01-31T12:00:00+07:00"',
      "trait_groups[0].traits[0].name": "must not be empty",
      "trait_groups[0].traits[1]": "must be an object; it is a string",
      "trait_groups[0].traits[2].name": "must be a string; it is missing",
      "trait_groups[0].traits[2]": expect.any(String),
      "trait_groups[1].name": "must be a string; it is a number",
      "trait_groups[1].traits": "must be an array; it is missing",
      "trait_groups[2]": "must be an object; it is null",
    });
    expect((await read()).body.information.name).toBe("Before");
  });

  it.each([
    ["another collection has in its information", "taken"],
    ["the operator gave to another collection", "heroes"],
  ])("takes no slug that %s", async (_how, slug) => {
    await put({ name: "Other", slug: "taken" });

    const { status, body } = await put({ name: "Far", slug }, FAR_COLLECTION);

    expect(status).toBe(400);
    expect(body.details).toEqual([{ path: "slug", message: `"${slug}" is the slug of another collection` }]);
    expect((await put({ name: "Again", slug: "taken" })).status).toBe(200);
  });

  it.each(["0x", "0xface", "0x0123456789", FAR_COLLECTION, FAR_COLLECTION.slice(2), "a".repeat(40)])(
    "takes no slug that looks like an address: %s",
    async (slug) => {
      const { status, body } = await put({ name: "Far", slug }, FAR_COLLECTION);

      expect([status, body.details]).toEqual([
        400,
        [
          {
            path: "slug",
            message: `must not look like an address (0x and hex digits, or 40 hex digits); it is "${slug}"`,
          },
        ],
      ]);
    },
  );

  it.each(["face", "0", "0x-1", "0xfacet", "x0", "-", "a".repeat(39), "a".repeat(41), "z".repeat(100)])(
    "gives the collection the slug %s in every path",
    async (slug) => {
      expect((await put({ name: "Far", slug }, FAR_COLLECTION)).status).toBe(200);

      const { body } = await api.call(`/market/collections/${slug}`, { key });
      expect([body.collection_address, body.slug]).toEqual([FAR_COLLECTION, slug]);
    },
  );

  it("frees a slug for others once it is removed", async () => {
    await put({ name: "Other", slug: "moving" });
    await put({ name: "Other", slug: "moved" });

    expect((await put({ name: "Far", slug: "moving" }, FAR_COLLECTION)).status).toBe(200);
    expect((await put({ name: "Far", slug: "moved" }, FAR_COLLECTION)).status).toBe(400);
  });

  it("takes at most 100 groups, 1000 traits in each, and 100 KiB in all", async () => {
    const groups = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `${index}`, traits: [] }));
    const traits = (count: number) => [
      { name: "A", traits: Array.from({ length: count }, (_, index) => ({ name: `${index}` })) },
    ];

    expect((await put({ name: "A", trait_groups: groups(100) })).status).toBe(200);
    expect((await put({ name: "A", trait_groups: groups(101) })).body.details).toEqual([
      { path: "trait_groups", message: "has 101 groups; the limit is 100" },
    ]);
    expect((await put({ name: "A", trait_groups: traits(1_000) })).status).toBe(200);
    expect((await put({ name: "A", trait_groups: traits(1_001) })).body.details).toEqual([
      { path: "trait_groups[0].traits", message: "has 1001 traits; the limit is 1000" },
    ]);
    expect((await put({ name: "x".repeat(100 * 1024) })).status).toBe(413);
  });

  it("says nothing of the size of what is no list or no text", async () => {
    const body = {
      name: Array.from({ length: 5_000 }),
      trait_groups: "x".repeat(5_000),
      slug: { length: 1e9 },
    };

    expect((await put(body)).body.details).toEqual([
      { path: "name", message: "must be a string; it is an array" },
      { path: "slug", message: "must be a string; it is an object" },
      { path: "trait_groups", message: "must be an array; it is a string" },
    ]);
  });

  it("keeps text that PostgreSQL does not take as it is", async () => {
    const { body } = await put({ name: "a\u0000b", trait_groups: [{ name: "\ud800", traits: [] }] });

    expect(body.information).toMatchObject({
      name: "a\uFFFDb",
      trait_groups: [{ name: "\uFFFD", traits: [] }],
    });
  });

  it.each([
    ["a list", []],
    ["nothing", "null"],
    ["a broken body", "{"],
  ])("refuses %s", async (_what, body) => {
    const { status } = await api.call(path(), {
      method: "PUT",
      key,
      body,
      headers: { "content-type": "application/json" },
    });

    expect(status).toBe(400);
  });
});
