import { beforeEach, describe, expect, it } from "vitest";
import { forgetOldEvents } from "../../../src/api/events/retention.ts";
import { createLockSetup } from "../../support/chain/lock-events.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createEventStream, ids, range } from "../../support/http/event-stream.ts";
import { leaveEarly } from "../../support/http/leave-early.ts";
import { FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const locks = createLockSetup(test);
/** Nobody else reads the log. */
const allRead = async () => Number.MAX_SAFE_INTEGER;
const { api, hub, key, port, read, append } = await createEventStream(test);

beforeEach(() => locks.clear());

describe("a reader", () => {
  it("gets what comes from now on, each event in the same shape, with the key in the header or the query", async () => {
    await append(3);
    const subscribers = [await read(), await read(`?apiKey=${key}`, {})];
    await eventually(
      () => subscribers,
      (all) => all.every(({ lastId }) => lastId === 3),
    );
    await locks.setChain(100, 70);
    await locks.setReady(true);
    await locks.writer().writeBatch();
    await locks.add({ block: 95, token: 2n ** 255n });
    await locks.writer().writeBatch();
    hub.wake();

    for (const subscriber of subscribers) {
      const [event] = await subscriber.until(1);
      expect(event).toEqual({
        id: 4,
        event: "lock",
        data: {
          id: 4,
          type: "lock",
          chain_id: CHAIN_ID,
          collection_address: COLLECTION,
          token_id: String(2n ** 255n),
          at: expect.stringMatching(/^\d{4}-.*Z$/),
          lock_count: 1,
          standard: "erc721x",
          locked: true,
          approved_contract: "0x00000000000000000000000000000000000000c1",
          surplus: false,
          transaction_hash: "0xt95",
          block: 95,
          block_time: "2023-11-14T22:14:55.000Z",
        },
      });
    }
  });

  it("that comes back with its last id gets every event since, once, through whatever is written meanwhile", async () => {
    await append(1_500);
    const first = await read("", { "x-api-key": key, "last-event-id": "0" });
    await first.until(700);
    first.close();
    const last = first.lastId ?? 0;
    const writing = (async () => {
      for (let batch = 0; batch < 20; batch++) await append(100);
    })();
    const second = await read("", { "x-api-key": key, "last-event-id": String(last) });
    await writing;
    await second.until(3_500 - last);

    expect([...ids(first.events), ...ids(second.events)]).toEqual(range(1, 3_500));
  });

  it("may name its last id in the query, and the header comes first", async () => {
    await append(5);

    expect(ids(await (await read("?last_event_id=3")).until(2))).toEqual([4, 5]);
    expect(
      ids(await (await read("?last_event_id=1", { "x-api-key": key, "last-event-id": "4" })).until(1)),
    ).toEqual([5]);
  });

  it("gets what it asked for only, and knows how far it has come all the same", async () => {
    await append(2_100, { type: "metadata" });
    await append(1, { collection: FAR_COLLECTION, chainId: FAR_CHAIN_ID });
    await append(1, { type: "unlock" });
    await append(1, { chainId: FAR_CHAIN_ID });
    const only = (query: string) => read(`${query}&last_event_id=0`);

    const subscribers = await Promise.all([
      only(`?type=unlock,lock&collection_address=${COLLECTION}`),
      only(`?collection_address=${FAR_COLLECTION.toUpperCase().replace("X", "x")}`),
      only(`?chain_id=${FAR_CHAIN_ID}`),
      only("?type=lock"),
    ]);

    const expected = [[2_102], [2_101], [2_101, 2_103], [2_101, 2_103]];
    for (const [index, subscriber] of subscribers.entries())
      expect(ids(await subscriber.until(expected[index]?.length ?? 0))).toEqual(expected[index]);
    await append(1, { type: "metadata" });
    await append(1, { type: "lock" });
    for (const [index, subscriber] of subscribers.entries())
      if (index !== 1 && index !== 2)
        expect(ids(await subscriber.until((expected[index]?.length ?? 0) + 1)).at(-1)).toBe(2_105);
  });

  it("gets `reverted` with what it asked for", async () => {
    await locks.setChain(100, 70);
    await locks.setReady(true);
    await locks.add({ block: 95 });
    await locks.writer().writeBatch();
    const [lockReader, metadataReader] = [
      await read("?type=lock&last_event_id=0"),
      await read("?type=metadata&last_event_id=0"),
    ];
    await locks.revert(95);
    await locks.writer().writeBatch();
    await append(1, { type: "metadata" });

    expect((await lockReader.until(2))[1]).toMatchObject({
      id: 2,
      event: "reverted",
      data: {
        type: "reverted",
        reverts: 1,
        reverted_type: "lock",
        token_id: "1",
        collection_address: COLLECTION,
      },
    });
    expect(ids(await metadataReader.until(1))).toEqual([3]);
  });
});

describe("a last id", () => {
  it("that is too old is answered with `reset`, and so is one that was never given", async () => {
    await append(10);
    await database.query("update vitrine.event set at = now() - interval '8 days' where id <= 6");
    expect(await forgetOldEvents(allRead).run(database)).toBe(6);

    const [tooOld, justKept, unknown] = [
      await read("?last_event_id=5"),
      await read("?last_event_id=6"),
      await read("?last_event_id=11"),
    ];

    expect(await tooOld.until(1)).toEqual([
      { id: 10, event: "reset", data: { reason: "too_old", last_event_id: 5, latest: 10 } },
    ]);
    expect(ids(await justKept.until(4))).toEqual([7, 8, 9, 10]);
    expect(await unknown.until(1)).toMatchObject([{ event: "reset", data: { reason: "unknown_id" } }]);
    await append(1);
    expect(ids(await tooOld.until(2))).toEqual([10, 11]);
  });

  it("stays good where nothing was kept because nothing came", async () => {
    await append(4);
    await database.query("update vitrine.event set at = now() - interval '8 days'");
    await forgetOldEvents(allRead).run(database);

    const subscriber = await read("?last_event_id=4");
    await append(1);

    expect(ids(await subscriber.until(1))).toEqual([5]);
  });

  it("stays good for seven days, also in a log that is younger than that", async () => {
    await append(3);
    await database.query("update vitrine.event set at = now() - interval '6 days', open = (id = 3)");

    expect(await forgetOldEvents(allRead).run(database)).toBe(0);

    expect(ids(await (await read("?last_event_id=0")).until(3))).toEqual([1, 2, 3]);
  });

  const follow = (since: string) =>
    database.query(
      "insert into vitrine.event_feed (chain_id, schema, handled, seen_at) values ($1, 'x', '', now() - $2::interval)",
      [CHAIN_ID, since],
    );

  it("is kept as long as a reorg may revert its event", async () => {
    await append(3);
    await follow("29 days");
    await database.query("update vitrine.event set at = now() - interval '8 days', open = (id = 2)");

    expect(await forgetOldEvents(allRead).run(database)).toBe(1);
  });

  it("is kept no longer than a month after the last index of its chain, which starts anew when it comes back", async () => {
    await append(3);
    await follow("31 days");
    await database.query("update vitrine.event set at = now() - interval '31 days', open = (id = 2)");

    expect(await forgetOldEvents(allRead).run(database)).toBe(3);
    expect(await database.query("select from vitrine.event_feed")).toEqual([]);
  });
});

describe("a request", () => {
  it("names collections by slug too", async () => {
    const refused = await api.call("/market/events?collection_address=nobody", { key });
    expect([refused.status, refused.body.code]).toEqual([404, "COLLECTION_NOT_FOUND"]);
    expect((await read("?collection_address=heroes")).isOpen).toBe(true);
  });

  it.each([
    ["?type=locks", "type[0]"],
    ["?collection_address=0x1", "collection_address[0]"],
    ["?last_event_id=-1", "last_event_id"],
    ["?chain_id=5", "chain_id"],
  ])("that asks for %s is refused, naming it", async (query, path) => {
    const { status, body } = await api.call(`/market/events${query}`, { key });

    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ path }]);
  });

  it("for more types than there are is refused with how many it has", async () => {
    const { body } = await api.call(`/market/events?type=${Array(7).fill("lock").join(",")}`, { key });

    expect(body.details).toEqual([{ path: "type", message: "has 7 entries; the limit is 6" }]);
  });

  it("past an app's 100 streams is refused with when to retry, other apps' are not, and a stream that ends makes room", async () => {
    const busy = { "x-api-key": await api.createKey(["market"], "Busy") };
    const readers = await Promise.all(Array.from({ length: 100 }, () => read("", busy)));

    const refused = await api.call("/market/events", { headers: busy });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    expect(refused.body.details[0].message).toBe("Limit: 100 streams at once per app; retry in 5 s");
    expect((await read()).isOpen).toBe(true);

    readers[0]?.close();
    await eventually(
      () => read("", busy).catch(() => undefined),
      (reader) => reader?.isOpen === true,
    );
  });

  it("whose client leaves before it has begun ends, and makes room", async () => {
    await leaveEarly(port, "/market/events", { "x-api-key": key }, 48);

    await eventually(
      () => hub.size,
      (streams) => streams === 0,
      // A ping, twice a minute, would find them gone too.
      15_000,
    );
  });

  it("for a collection that is not served is refused", async () => {
    const { status } = await api.call(`/market/events?collection_address=${COLLECTION.replace("5f", "6f")}`, {
      key,
    });

    expect(status).toBe(404);
  });
});
