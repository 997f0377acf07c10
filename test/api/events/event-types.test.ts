/** One table of the stream's event types serves the stream, its documentation and the page about it. */

import { readFileSync } from "node:fs";
import { z } from "@hono/zod-openapi";
import { beforeEach, describe, expect, it } from "vitest";
import { causeKinds } from "../../../src/api/catalog/module.ts";
import { type EventRow, toStreamEvent } from "../../../src/api/events/event.ts";
import { documentedEvents, eventTypes, eventTypeTable } from "../../../src/api/events/event-types.ts";
import { createLockSetup } from "../../support/chain/lock-events.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createEventStream } from "../../support/http/event-stream.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const root = new URL("../../../", import.meta.url);

it("a refreshed collection's issues are of any kind that its health counts", () => {
  const kindOf = eventTypeTable.collection_refreshed.payload.shape.issues.unwrap().element.shape.kind;
  expect([...kindOf.options].toSorted()).toEqual([...causeKinds].toSorted());
});

const row: EventRow = {
  id: "7",
  at: new Date("2026-01-31T12:00:00Z"),
  type: "lock",
  subject: "lock",
  reverts: null,
  chainId: "1",
  collection: "0xa",
  tokenId: "5",
  source: `1700000095${"0".repeat(15)}1${"0".repeat(14)}95`,
  transactionHash: "0xt",
  standard: null,
  approvedContract: null,
  lockCount: 1,
  anomaly: false,
  version: 3,
  contentHash: "hash",
  payload: null,
};
const every = {
  id: z.literal(7),
  chain_id: z.literal(1),
  collection_address: z.literal("0xa"),
  token_id: z.literal("5"),
  at: z.literal("2026-01-31T12:00:00.000Z"),
};

it.each(eventTypes)("an event of type %s has the documented fields and no others", (type) => {
  const { text } = toStreamEvent({ ...row, type, subject: type }, "https://vitrine.example");

  const [id, event, data = ""] = text.split("\n");
  expect([id, event]).toEqual(["id: 7", `event: ${type}`]);
  const schema = z.strictObject({ ...every, type: z.literal(type), ...eventTypeTable[type].payload.shape });
  expect(schema.safeParse(JSON.parse(data.slice("data: ".length))).error).toBeUndefined();
});

it("docs/trading.md shows the table", () => {
  const docs = readFileSync(new URL("docs/trading.md", root), "utf8");
  const [, table = ""] = /\| Event \| Meaning \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(docs) ?? [];
  expect(table.trim().split("\n")).toEqual(
    documentedEvents().map(
      ({ names, meaning }) => `| ${names.map((name) => `\`${name}\``).join(", ")} | ${meaning} |`,
    ),
  );
});

it("the OpenAPI document names every type, its fields and its meaning", () => {
  const document = JSON.parse(readFileSync(new URL("openapi.json", root), "utf8"));
  const { description } = document.paths["/market/events"].get;
  for (const { names, fields, meaning } of documentedEvents()) {
    expect(description).toContain(meaning);
    for (const each of [...names, ...fields]) expect(description).toContain(`\`${each}\``);
  }
});

describe("an event that another module publishes", async () => {
  const test = await createTestDatabase();
  const locks = createLockSetup(test);
  const { hub, read } = await createEventStream(test);
  beforeEach(() => locks.clear());

  it("is appended with its type and payload, and passed over by a release that does not know the type", async () => {
    const subscriber = await read();
    await test.database.query(
      `insert into vitrine.event_due (chain_id, collection, token_id, type, payload) values ($1, $2, null, 'later', '{"a": 1}')`,
      [CHAIN_ID, COLLECTION],
    );
    await test.database.query(
      `insert into vitrine.event_due (chain_id, collection, token_id, version, content_hash) values ($1, $2, 7, 2, 'hash')`,
      [CHAIN_ID, COLLECTION],
    );

    await locks.writer().writeBatch();
    hub.wake();

    const [event] = await subscriber.until(1);
    expect(event).toMatchObject({ id: 2, event: "metadata", data: { token_id: "7", version: 2 } });
    expect(subscriber.events).toHaveLength(1);
    const [stored] = await test.database.query(
      "select type, subject, token_id, payload from vitrine.event order by id",
    );
    expect(stored).toEqual({ type: "later", subject: "later", token_id: null, payload: { a: 1 } });
  });

  it("advances the last id of subscribers that can't use it", async () => {
    const subscriber = await read();
    await test.database.query(
      "insert into vitrine.event_due (chain_id, collection, token_id, type, payload) values ($1, $2, 7, 'later', '{}')",
      [CHAIN_ID, COLLECTION],
    );

    await locks.writer().writeBatch();
    hub.wake();

    await eventually(
      () => subscriber.lastId,
      (id) => id === 1,
    );
    expect(subscriber.events).toEqual([]);
  });
});
