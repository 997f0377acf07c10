/** The pages around the console and the operator's own, in the states that show each of their texts. */

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createTestDatabase } from "../../support/database/database.ts";
import { BASE_URL, createTestApp } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { createTraitsHarness, number, text } from "../metadata/traits-harness.ts";
import { createVisitor } from "./visitor.ts";

const HEROES = `31337:${COLLECTION}`;
const LINK = `/console/login/vl_${"0".repeat(64)}`;
const TABS = ["/overview", "", "/apps", "/collections", "/refreshes", "/hosts", "/traits", "/audit"];

export interface ShownPage {
  readonly name: string;
  readonly status: number;
  readonly text: string;
}

/** Every page, as one who prefers `language` sees it. */
export async function createOperatorWorld(language?: string) {
  const test = await createTestDatabase();
  const { database } = test;
  const api = createTestApp(test);
  const stranger = createVisitor(api, "198.51.100.1", BASE_URL, language);
  const operator = createVisitor(api, "198.51.100.2", BASE_URL, language);
  const partner = createVisitor(api, "198.51.100.3", BASE_URL, language);

  async function fill(): Promise<void> {
    await partner.signIn(privateKeyToAccount(generatePrivateKey()));
    const path = await partner.createApp("Studio");
    await operator.createApp("Own");
    await database.query("update vitrine.app set collections = $1 where name = 'Studio'", [[HEROES]]);
    await test.setHead({ chainId: 31337, block: 1_000 });
    const { record } = createTraitsHarness(test);
    await record("1", [text("Power Level", "five")]);
    await record("2", [number("Power Level", 5)]);
    for (const [kind, fields] of [
      ["api", { subject: "market" }],
      ["host", { pattern: "cdn.example", collection: HEROES }],
      ["display-type", { collection: HEROES, trait_type: "Power Level", display_type: "number" }],
    ] as const)
      await partner.post(`${path}/permissions/ask/${kind}`, fields);
    await operator.post("/console/operator/hosts", { pattern: "a.example", collection: "" });
    await operator.post("/console/operator/hosts", { pattern: "*.b.example:8443", collection: HEROES });
    await operator.post("/console/operator/refreshes", { collection: HEROES });
    await partner.post(`${path}/collections/31337/${COLLECTION}`, {
      do: "save",
      name: "Heroes",
      description: "Brave",
      creator_name: "Village",
      group_name: "Wear",
      group_traits: "Hat",
    });
    await database.query(
      `insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read, known, passed, counted)
       values (31337, $1, 0, 9, 1, false, 2000, 1500, 9)`,
      [COLLECTION],
    );
    await database.query(
      `insert into vitrine.host (host, failures, paused_until, reason)
       select n || '.example', 9, '2099-01-01', 'timeout' from generate_series(1, 5) as n`,
    );
    await database.query(
      `insert into vitrine.media (kind, url_hash, url, host, status, reason)
       select 'image', decode(md5(n::text), 'hex'), 'https://i.example/' || n, 'i.example', 'rejected', 'image_too_small'
         from generate_series(1, 5) as n`,
    );
    await database.query(
      `insert into vitrine.refresh (chain_id, collection, token_id, wanted, priority, trigger, waiting_since)
       values (31337, $1, 1, 1, 30, 'api', now() - interval '20 minutes')
       on conflict (chain_id, collection, token_id) do update set wanted = 1, done = 0, waiting_since = excluded.waiting_since`,
      [COLLECTION],
    );
  }

  /** More rows than a page shows. */
  async function overfill(): Promise<void> {
    await database.query(
      `with app as (
         insert into vitrine.app (id, name, tier, apis, collections)
         select gen_random_uuid(), 'App ' || n, tier, apis, '{}' from vitrine.app, generate_series(1, 120) as n
          where name = 'Studio' returning id)
       insert into vitrine.access_request (id, app_id, kind, subject)
       select gen_random_uuid(), id, 'api', 'market' from app`,
    );
    await database.query("update vitrine.app set collections = $1", [[HEROES]]);
    await database.query(
      `insert into vitrine.audit (actor, action, subject) select 'operator', 'x', 'y' from generate_series(1, 120)`,
    );
  }

  async function pages(
    visitor: ReturnType<typeof createVisitor>,
    state: string,
    paths: readonly string[],
  ): Promise<ShownPage[]> {
    const shown: ShownPage[] = [];
    for (const path of paths) shown.push({ name: `${state} ${path}`, ...(await visitor.get(path)) });
    return shown;
  }
  const ofOperator = (state: string, visitor = operator) =>
    pages(
      visitor,
      state,
      TABS.map((tab) => `/console/operator${tab}`),
    );

  return {
    api,
    database,
    stranger,
    operator,
    partner,

    /** Before anybody signs in. */
    ofStrangers: () =>
      pages(stranger, "stranger", [
        "/console/sign-in",
        "/console/sign-in?done=sessions_ended",
        LINK,
        "/reference",
        "/graphql",
      ]),

    /** Errors, by what causes them. */
    async ofErrors(): Promise<ShownPage[]> {
      const foreign = createVisitor(api, "198.51.100.4", "https://evil.example", language);
      const away = createTestApp(test);
      const late = createVisitor(away, "198.51.100.5", BASE_URL, language);
      await late.signInAsOperator();
      away.sessions.find = () => Promise.reject(Object.assign(new Error("away"), { code: "ECONNREFUSED" }));
      const broken = createTestApp(test);
      const unlucky = createVisitor(broken, "198.51.100.6", BASE_URL, language);
      broken.sessions.find = () => Promise.reject(new Error("a fault"));
      unlucky.cookie = operator.cookie;
      const stubborn = createVisitor(api, "198.51.100.7", BASE_URL, language);
      const wrong = await stubborn.post(LINK);
      for (let attempt = 0; attempt < 9; attempt++) await stubborn.post(LINK);
      return [
        { name: "wrong link", ...wrong },
        { name: "too many wrong links", ...(await stubborn.post(LINK)) },
        { name: "no page", ...(await operator.get("/console/nothing")) },
        { name: "not an operator", ...(await partner.get("/console/operator")) },
        { name: "no session", ...(await stranger.post("/console/apps", { name: "X" })) },
        { name: "another site", ...(await foreign.post("/console/apps", { name: "X" })) },
        { name: "no database", ...(await late.get("/console")) },
        { name: "a fault", ...(await unlucky.get("/console")) },
        { name: "too much", ...(await operator.post("/console/apps", { name: "x".repeat(70_000) })) },
      ];
    },

    /** The operator's tabs, from an empty service to one with more than a page shows. */
    async ofOperators(): Promise<ShownPage[]> {
      // An application of its own: one remembers its counts of pictures for some seconds.
      const empty = createVisitor(createTestApp(test), "198.51.100.2", BASE_URL, language);
      await empty.signInAsOperator();
      const quiet = await ofOperator("quiet", empty);
      operator.cookie = empty.cookie;
      await fill();
      const filled = await ofOperator("filled");
      const refused = await operator.post("/console/operator/hosts", {
        pattern: "https://x/",
        collection: "",
      });
      const found = await pages(operator, "filled", [
        "/console/operator/apps?q=studio",
        "/console/operator/apps?q=nothing",
      ]);
      await overfill();
      return [
        ...quiet,
        ...filled,
        ...found,
        { name: "refused host", ...refused },
        ...(await ofOperator("overfilled")),
      ];
    },

    /** The console's start, with each message after a form. */
    afterForms: (names: readonly string[]) =>
      pages(
        operator,
        "after a form",
        names.map((name) => `/console?done=${name}`),
      ),
  };
}
