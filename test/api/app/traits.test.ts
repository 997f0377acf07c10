import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, type Sent } from "../../support/processes/app.ts";
import { COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";
import { createTraitsHarness, number, text } from "../metadata/traits-harness.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const { record } = createTraitsHarness(test);
const NAME = `31337:${COLLECTION}`;
const admin = (path: string, sent: Sent = {}) =>
  api.call(`/admin/traits/${path}`, { ...sent, headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } });
const approve = (body: object) => admin("approve", { body });
const audit = () =>
  database.query("select actor, action, subject, detail from vitrine.audit where actor = 'operator'");

beforeEach(async () => {
  await emptyTables(database);
  await database.query("truncate vitrine.audit");
  await record("1", [text("Level", "five"), text("Shiny", "yes")]);
  await record("2", [number("Level", 5)]);
  await record("3", [number("Level", 6), { trait_type: "Shiny", display_type: "bool", value: true }]);
});

describe("GET /admin/traits/pending", () => {
  it("lists what is hidden, the oldest conflict first, for all collections or one", async () => {
    const { status, body } = await admin("pending");

    expect(status).toBe(200);
    const entry = { collection: NAME, known_display_type: "string", first_seen_at: expect.any(String) };
    expect(body).toEqual({
      pending: [
        { ...entry, trait_type: "Level", wanted_display_type: "number", tokens: 2, more_tokens: false },
        { ...entry, trait_type: "Shiny", wanted_display_type: "bool", tokens: 1, more_tokens: false },
      ],
      more: false,
    });
    for (const name of [NAME, "heroes", "31337:heroes"])
      expect((await admin(`pending?collection=${name}`)).body).toEqual(body);
    expect((await admin(`pending?collection=2020:${COLLECTION}`)).body).toEqual({ pending: [], more: false });
  });

  it("lists a hundred and says that there are more", async () => {
    const names = Array.from({ length: 101 }, (_, index) => `Trait ${index}`);
    await record(
      "8",
      names.map((name) => text(name, "x")),
    );
    await record(
      "9",
      names.map((name) => number(name, 1)),
    );

    const { body } = await admin("pending");

    expect(body.pending).toHaveLength(100);
    expect(body.more).toBe(true);
  });

  it("counts a thousand tokens of a type, each once, and says that there are more", async () => {
    const hide = (from: number, to: number) =>
      database.query(
        `insert into vitrine.token (chain_id, collection, token_id, traits)
         select 31337, $1, n, (
             select array_agg(v.id) from vitrine.trait_value v join vitrine.trait_type k on k.id = v.trait_type_id
              where k.trait_type = 'Level' and v.display_type = 'number')
           from generate_series($2::int, $3::int) n`,
        [COLLECTION, from, to],
      );
    const counted = async () => {
      const { tokens, more_tokens } = (await admin("pending")).body.pending[0];
      return { tokens, more_tokens };
    };
    // Tokens 2 and 3 have such an entry too.
    await hide(101, 1_098);
    expect(await counted()).toEqual({ tokens: 1_000, more_tokens: false });
    await hide(1_099, 1_099);
    expect(await counted()).toEqual({ tokens: 1_000, more_tokens: true });
  });

  it("answers for every collection while one hides a hundred types of many values", async () => {
    const [types, values, tokens] = [100, 1_200, 2_500];
    await database.query(
      `insert into vitrine.trait_type (chain_id, collection, trait_type, display_type, key)
       select 31337, $1, 'T' || n, 'string', '=T' || n from generate_series(1, ${types}) n`,
      [COLLECTION],
    );
    for (let from = 1; from <= values; from += values / 10)
      await database.query(
        `insert into vitrine.trait_value (trait_type_id, display_type, key, value_text, value_number)
         select k.id, 'number', n, n, n
           from vitrine.trait_type k, generate_series($1::int, $2::int) n where key like '=T%'`,
        [from, from + values / 10 - 1],
      );
    await database.query(
      "insert into vitrine.held_type select id, 'number' from vitrine.trait_type where key like '=T%'",
    );
    for (let from = 1; from <= tokens; from += tokens / 10)
      await database.query(
        `with type as materialized (
           select array_agg(v.id) as ids from vitrine.trait_value v join vitrine.trait_type k on k.id = v.trait_type_id
            where k.key like '=T%' group by k.id)
         insert into vitrine.token (chain_id, collection, token_id, traits)
         select 31337, $1, 10000 + n, (select array_agg(ids[1 + n % ${values}]) from type)
           from generate_series($2::int, $3::int) n`,
        [COLLECTION, from, from + tokens / 10 - 1],
      );
    // As autovacuum does after so many rows.
    await database.query("vacuum analyze vitrine.token, vitrine.trait_value");

    const { status, body } = await admin("pending");

    expect([status, body.pending?.length, body.more]).toEqual([200, 100, true]);
    expect(body.pending.at(-1)).toMatchObject({ tokens: 1_000, more_tokens: true });
  }, 60_000);

  it("refuses a collection that is none or that nobody configured", async () => {
    expect(await admin("pending?collection=z%20z")).toMatchObject({
      status: 400,
      body: { details: [{ path: "collection" }] },
    });
    expect((await admin("pending?collection=0x0000000000000000000000000000000000000001")).status).toBe(404);
  });
});

describe("POST /admin/traits/approve", () => {
  it("changes what every API shows at once, and leaves an audit row", async () => {
    const answer = await approve({ collection: "heroes", trait_type: "Level", display_type: "number" });

    expect(answer).toMatchObject({
      status: 200,
      body: {
        collection: NAME,
        trait_type: "Level",
        display_type: "number",
        previous_display_type: "string",
      },
    });
    const key = await api.createKey();
    const token = await api.call(`/market/collections/${COLLECTION}/tokens/2`, { key });
    expect(token.body.traits).toMatchObject([
      { trait_type: "Level", display_type: "number", value: 5, max_value: 6, count: 1 },
    ]);
    expect(await audit()).toEqual([
      {
        actor: "operator",
        action: "traits.approve",
        subject: NAME,
        detail: { trait_type: "Level", from: "string", to: "number" },
      },
    ]);
  });

  it.each([
    [
      "trait_type",
      { trait_type: "level", display_type: "number" },
      /no token of the collection ever had a trait of type "level"/,
    ],
    ["display_type", { trait_type: "Level", display_type: "string" }, /"Level" is known as string already/],
    [
      "display_type",
      { trait_type: "Level", display_type: "bool" },
      /no token has "Level" as bool; it is known as string, and hidden are entries of number/,
    ],
  ])("answers 404 with what is wrong with %s when that does not wait", async (path, approval, message) => {
    const { status, body } = await approve({ collection: NAME, ...approval });

    expect(status).toBe(404);
    expect(body.details).toEqual([{ path, message: expect.stringMatching(message) }]);
    expect(await audit()).toEqual([]);
  });

  it.each([
    ["collection", { collection: "z z" }],
    ["trait_type", { trait_type: "" }],
    ["display_type", { display_type: "text" }],
  ])("refuses a bad %s by name", async (path, flaw) => {
    const body = { collection: NAME, trait_type: "Level", display_type: "number", ...flaw };

    expect(await approve(body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });

  it("knows a trait type by the text that its document has, whatever PostgreSQL takes", async () => {
    await record("1", [text("a\u0000b", "x")]);
    await record("2", [number("a\u0000b", 1)]);

    const body = { collection: NAME, trait_type: "a\u0000b", display_type: "number" };
    expect((await approve(body)).status).toBe(200);
  });

  it("is nowhere to be found without the operator's token", async () => {
    const body = { collection: NAME, trait_type: "Level", display_type: "number" };

    expect((await api.call("/admin/traits/approve", { body })).status).toBe(404);
    expect((await api.call("/admin/traits/pending")).status).toBe(404);
    expect(await audit()).toEqual([]);
  });
});
