/** The developers' pages show no text but that of the visitor's language. */

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { languages } from "../../../src/api/ui/words/languages.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables, found, recordOne, ref } from "../../support/refresh/refresh.ts";
import { marked } from "../../support/words/marked-words.ts";
import { createTraitsHarness, number, text as trait } from "../metadata/traits-harness.ts";
import { seen } from "../pages/world.ts";
import { createVisitor, type Page, type Visitor } from "./visitor.ts";

const SECOND = "xx";
Object.assign(languages, { [SECOND]: marked });
afterAll(() => void Reflect.deleteProperty(languages, SECOND));

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const { record } = createTraitsHarness(test);
const NAME = `${CHAIN_ID}:${COLLECTION}`;

const browser = (from?: string): Visitor => createVisitor(api, from, undefined, SECOND);

let partner: Visitor;
let path: string;
let id: string;

beforeEach(async () => {
  await emptyTables(database);
  await database.query(
    `truncate vitrine.app, vitrine.rate_limit, vitrine.session, vitrine.audit, vitrine.collection_information,
      vitrine.webhook, vitrine.webhook_delivery, vitrine.request_log, vitrine.app_status cascade`,
  );
  partner = browser();
  await partner.signIn(privateKeyToAccount(generatePrivateKey()));
  path = await partner.createApp("Studio");
  id = path.split("/").at(-1) ?? "";
});

const allow = async (apis: readonly string[], collections: readonly string[] | null): Promise<void> => {
  await database.query("update vitrine.app set apis = $2, collections = $3 where id = $1", [
    id,
    apis,
    collections,
  ]);
  api.access.forget();
};

// Names of apps, collections, tiers, APIs, codes and events, what identifies and addresses things, and what is sent.
const ALLOWED =
  /^(?:Vitrine|Studio|Heroes|heroes|vitrine|basic|intermediate|advanced|market|partner|localhost|http|https|example|meta|hooks|UTC|KEY|lock|unlock|GET|POST|Hat|Hats|Blue|Far|Anvil|ERC|test)$/;

const token = (tokenId: bigint) => ({
  chainId: CHAIN_ID,
  collectionAddress: COLLECTION,
  tokenId,
  standard: "erc721",
  owner: `0x${"a1".repeat(20)}`,
  burned: false,
  lockCount: 0,
});

/** What a person or a screen reader reads within the frame. */
function readIn({ text }: Page): string {
  const title = /<title>.*<\/title>/.exec(text)?.[0] ?? "";
  const main = /<main.*<\/main>/s.exec(text)?.[0] ?? "";
  const code = main
    .replace(/<(code|pre)\b.*?<\/\1>/gs, " ")
    .replace(/<bdi>.*?<\/bdi>/gs, " ")
    // The API's own notice, as in its answers.
    .replace(/no token of the collection has a trait type [^<]*/g, " ");
  const attributes = [
    ...code.matchAll(/ (?:aria-label|placeholder|title|alt|data-label|data-say-[\w-]+)="([^"]*)"/g),
  ];
  return `${seen(title)} ${seen(code)} ${seen(attributes.map(([, value]) => value).join(" "))}`.replace(
    /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|vk_\w+|whsec_\S+/g,
    " ",
  );
}

/** The words of a text that no mark surrounds. */
function unmarkedIn(text: string): string[] {
  // Marks may be nested: the innermost goes first.
  let rest = text.replace(/0x[0-9a-f…]+/g, " ");
  for (let before = ""; before !== rest; ) {
    before = rest;
    rest = rest.replace(/⟦[^⟦⟧]*⟧/g, " ");
  }
  return rest.match(/\p{L}{3,}/gu)?.filter((word) => !ALLOWED.test(word)) ?? [];
}

/** That a page is whole and has no text of the first language. */
function check(page: Page, status = 200): Page {
  expect(page.status).toBe(status);
  const text = readIn(page);
  expect(text).toContain("⟦");
  expect(unmarkedIn(text)).toEqual([]);
  return page;
}
const checkAt = async (at: string, visitor = partner): Promise<Page> => check(await visitor.get(at));
const follow = async ({ location }: Page, visitor = partner): Promise<Page> =>
  checkAt((location ?? "").replace(/^https?:\/\/[^/]+/, "").replace(/[?&]done=\w+/, ""), visitor);

describe("the texts of another language are all that is shown of", () => {
  it("the list of apps, and what is wrong with a name", async () => {
    await checkAt("/console");
    for (const name of ["", "x".repeat(101), "<b>", "npx vitrine export", "Studio"])
      check(await partner.post("/console/apps", { name }), 400);
    const other = browser("198.51.100.2");
    await other.signIn(privateKeyToAccount(generatePrivateKey()));
    await checkAt("/console", other);
  });

  it("the Information tab: first steps and keys", async () => {
    await checkAt(path);
    await partner.post(`${path}/permissions/ask/api`, { subject: "market" });
    await checkAt(path);
    await allow(["market"], null);
    const { text } = await checkAt(path);
    const rotate = /action="([^"]+\/rotate)"/.exec(text)?.[1] ?? "";
    await partner.post(rotate, { grace: "3600" });
    const { text: rotated } = await checkAt(path);
    await database.query("update vitrine.api_key set last_used_at = now()");
    await checkAt(path);
    await partner.post(/action="([^"]+\/revoke)"/.exec(rotated)?.[1] ?? "");
    await checkAt(path);
    await database.query("update vitrine.api_key set revoked_at = now(), last_used_at = now()");
    api.access.forget();
    await checkAt(path);
    await database.query("update vitrine.app set owner = null where id = $1", [id]);
    const operator = browser();
    await operator.signInAsOperator();
    await checkAt(path, operator);
  });

  it("the Permissions tab: APIs, collections and requests", async () => {
    await checkAt(`${path}/permissions`);
    await partner.post(`${path}/permissions/ask/api`, { subject: "market" });
    await partner.post(`${path}/permissions/ask/collection`, { subject: NAME });
    await checkAt(`${path}/permissions`);
    await database.query(
      "update vitrine.access_request set decided_at = now(), decided_by = 'tests', is_approved = (kind = 'api')",
    );
    await allow(["market"], [NAME]);
    await record("1", [trait("Hat", "Blue")]);
    await record("2", [number("Hat", 1)]);
    const { text } = await checkAt(`${path}/permissions`);
    expect(text).toContain('name="display_type"');
    await allow([], null);
    const operator = browser();
    await operator.signInAsOperator();
    await checkAt(`${path}/permissions`, operator);
  });

  it("the Collections tab: the form of a collection's information, and its preview", async () => {
    const form = `${path}/collections/${CHAIN_ID}/${COLLECTION}`;
    await checkAt(`${path}/collections`);
    await allow(["market-partner"], [NAME]);
    await checkAt(`${path}/collections`);
    await checkAt(form);
    await test.insert("tokenState", token(1n));
    await record("1", [trait("Hat", "Blue")]);
    const named = { name: "Heroes", group_name: "Hats", group_traits: "Hat" };
    check(await partner.post(form, { ...named, do: "add" }));
    check(await partner.post(form, { ...named, do: "save", version: "old" }), 400);
    await follow(await partner.post(form, { ...named, do: "save", version: "" }));
    await database.query(
      "update vitrine.collection_information set body = replace(body, '\"Hat\"', '\"H\\nat\"')",
    );
    await checkAt(form);
  });

  it("the Requests tab, with its chart", async () => {
    await checkAt(`${path}/requests`);
    await checkAt(`${path}/requests?range=7d&q=nothing`);
    await allow(["market"], null);
    const { text } = await partner.get(path);
    const reveal = /data-key-field="([^"]+)"/.exec(text)?.[1] ?? "";
    const { key } = JSON.parse((await partner.json(reveal, {})).text) as { key: string };
    await api.call("/market/collections", { key });
    await api.usage.flush();
    const { text: shown } = await checkAt(`${path}/requests`);
    expect(shown).toContain('class="chart"');
    await checkAt(`${path}/limits`);
  });

  it("the Limits tab, for the app's owner and for the operator", async () => {
    await checkAt(`${path}/limits`);
    await partner.post(`${path}/limits/ask`, { tier: "advanced" });
    await checkAt(`${path}/limits`);
    const operator = browser();
    await operator.signInAsOperator();
    await checkAt(`${path}/limits`, operator);
  });

  it("the Webhooks tab: the list, a webhook in each state, and its deliveries", async () => {
    const tab = `${path}/webhooks`;
    await checkAt(tab);
    await allow(["market-partner"], [NAME]);
    const created = check(await partner.post(tab, { url: "https://partner.example/hooks" }));
    const hook = /action="([^"]+)\/test"/.exec(created.text)?.[1] ?? "";
    check(await partner.post(`${hook}/rotate`));
    await partner.post(`${hook}/test`);
    const [, resend] = /action="([^"]+\/resend)"/.exec((await checkAt(hook)).text) ?? [];
    await database.query("update vitrine.webhook_delivery set status = 'failed'");
    await partner.post(resend ?? "");
    await checkAt(hook);
    await database.query("update vitrine.webhook set failing_since = now()");
    await checkAt(hook);
    for (const reason of ["requested", "failing", "gone"]) {
      await database.query(
        "update vitrine.webhook set status = 'paused', paused_reason = $1, paused_at = now()",
        [reason],
      );
      await checkAt(hook);
    }
    await checkAt(tab);
  });

  it("the Health tab: counts, the tokens of a cause, and refreshes", async () => {
    const tab = `${path}/health`;
    await checkAt(tab);
    await allow([], [NAME]);
    await database.query(
      `insert into vitrine.token (chain_id, collection, token_id, last_outcome, last_reason)
       select $1, $2, i, 'failed', 'x: 404' from generate_series(1, 60) i`,
      [CHAIN_ID, COLLECTION],
    );
    await database.transaction((tx) =>
      recordOne(
        api.metadata,
        tx,
        ref("61"),
        "rest",
        found({ name: "61" }, { uri: "https://meta.example/61" }),
      ),
    );
    await checkAt(tab);
    await allow(["market-partner"], [NAME]);
    await checkAt(`${tab}?cause=x`);
    for (const tokenId of [3n, 4n]) await test.insert("tokenState", token(tokenId));
    const place = { collection: NAME };
    await follow(await partner.post(`${tab}/refresh`, { ...place, token_ids: "3, 4" }));
    const running = await follow(await partner.post(`${tab}/refresh-collection`, place));
    const refresh = /name="refresh" value="([^"]+)"/.exec(running.text)?.[1] ?? "";
    check(await partner.post(`${tab}/refresh-collection`, place), 409);
    await follow(await partner.post(`${tab}/cancel`, { ...place, refresh }));
  });
});
