import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createTestApp, FAR_CHAIN_ID, type Sent } from "../../support/processes/app.ts";
import { createWorkerSetup } from "../../support/processes/worker.ts";
import {
  CHAIN_ID,
  COLLECTION,
  emptyTables,
  failed,
  found,
  readQueue,
} from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const setup = createWorkerSetup(test);
const NAME = `31337:${COLLECTION}`;
const admin = (path = "", sent: Sent = {}) =>
  api.call(`/admin/refreshes${path}`, { ...sent, headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } });
const request = (body: object) => admin("", { body: { collection_address: COLLECTION, ...body } });
const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate vitrine.audit, ${test.tables.tokenState}`);
  api.existing.clear();
  for (const id of ["1", "2", "3"]) api.existing.add(id);
});

describe("POST /admin/refreshes", () => {
  it("queues distinct tokens before everything else and leaves an audit row", async () => {
    const { status, body } = await request({ token_ids: ["3", "1", "3"] });

    expect(status).toBe(200);
    expect(body).toEqual({ refresh_id: expect.any(String), collection: NAME, token_count: 2 });
    expect(await readQueue(database)).toMatchObject([
      { tokenId: "1", trigger: "operator", priority: 30 },
      { tokenId: "3", trigger: "operator", priority: 30 },
    ]);
    expect(await database.query("select actor, action, subject, detail from vitrine.audit")).toEqual([
      {
        actor: "operator",
        action: "refreshes.request",
        subject: NAME,
        detail: { refresh_id: body.refresh_id, token_count: 2, accept: false },
      },
    ]);
  });

  it("answers by an id in upper case as by that in lower case", async () => {
    const { body } = await request({ token_ids: ["1"] });
    const progress = await admin(`/${body.refresh_id.toUpperCase()}`);

    expect(progress.status).toBe(200);
    expect(progress.body).toEqual((await admin(`/${body.refresh_id}`)).body);
  });

  it("takes ten thousand tokens, and says how many are too many", async () => {
    const long = (2n ** 256n - 1n - 10_000n).toString().slice(0, -5);
    const many = ids(10_000).map((id) => `${long}${id.padStart(5, "0")}`);

    for (const id of many) api.existing.add(id);

    const { status, body } = await request({ token_ids: many });
    expect(status).toBe(200);
    expect((await admin(`/${body.refresh_id}`)).body.tokens).toMatchObject({ waiting: 10_000 });

    const { body: refusal } = await request({ token_ids: ids(10_001) });
    expect(refusal.details).toEqual([{ path: "token_ids", message: "has 10001 ids; the limit is 10000" }]);
  });

  it("says at once of tokens that are not fetched why", async () => {
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId: 2n,
      standard: "erc721",
      burned: true,
      burnedBlock: 12n,
      lockCount: 0,
    });

    const { body } = await request({ token_ids: ["1", "2", "9"] });

    expect((await readQueue(database)).map(({ tokenId }) => tokenId)).toEqual(["1"]);
    expect(
      await database.query(
        "select token_id::text as id, status, reason from vitrine.receipt_token where receipt_id = $1 order by position",
        [body.refresh_id],
      ),
    ).toEqual([
      { id: "1", status: null, reason: null },
      { id: "2", status: "not_found", reason: "burned: in block 12" },
      { id: "9", status: "not_found", reason: "the contract has no such token" },
    ]);
  });

  it.each([
    ["no id at all, which is no whole collection", { token_ids: [] }, "token_ids"],
    ["an id that is none", { token_ids: ["1", "x"] }, "token_ids[1]"],
    ["a chain that is not served", { chain_id: 5 }, "chain_id"],
    ["an address that is none", { collection_address: "0x1" }, "collection_address"],
    ["a member that nobody knows", { tokens: ["1"] }, ""],
    ["words for accept", { accept: "yes" }, "accept"],
  ])("refuses %s by the field's name", async (_what, body, path) => {
    const answer = await request(body);

    expect(answer.status).toBe(400);
    expect(answer.body.details).toContainEqual({ path, message: expect.any(String) });
    expect(await database.query("select from vitrine.sweep")).toEqual([]);
  });

  it("goes to the collection with the slug", async () => {
    expect((await request({ collection_address: "heroes" })).body.collection).toBe(NAME);
    expect((await request({ collection_address: "villains" })).status).toBe(404);
  });

  it("goes to the chain it names", async () => {
    const { body } = await request({ token_ids: ["1"], chain_id: FAR_CHAIN_ID });

    expect(body.collection).toBe(`${FAR_CHAIN_ID}:${COLLECTION}`);
  });

  it("serves a less complete document only where the operator accepts it", async () => {
    let document: object = { name: "Hero", image: "https://img.example/1.png" };
    const { worker } = setup.start(() => found(document));
    await setup.knowTokens("1");
    const end = async (body: object) => {
      await database.query("update vitrine.refresh set not_before = now(), last_started_at = null");
      const { body: requested } = await request({ token_ids: ["1"], ...body });
      worker.wake();
      return eventually(
        async () => (await admin(`/${requested.refresh_id}`)).body,
        ({ done }) => done,
      );
    };

    expect((await end({})).tokens).toMatchObject({ updated: 1 });
    document = { name: "Hero without a picture" };
    expect((await end({})).failures).toMatchObject([{ code: "incomplete_document", tokens: 1 }]);
    expect((await end({ accept: true })).tokens).toMatchObject({ updated: 1, failed: 0 });
  });
});

describe("GET /admin/refreshes/{refresh_id}", () => {
  it("counts the ends, failures by reason with one token each, until nothing waits", async () => {
    await setup.knowTokens(...ids(6));
    const { worker } = setup.start(({ tokenId }) =>
      tokenId === "99"
        ? failed("token_reverted")
        : Number(tokenId) < 3
          ? failed("unsupported_scheme")
          : found({ name: tokenId, image: "https://img.example/1.png" }),
    );
    const { body } = await request({ token_ids: [...ids(5), "99"] });
    worker.wake();

    const progress = await eventually(
      async () => (await admin(`/${body.refresh_id}`)).body,
      ({ done }) => done,
    );

    expect(progress).toEqual({
      refresh_id: body.refresh_id,
      collection: NAME,
      created_at: expect.stringMatching(/Z$/),
      done: true,
      tokens: { waiting: 0, updated: 2, unchanged: 0, failed: 3, not_found: 1 },
      failures: [
        {
          code: "unsupported_scheme",
          tokens: 3,
          example: { token_id: "0", reason: "unsupported_scheme: so it was" },
        },
      ],
      sweep: null,
    });
  });

  it("reports a partner's refresh too, while the operator's own is no partner's", async () => {
    const key = await api.createKey();
    api.existing.add("1");
    const partner = await api.call(`/market-partner/collections/${COLLECTION}/refresh_metadata`, {
      key,
      body: { token_ids: ["1"] },
    });
    const { body: own } = await request({ token_ids: ["1"] });

    expect((await admin(`/${partner.body.refresh_id}`)).body.tokens.waiting).toBe(1);
    expect((await api.call(`/market-partner/refreshes/${own.refresh_id}`, { key })).status).toBe(404);
  });

  it("knows no other ids, and needs the operator's token", async () => {
    const unknown = await admin("/00000000-0000-4000-8000-000000000000");
    expect([unknown.status, unknown.body.details]).toEqual([
      404,
      [{ path: "refresh_id", message: "no such refresh" }],
    ]);
    expect((await admin("/17")).body.details).toMatchObject([{ path: "refresh_id" }]);
    expect((await api.call("/admin/refreshes")).status).toBe(404);
  });
});

describe("GET /admin/refreshes", () => {
  it("shows what waits by urgency, each host with its pause, and what is swept", async () => {
    await request({ token_ids: ["1", "2", "3"] });
    await request({});
    await database.query(`
      update vitrine.refresh set host = 'slow.example' where token_id < 3;
      update vitrine.refresh set lease = gen_random_uuid(), leased_until = now() + interval '9 s' where token_id = 2;
      update vitrine.refresh set priority = 20, trigger = 'event', waiting_since = now() - interval '90 s'
       where token_id = 1;
      insert into vitrine.host (host, failures, paused_until, reason)
      values ('slow.example', 5, now() + interval '1 hour', 'http_status: the host answered 503'),
             ('well.example', 1, null, 'timeout: nothing came')`);

    const { body } = await admin();

    expect(body).toEqual({
      queue: {
        waiting: { request: 2, event: 1, anonymous: 0, background: 0 },
        oldest_seconds: expect.any(Number),
      },
      hosts: [
        {
          host: "slow.example",
          waiting: 1,
          in_flight: 1,
          paused_until: expect.stringMatching(/Z$/),
          reason: "http_status: the host answered 503",
        },
        { host: null, waiting: 1, in_flight: 0, paused_until: null, reason: null },
      ],
      more_hosts: false,
      sweeps: [
        {
          collection: NAME,
          from_token_id: "0",
          to_token_id: (2n ** 256n - 1n).toString(),
          passed: 0,
          known: 0,
          counted: false,
          refresh_id: expect.any(String),
          created_at: expect.stringMatching(/Z$/),
        },
      ],
      more_sweeps: false,
    });
    expect(body.queue.oldest_seconds).toBeGreaterThanOrEqual(90);
  });

  it("counts a recheck from the moment it is due, for the queue and for its host", async () => {
    await request({ token_ids: ["1", "2", "3"] });
    await database.query(`
      update vitrine.refresh set host = case when token_id = 3 then 'quiet.example' else 'busy.example' end;
      update vitrine.refresh set waiting_since = now() + interval '1 hour', priority = 5 where token_id > 1`);

    const { body } = await admin();
    await database.query("update vitrine.refresh set waiting_since = now() where token_id > 1");
    const { body: later } = await admin();

    expect(body.queue.waiting).toMatchObject({ request: 1, background: 0 });
    expect(body.hosts).toMatchObject([{ host: "busy.example", waiting: 1 }]);
    expect(later.queue.waiting).toMatchObject({ request: 1, background: 2 });
    expect(later.hosts).toMatchObject([
      { host: "busy.example", waiting: 2 },
      { host: "quiet.example", waiting: 1 },
    ]);
  });

  it("stays short however many hosts and sweeps there are, and counts no host to the end", async () => {
    await database.query(
      `insert into vitrine.refresh (chain_id, collection, token_id, wanted, priority, trigger, host)
       select 31337, $1, id, 1, 10, 'sweep', case when id < 1200 then '' else 'h' || id end
         from generate_series(1, 1400) id`,
      [COLLECTION],
    );
    await database.query(
      `insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read)
       select 31337, $1, id, id, 1, false from generate_series(1, 60) id`,
      [COLLECTION],
    );

    const { body } = await admin();

    expect([body.hosts.length, body.more_hosts]).toEqual([100, true]);
    expect(body.hosts[0]).toMatchObject({ host: null, waiting: 1_000 });
    expect([body.sweeps.length, body.more_sweeps]).toEqual([50, true]);
    expect(body.queue.waiting.background).toBe(1_400);
  });
});
