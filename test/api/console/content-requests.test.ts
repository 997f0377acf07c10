/** Requests of apps about their collections' content, and the operator's decisions. */

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_COLLECTION } from "../../support/processes/app.ts";
import { COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { createTraitsHarness, number, text } from "../metadata/traits-harness.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const { record } = createTraitsHarness(test);
const NAME = `31337:${COLLECTION}`;

let partner: Visitor;
let operator: Visitor;
let path: string;

beforeEach(async () => {
  await emptyTables(database);
  await database.query(
    "truncate vitrine.app, vitrine.rate_limit, vitrine.session, vitrine.audit, vitrine.allowed_host cascade",
  );
  partner = createVisitor(api);
  await partner.signIn(privateKeyToAccount(generatePrivateKey()));
  operator = createVisitor(api);
  await operator.signInAsOperator();
  path = await partner.createApp("Studio");
  await database.query("update vitrine.app set collections = $1", [[NAME]]);
});

const askHost = (fields: Record<string, string>) => partner.post(`${path}/permissions/ask/host`, fields);
const askType = (fields: Record<string, string>) =>
  partner.post(`${path}/permissions/ask/display-type`, fields);
/** Follows the first button of this kind in the operator's queue. */
async function decide(verb: "approve" | "refuse") {
  const { text: page } = await operator.get("/console/operator");
  return operator.post(new RegExp(`action="([^"]+/${verb})"`).exec(page)?.[1] ?? "/none");
}
const actions = async () =>
  (await database.query<{ action: string }>("select action from vitrine.audit order by id")).map(
    ({ action }) => action,
  );
const hosts = () => database.query("select pattern, collection from vitrine.allowed_host");
const outcome = ({ location }: { location: string | null }) => location?.split("done=")[1];

describe("a host", () => {
  it("is requested by the app that has the collection, and allowed for it by the operator's approval", async () => {
    expect(outcome(await askHost({ pattern: " CDN.example ", collection: NAME }))).toBe("requested");
    expect(outcome(await askHost({ pattern: "cdn.example", collection: NAME }))).toBe("already_requested");
    const queue = (await operator.get("/console/operator")).text
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ");
    expect(queue).toContain(`Host cdn.example for ${NAME}`);
    expect(await hosts()).toEqual([]);

    expect(outcome(await decide("approve"))).toBe("approved");

    expect(await hosts()).toEqual([{ pattern: "cdn.example", collection: NAME }]);
    expect((await actions()).slice(-3)).toEqual(["requests.create", "allowlist.add", "requests.approve"]);
    expect((await partner.get(`${path}/permissions`)).text).toMatch(/cdn\.example for .*?approved/s);
    expect(outcome(await askHost({ pattern: "cdn.example", collection: NAME }))).toBe("host_allowed_already");
  });

  it("stays refused when the operator refuses it, and may be requested again", async () => {
    await askHost({ pattern: "*.cdn.example:8443", collection: NAME });
    expect(outcome(await decide("refuse"))).toBe("refused");

    expect(await hosts()).toEqual([]);
    expect((await actions()).at(-1)).toBe("requests.refuse");
    expect(outcome(await askHost({ pattern: "*.cdn.example:8443", collection: NAME }))).toBe("requested");
  });

  it.each([
    [{ pattern: "https://cdn.example/x", collection: NAME }, "&quot;https://cdn.example/x&quot; is not host"],
    [{ pattern: "", collection: NAME }, "&quot;&quot; is not host"],
    [{ pattern: "cdn.example" }, "collection is not one of this app"],
    [{ pattern: "cdn.example", collection: `2020:${FAR_COLLECTION}` }, "collection is not one of this app"],
    [{ pattern: "cdn.example", collection: "all" }, "collection is not one of this app"],
  ])("is refused as %j, by name", async (fields, message) => {
    const answer = await askHost(fields as Record<string, string>);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(message)]);
    expect((await operator.get("/console/operator")).text).toContain("No pending requests");
  });

  it("is corrected in the form, which keeps what was typed; the page stays live", async () => {
    await database.query("update vitrine.app set collections = $1", [[NAME, `2020:${FAR_COLLECTION}`]]);
    const { text } = await askHost({ pattern: "cdn example", collection: `2020:${FAR_COLLECTION}` });

    expect(text).toMatch(/<input [^>]*value="cdn example"[^>]*aria-invalid="true"/);
    expect(text).toContain(`<option value="2020:${FAR_COLLECTION}" selected="">`);
    expect(text).toContain(`data-live-url="${path}/permissions"`);
  });

  it("is requested at most fifty times at once by an app", async () => {
    await database.query(
      `insert into vitrine.access_request (id, app_id, kind, subject)
       select gen_random_uuid(), id, 'host', n || '.example ' || $1 from vitrine.app, generate_series(1, 50) as n`,
      [NAME],
    );
    const answer = await askHost({ pattern: "cdn.example", collection: NAME });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("the limit is 50")]);
  });

  it("is requested at most fifty times by an app, though all are sent at once", async () => {
    await database.query(
      `insert into vitrine.access_request (id, app_id, kind, subject)
       select gen_random_uuid(), id, 'host', n || '.example ' || $1 from vitrine.app, generate_series(1, 48) as n`,
      [NAME],
    );
    const answers = await Promise.all(
      ["a", "b", "c", "d", "e"].map((name) => askHost({ pattern: `${name}.example`, collection: NAME })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 303, 400, 400, 400]);
    expect(await database.query("select from vitrine.access_request")).toHaveLength(50);
  });

  it("is decided once, whoever is first", async () => {
    await askHost({ pattern: "cdn.example", collection: NAME });
    const { text: page } = await operator.get("/console/operator");
    const at = /action="([^"]+)\/approve"/.exec(page)?.[1];
    const decisions = await Promise.all([
      operator.post(`${at}/approve`),
      operator.post(`${at}/refuse`),
      operator.post(`${at}/approve`),
    ]);
    const outcomes = decisions.map(outcome);
    expect(outcomes.filter((each) => each === "decided_before")).toHaveLength(2);
    expect(await hosts()).toHaveLength(outcomes.includes("approved") ? 1 : 0);
    expect((await partner.post(`${at}/approve`)).status).toBe(404);
  });
});

describe("a display type", () => {
  const conflict = { collection: NAME, trait_type: "Power Level", display_type: "number" };
  beforeEach(async () => {
    await record("1", [text("Power Level", "five")]);
    await record("2", [number("Power Level", 5)]);
  });
  const known = () =>
    database.query(
      "select trait_type, display_type from vitrine.trait_type where trait_type = 'Power Level'",
    );

  it("is requested where entries are hidden, and changed by the operator's approval", async () => {
    expect((await partner.get(`${path}/permissions`)).text).toContain("Request Power Level as number");
    expect(outcome(await askType(conflict))).toBe("requested");
    expect((await partner.get(`${path}/permissions`)).text).not.toContain("Request Power Level as number");

    expect(outcome(await decide("approve"))).toBe("approved");

    expect(await known()).toEqual([{ trait_type: "Power Level", display_type: "number" }]);
    expect((await actions()).slice(-2)).toEqual(["traits.approve", "requests.approve"]);
  });

  it("of a long name is requested up to 2,500 bytes with its collection; more are refused by that limit", async () => {
    const askFor = async (bytes: number) => {
      const rest = bytes - Buffer.byteLength(`number ${NAME} `);
      // Not to be compressed: each character once.
      const name = String.fromCodePoint(
        ...Array.from({ length: Math.floor(rest / 3) }, (_, nth) => 0x4e00 + nth * 7),
      ).concat("x".repeat(rest % 3));
      await record("3", [text(name, "five")]);
      await record("4", [number(name, 5)]);
      return askType({ ...conflict, trait_type: name });
    };

    expect(outcome(await askFor(2_500))).toBe("requested");
    const refused = await askFor(2_501);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining("has 2501 bytes; the limit is 2500"),
    ]);
  });

  it("changes nothing once no entry has it any more, and says so", async () => {
    await askType(conflict);
    await record("2", [text("Power Level", "six")]);

    expect(outcome(await decide("approve"))).toBe("outdated");
    expect(await known()).toEqual([{ trait_type: "Power Level", display_type: "string" }]);
    expect((await partner.get(`${path}/permissions`)).text).toMatch(/Power Level as number for .*?refused/s);
  });

  it("is refused that no hidden entry has", async () => {
    const answer = await askType({ ...conflict, display_type: "date" });
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining("is not one that a hidden entry"),
    ]);
  });
});
