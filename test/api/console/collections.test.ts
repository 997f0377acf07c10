/** Editing a collection's information in the console: the form, its groups, and the preview of the page. */

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeEach, describe, expect, it } from "vitest";
import { changeGroups, parseState, stateOf } from "../../../src/api/console/app/information-form.tsx";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createTestApp, FAR_COLLECTION } from "../../support/processes/app.ts";
import { COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const NAME = `31337:${COLLECTION}`;

let partner: Visitor;
let path: string;
let form: string;

beforeEach(async () => {
  await emptyTables(database);
  await database.query(
    "truncate vitrine.app, vitrine.rate_limit, vitrine.session, vitrine.audit, vitrine.collection_information cascade",
  );
  partner = createVisitor(api);
  await partner.signIn(privateKeyToAccount(generatePrivateKey()));
  path = await partner.createApp("Studio");
  await database.query("update vitrine.app set collections = $1, apis = '{market-partner}'", [[NAME]]);
  form = `${path}/collections/31337/${COLLECTION}`;
});

/** Sends the form; a field may be repeated. */
const send = (action: string, fields: Record<string, string>, groups: readonly [string, string][] = []) => {
  const body = new URLSearchParams({ ...fields, do: action });
  for (const [name, traits] of groups) {
    body.append("group_name", name);
    body.append("group_traits", traits);
  }
  return api.call(form, {
    method: "POST",
    body: body.toString(),
    headers: {
      accept: "text/html",
      origin: "http://localhost:42069",
      cookie: partner.cookie,
      "content-type": "application/x-www-form-urlencoded",
    },
  });
};
/** What these are answered, of which none writes before each has come as far as that. */
async function writingAtOnce(sends: readonly (() => ReturnType<typeof send>)[]) {
  const { answers } = await database.transaction(async (tx) => {
    await tx.query("lock table vitrine.collection_information in share mode");
    const answers = Promise.all(sends.map((each) => each()));
    await eventually(
      () =>
        database.query(
          `select from pg_locks join pg_database d on d.oid = database and d.datname = current_database()
            where relation = 'vitrine.collection_information'::regclass and not granted`,
        ),
      ({ length }) => length === sends.length,
    );
    return { answers };
  });
  return answers;
}
const stored = async () =>
  (
    await database.query<{ body: string; by: string }>(
      "select body, updated_by as by from vitrine.collection_information",
    )
  ).map(({ body, by }) => ({ ...JSON.parse(body), by }))[0];
const versionIn = (text: string): string => /name="version" value="([^"]*)"/.exec(text)?.[1] ?? "none";
const seen = (text: string): string => text.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

describe("the form", () => {
  it("shows as many groups as a collection may have, and refuses one more by the limit", async () => {
    const groups = (count: number) =>
      Array.from({ length: count }, (_, nth) => [`G${nth}`, ""] as [string, string]);
    const fields = { name: "Heroes", version: "" };

    for (const action of ["preview", "add"]) {
      const { status, text } = await send(action, fields, groups(100));
      expect([status, text.match(/name="group_name"/g)?.length, text.includes('value="add"')]).toEqual([
        200,
        100,
        false,
      ]);
    }
    for (const action of ["preview", "add", "save"]) {
      const { status, text } = await send(action, fields, groups(101));
      expect([status, text]).toEqual([400, expect.stringContaining("has 101 groups; the limit is 100")]);
      expect(text).not.toContain('name="group_name"');
    }
  });

  it("takes each record that the API takes, though a form needs nine characters for one of three bytes", async () => {
    const names = Array.from({ length: 1_000 }, (_, nth) => `伝説の装備アイテム・英雄の証${nth}`);
    const information = {
      name: "英雄",
      trait_groups: [{ name: "装備", traits: names.map((name) => ({ name })) }],
    };
    const key = await api.createKey(["market-partner"], "REST");
    const put = await api.call(`/market-partner/collections/${COLLECTION}/information`, {
      method: "PUT",
      key,
      body: JSON.stringify(information),
      headers: { "content-type": "application/json" },
    });
    expect(put.status).toBe(200);

    const { text } = await partner.get(form);
    const fields = { name: "英雄", website: "https://heroes.example/", version: versionIn(text) };
    const saved = await send("save", fields, [["装備", names.join("\r\n")]]);

    expect(saved.status).toBe(303);
    expect(await stored()).toMatchObject({ ...information, website: "https://heroes.example/" });
  });

  it("is refused with more than any such record has", async () => {
    const { status, text } = await send("preview", { name: "Heroes", description: "x".repeat(400 * 1024) });
    expect([status, text]).toEqual([413, expect.stringContaining("the limit is 409600 bytes")]);
    const other = await partner.post("/console/apps", { name: "x".repeat(64 * 1024) });
    expect([other.status, other.text]).toEqual([413, expect.stringContaining("the limit is 65536 bytes")]);
  });

  it("is not offered to an app without market-partner, which learns why", async () => {
    const offered = async () => {
      const { text } = await partner.get(form);
      return [text.includes('name="version"'), text.includes("This app lacks the API market-partner")];
    };
    expect(await offered()).toEqual([true, false]);
    await database.query("update vitrine.app set apis = '{market}'");
    expect(await offered()).toEqual([false, true]);
  });

  it.each(["save", "preview"])("is refused to an app without market-partner: %s", async (action) => {
    await database.query("update vitrine.app set apis = '{market}'");

    const answer = await send(action, { name: "Theirs", version: "" });

    expect([answer.status, answer.text]).toEqual([
      403,
      expect.stringContaining("lacks the API market-partner"),
    ]);
    expect(await stored()).toBeUndefined();
  });

  it("is refused if it is multipart that is none, and nothing is saved", async () => {
    const answer = await api.call(form, {
      method: "POST",
      body: "name=Heroes",
      headers: {
        accept: "text/html",
        origin: "http://localhost:42069",
        cookie: partner.cookie,
        "content-type": "multipart/form-data; boundary=x",
      },
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("the body is not a form");
    expect(await stored()).toBeUndefined();
  });

  it("saves what the API takes, in the order of the groups, and shows it again", async () => {
    expect((await partner.get(`${path}/collections`)).text).toContain(`${form}"`);
    const groups = [
      ["Outfit", "Hat\r\n\r\nBoots "],
      ["", ""],
      ["Power", "Level"],
    ] as [string, string][];
    const saved = await send(
      "save",
      { name: "Heroes", website: " https://heroes.example ", version: "" },
      groups,
    );

    expect([saved.status, saved.headers.get("location")]).toEqual([303, `${form}?done=information_saved`]);
    expect(await stored()).toMatchObject({
      name: "Heroes",
      website: "https://heroes.example",
      slug: null,
      trait_groups: [
        { name: "Outfit", traits: [{ name: "Hat" }, { name: "Boots " }] },
        { name: "Power", traits: [{ name: "Level" }] },
      ],
      by: expect.stringMatching(/^0x[0-9a-f]{40}$/),
    });
    const [audit] = await database.query<{ action: string }>(
      "select action, subject from vitrine.audit order by id desc limit 1",
    );
    expect(audit).toEqual({ action: "information.put", subject: NAME });
    const { text } = await partner.get(form);
    expect(text).toContain('value="Outfit"');
    expect(text).toMatch(/<textarea[^>]*>Hat\nBoots <\/textarea>/);
  });

  it("previews the page without saving, and warns of trait types that no token has", async () => {
    const answer = await send(
      "preview",
      {
        name: "Heroes",
        description: "Of <b>old",
        avatar: "https://cdn.example/a.png",
        version: "",
      },
      [["Outfit", "Hat"]],
    );

    expect(answer.status).toBe(200);
    const preview = answer.text.split('class="preview"')[1] ?? "";
    expect(preview).toContain("Of &lt;b&gt;old");
    expect(answer.headers.get("content-security-policy")).toContain(
      "img-src 'self' data: https://cdn.example",
    );
    expect(seen(answer.text)).toContain("no token of the collection has a trait type &quot;Hat&quot;");
    expect(await stored()).toBeUndefined();
  });

  it("sorts, adds and removes groups without script, and keeps what was typed", async () => {
    const groups: [string, string][] = [
      ["A", "1"],
      ["B", "2"],
      ["C", "3"],
    ];
    const order = async (action: string) =>
      [
        ...(await send(action, { name: "Typed", version: "" }, groups)).text.matchAll(
          /name="group_name"[^>]*value="([^"]*)"/g,
        ),
      ]
        .map(([, name]) => name)
        .join("");
    expect(await order("up:1")).toBe("BAC");
    expect(await order("down:1")).toBe("ACB");
    expect(await order("up:0")).toBe("ABC");
    expect(await order("remove:0")).toBe("BC");
    // A group that holds nothing is left out, and is none of those that a button counts.
    groups[0] = ["", ""];
    expect(await order("remove:0")).toBe("BC");
    expect(await order("remove:1")).toBe("C");
    expect(await order("up:2")).toBe("CB");
    expect(await order("down:0")).toBe("BC");
    groups[0] = ["A", "1"];
    expect((await send("add", { name: "Typed", version: "" }, groups)).text).toMatch(/value="Typed"/);
    expect(await stored()).toBeUndefined();
  });

  it("names every wrong field beside it, and saves nothing", async () => {
    const answer = await send(
      "save",
      { name: " ", slug: "No Slug", banner: "javascript:alert(1)", show_at: "tomorrow", version: "" },
      [["", "Hat"]],
    );

    expect(answer.status).toBe(400);
    const shown = seen(answer.text);
    for (const message of [
      "name must not be empty",
      "slug must be of a-z, 0-9, - and _; it is &quot;No Slug&quot;",
      "banner must be an http or https link",
      "show_at must be an ISO 8601 time in UTC",
      "trait_groups[0].name must not be empty",
    ])
      expect(shown).toContain(message);
    expect(answer.text).toContain('id="field-slug-error"');
    expect(answer.text).toContain('id="group-0-error"');
    expect(await stored()).toBeUndefined();
  });

  it("refuses the slug of another collection beside its field", async () => {
    await database.query(
      `insert into vitrine.collection_information (chain_id, collection, body, slug, updated_by)
       values (2020, $1, '{}', 'taken', 'tests')`,
      [FAR_COLLECTION],
    );
    const answer = await send("save", { name: "Heroes", slug: "taken", version: "" });
    expect([answer.status, seen(answer.text)]).toEqual([
      400,
      expect.stringContaining("slug &quot;taken&quot; is the slug of another collection"),
    ]);
  });

  it("does not overwrite what somebody else has saved since, unless it is sent again", async () => {
    await send("save", { name: "First", version: "" });
    const stale = await send("save", { name: "Second", version: "" });
    expect([stale.status, stale.text]).toEqual([400, expect.stringContaining("Somebody else has changed")]);
    expect(await stored()).toMatchObject({ name: "First" });

    expect((await send("save", { name: "Second", version: versionIn(stale.text) })).status).toBe(303);
    expect(await stored()).toMatchObject({ name: "Second" });
  });

  it("saves one of two that are sent at once, and refuses the other as changed by somebody else", async () => {
    for (const round of ["the first record", "a later one"]) {
      const version = versionIn((await partner.get(form)).text);
      const names = [`${round}, from Ada`, `${round}, from Ben`];
      const answers = await writingAtOnce(names.map((name) => () => send("save", { name, version })));

      const saved = answers.findIndex(({ status }) => status === 303);
      const [refused] = answers.filter((_, at) => at !== saved);
      expect([round, ...answers.map(({ status }) => status).toSorted()]).toEqual([round, 303, 400]);
      expect(refused?.text).toContain("Somebody else has changed");
      expect(refused?.text).toContain(`value="${names[1 - saved]}"`);
      expect(versionIn(refused?.text ?? "")).toBe(versionIn((await partner.get(form)).text));
      expect((await stored()).name).toBe(names[saved]);
    }
    const written = await database.query("select from vitrine.audit where action = 'information.put'");
    expect(written).toHaveLength(2);
  });

  it("exists for the app's own collections only", async () => {
    expect((await partner.get(`${path}/collections/2020/${FAR_COLLECTION}`)).status).toBe(404);
    await database.query("update vitrine.app set collections = '{}'");
    expect((await partner.get(form)).status).toBe(404);
    expect((await send("save", { name: "Mine", version: "" })).status).toBe(404);
    expect(seen((await partner.get(`${path}/collections`)).text)).toContain(
      "Prove a collection on the Permissions tab",
    );
    const stranger = createVisitor(api);
    await stranger.signIn(privateKeyToAccount(generatePrivateKey()));
    expect((await stranger.get(`${path}/collections`)).status).toBe(404);
  });
});

describe("the buttons of groups", () => {
  const groups = ["a", "b", "c"].map((name) => ({ name, traits: "" }));
  it.each([
    ["up:2", "acb"],
    ["down:0", "bac"],
    ["down:2", "abc"],
    ["remove:1", "ac"],
    ["up:9", "abc"],
    ["up:-1", "abc"],
    ["up:x", "abc"],
  ])("%s leaves %s", (action, names) => {
    expect(
      changeGroups(groups, action)
        ?.map(({ name }) => name)
        .join(""),
    ).toBe(names);
  });

  it.each(["save", "preview", "", "drop:1"])("are not %j", (action) => {
    expect(changeGroups(groups, action)).toBeUndefined();
  });
});

it("an empty record has an empty form, whose only fault is the name", () => {
  expect(parseState(stateOf(null))).toEqual({
    kind: "invalid",
    details: [{ path: "name", message: "must not be empty" }],
  });
});

it.each([
  ["its name", { name: "Heroes\nof old" }],
  ["its creator's name", { creator_name: "Studio\rSeven" }],
  ["the name of a group", { trait_groups: [{ name: "Out\r\nfit", traits: [{ name: "Hat" }] }] }],
  ["a trait type", { trait_groups: [{ name: "Outfit", traits: [{ name: "H\nat" }] }] }],
])("a record is not edited in a form that would lose a line break: in %s", async (_where, broken) => {
  const record = {
    ...{ name: "Heroes", slug: null, description: null, creator_name: null, avatar: null, banner: null },
    ...{ website: null, discord: null, x: null, show_at: null, tradable_at: null, trait_groups: [] },
    ...broken,
  };
  await database.query(
    "insert into vitrine.collection_information (chain_id, collection, body, updated_by) values (31337, $1, $2, 'tests')",
    [COLLECTION, JSON.stringify(record)],
  );

  const { text } = await partner.get(form);
  expect(text).not.toContain('id="information-form"');
  expect(seen(text)).toContain("contains a line break");
  const { status } = await send("save", { name: "Heroes", version: versionIn(text) });
  expect(status).toBe(400);
  expect(await stored()).toEqual({ ...record, by: "tests" });
});
