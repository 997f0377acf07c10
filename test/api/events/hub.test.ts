import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { serve } from "@hono/node-server";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createEventHub } from "../../../src/api/events/hub.ts";
import { silentLogger } from "../../../src/api/http/logger.ts";
import { createTestApp } from "../../support/app.ts";
import { createTestDatabase } from "../../support/database.ts";
import { readEvents } from "../../support/event-reader.ts";
import { createEventStream, ids, range } from "../../support/event-stream.ts";
import { eventually } from "../../support/eventually.ts";
import { createLockSetup } from "../../support/lock-events.ts";

const test = await createTestDatabase();
const { database } = test;
const locks = createLockSetup(test);
const { api, hub, key, port, read, append } = await createEventStream(test);

beforeEach(() => locks.clear());

describe("a reader that comes back", () => {
  it("misses nothing that the others receive while it catches up", async () => {
    await append(5);
    const received = { first: "", second: "" };
    const follow = (name: keyof typeof received, after: number | undefined) => {
      let leave = (): void => {};
      const gone = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const write = async (text: string): Promise<void> => {
        received[name] += text;
      };
      const subscription = {
        filter: { types: new Set<never>(), collections: new Set<never>(), chainId: undefined },
      };
      void its.follow({ ...subscription, after, isAllowed: async () => true }, { write, cut: leave, gone });
      onTestFinished(leave);
    };
    const countOf = (text: string): number => text.split("event: ").length - 1;
    let isArmed = true;
    const query = async <Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> => {
      const rows = await database.query<Row>(sql, parameters);
      // The five that it missed, which nobody else reads again.
      if (isArmed && rows.length === 5) {
        isArmed = false;
        await append(3, { wakes: its });
        await eventually(
          () => countOf(received.first),
          (count) => count === 3,
        );
      }
      return rows;
    };
    const its = createEventHub({ database: { ...database, query }, baseUrl: "", logger: silentLogger });
    follow("first", undefined);
    await eventually(
      () => received.first,
      (text) => text.includes("id: 5"),
    );

    follow("second", 0);

    await eventually(
      () => countOf(received.second),
      (count) => count === 8,
    );
    await its.stop();
  });
});

describe("a slow reader", () => {
  it("is dropped, and harms no other", async () => {
    await eventually(
      () => hub.size,
      (size) => size === 0,
    );
    const slow = connect(port, "127.0.0.1");
    onTestFinished(() => void slow.destroy());
    slow.write(`GET /market/events HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`);
    await once(slow, "readable");
    slow.pause();
    const fast = await read();
    expect(hub.size).toBe(2);

    // More than its queue and the socket buffers of both sides can take.
    let sent = 0;
    while (hub.size > 1 && sent < 300_000) {
      await append(5_000);
      sent += 5_000;
      await fast.until(sent);
    }

    expect(hub.size).toBe(1);
    expect(ids(fast.events)).toEqual(range(1, sent));
    expect(fast.isOpen).toBe(true);
  });
});

describe("a read of the stream's head", () => {
  it("takes no reader's place", async () => {
    await eventually(
      () => hub.size,
      (size) => size === 0,
    );

    const { status, headers } = await fetch(`http://127.0.0.1:${port}/market/events`, {
      method: "HEAD",
      headers: { "x-api-key": key },
    });

    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(hub.size).toBe(0);
  });
});

describe("the end of a stream", () => {
  it("comes with the end of its key", async () => {
    const { id, key: doomed } = await api.access.createKey(
      { name: "Doomed", apis: ["market"], collections: null },
      "tests",
    );
    const subscriber = await read("", { "x-api-key": doomed });

    await api.access.revokeKey(id, "tests");

    await eventually(
      () => subscriber.isOpen,
      (isOpen) => !isOpen,
    );
    expect(subscriber.comments.at(-1)).toContain("the key is no longer valid");
  });

  it("comes with the end of the service, which says when to reconnect", async () => {
    const ending = createEventHub({ database, baseUrl: "", logger: silentLogger });
    const other = createTestApp(test, { hub: ending });
    const its = serve({ fetch: other.app.fetch, port: 0 }) as Server;
    await once(its, "listening");
    onTestFinished(() => void its.close());
    const subscriber = await readEvents(
      `http://127.0.0.1:${(its.address() as AddressInfo).port}/market/events?apiKey=${key}`,
    );
    await eventually(
      () => subscriber.lastId,
      (lastId) => lastId !== undefined,
    );

    await ending.stop();

    await eventually(
      () => subscriber.isOpen,
      (isOpen) => !isOpen,
    );
    expect(subscriber).toMatchObject({ retry: 2_000, comments: ["the service is stopping"] });
  });

  it("by the client leaves nothing behind", async () => {
    await eventually(
      () => hub.size,
      (size) => size === 0,
    );
    const subscriber = await read();
    expect(hub.size).toBe(1);

    subscriber.close();

    await eventually(
      () => hub.size,
      (size) => size === 0,
    );
  });
});
