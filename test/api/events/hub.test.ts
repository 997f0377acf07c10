import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { serve } from "@hono/node-server";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createEventHub, type EventHub } from "../../../src/api/events/hub.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createLockSetup } from "../../support/chain/lock-events.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { readEvents } from "../../support/http/event-reader.ts";
import { createEventStream, ids, range } from "../../support/http/event-stream.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { createBarrier } from "../../support/processes/worker.ts";

const test = await createTestDatabase();
const { database } = test;
const locks = createLockSetup(test);
const { api, hub, key, port, read, append } = await createEventStream(test);

beforeEach(() => locks.clear());

/** Follows without a connection, until the returned function is called. */
function followBy(its: EventHub, after: number | undefined, write: (text: string) => unknown): () => void {
  let leave = (): void => {};
  const gone = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const filter = { types: new Set<never>(), collections: new Set<never>(), chainId: undefined };
  const wire = { write: async (text: string) => write(text), cut: leave, gone };
  void its.follow({ filter, after, isAllowed: async () => true }, wire);
  onTestFinished(leave);
  return leave;
}

const countOf = (text: string): number => text.split("event: ").length - 1;

describe("a reader that comes back", () => {
  it("misses nothing that the others receive while it catches up", async () => {
    await append(5);
    const received = { first: "", second: "" };
    const follow = (name: keyof typeof received, after: number | undefined) =>
      followBy(its, after, (text) => {
        received[name] += text;
      });
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
    const its = createEventHub({ database: { ...database, query }, mediaBaseUrl: "", logger: silentLogger });
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

  it("learns that events were deleted before it had read them", async () => {
    await append(2_500);
    let received = "";
    const its = createEventHub({ database, mediaBaseUrl: "", logger: silentLogger });
    followBy(its, 0, async (text) => {
      // It reads slowly, and all but the last 100 get too old meanwhile.
      if (countOf(text) === 1_000) await database.query("delete from vitrine.event where id <= 2400");
      received += text;
    });

    await eventually(
      () => received,
      (text) => text.includes("event: reset"),
    );
    await append(1, { wakes: its });
    await eventually(
      () => received,
      (text) => text.includes("id: 2501\n"),
    );

    expect(countOf(received)).toBe(1_002);
    expect(received).toContain(
      `data: ${JSON.stringify({ reason: "too_old", last_event_id: 1_000, latest: 2_500 })}\n`,
    );
    await its.stop();
  });

  it("is one of many that come back at once, for two of which their events are read at a time", async () => {
    await append(5);
    const read = createBarrier();
    let reading = 0;
    let readingMost = 0;
    const query = async <Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> => {
      const isStretch = parameters !== undefined && parameters.length > 3;
      if (!isStretch) return database.query<Row>(sql, parameters);
      readingMost = Math.max(readingMost, ++reading);
      if (readingMost === 2) setImmediate(read.open);
      await read.opened;
      reading--;
      return database.query<Row>(sql, parameters);
    };
    const its = createEventHub({ database: { ...database, query }, mediaBaseUrl: "", logger: silentLogger });
    const received = Array.from({ length: 9 }, () => "");
    received.forEach((_, nth) => {
      followBy(its, 0, (text) => {
        received[nth] += text;
      });
    });

    await eventually(
      () => received.map(countOf),
      (counts) => counts.every((count) => count === 5),
    );

    expect(readingMost).toBe(2);
    await its.stop();
  });

  it("that leaves before its turn has nothing read for it", async () => {
    await append(5);
    const read = createBarrier();
    let stretches = 0;
    const query = async <Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> => {
      const isStretch = parameters !== undefined && parameters.length > 3;
      if (isStretch) {
        stretches++;
        await read.opened;
      }
      return database.query<Row>(sql, parameters);
    };
    const its = createEventHub({ database: { ...database, query }, mediaBaseUrl: "", logger: silentLogger });
    const begun = Array.from({ length: 5 }, () => "");
    const leaves = begun.map((_, nth) =>
      followBy(its, 0, (text) => {
        begun[nth] += text;
      }),
    );
    await eventually(
      () => begun.filter((text) => text !== "").length,
      (count) => count === 5 && stretches === 2,
    );

    for (const leave of leaves) leave();
    read.open();
    // Its turn comes after theirs.
    let last = "";
    followBy(its, 0, (text) => {
      last += text;
    });
    await eventually(
      () => countOf(last),
      (count) => count === 5,
    );

    expect(stretches).toBe(3);
    await its.stop();
  });

  it("misses nothing if the only other one leaves while later events are read for it", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    await append(5);
    const received = { first: "", second: "" };
    const [caughtUp, reading, left] = [createBarrier(), createBarrier(), createBarrier()];
    let isHeld = false;
    const query = async <Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> => {
      const rows = await database.query<Row>(sql, parameters);
      if (isHeld && rows.length > 0) {
        isHeld = false;
        reading.open();
        await left.opened;
      }
      return rows;
    };
    const its = createEventHub({ database: { ...database, query }, mediaBaseUrl: "", logger: silentLogger });
    const leave = followBy(its, undefined, (text) => {
      received.first += text;
    });
    await eventually(
      () => received.first,
      (text) => text.includes("id: 5"),
    );
    // Its client takes the five that it missed, and no more yet.
    followBy(its, 0, (text) => {
      received.second += text;
      return text.includes("id: 5") ? caughtUp.opened : undefined;
    });
    await eventually(
      () => countOf(received.second),
      (count) => count === 5,
    );
    await append(3, { wakes: its });
    await eventually(
      () => countOf(received.first),
      (count) => count === 3,
    );
    isHeld = true;
    await append(2, { wakes: its });
    await reading.opened;

    leave();
    await eventually(
      () => its.size,
      (size) => size === 1,
    );
    caughtUp.open();
    // Only those that have joined get heartbeats.
    await eventually(
      () => {
        vi.advanceTimersByTime(4_000);
        return received.second;
      },
      (text) => text.includes("heartbeat"),
    );
    left.open();

    await eventually(
      () => received.second,
      (text) => text.includes("id: 10"),
    );
    expect([...received.second.matchAll(/^id: (\d+)\nevent/gm)].map(([, id]) => Number(id))).toEqual(
      range(1, 10),
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

describe("a database that was set back, by a restore or a failover to one that lacks the newest events,", () => {
  const setBackTo = async (last: number): Promise<void> => {
    await database.query("delete from vitrine.event where id > $1", [last]);
    await database.query("update vitrine.event_counter set last = $1", [last]);
  };

  it("ends the streams that are ahead of it, whose readers would miss what takes the lost ids", async () => {
    await append(5);
    const ahead = await read("?last_event_id=0");
    await ahead.until(5);
    await setBackTo(2);

    hub.wake();

    await eventually(
      () => ahead.isOpen,
      (isOpen) => !isOpen,
    );
    expect(ahead).toMatchObject({ retry: 2_000, comments: ["the database was set back; come back"] });
    const back = await read(`?last_event_id=${ahead.lastId}`);
    expect(await back.until(1)).toMatchObject([
      { event: "reset", data: { reason: "unknown_id", latest: 2 } },
    ]);
    await append(1);
    expect(ids(await back.until(2))).toEqual([2, 3]);
  });

  it("lets a reader in at once that comes before the others have left", async () => {
    let readsOfEnds = 0;
    const query = <Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> => {
      if (sql.includes("vitrine.event_counter")) readsOfEnds++;
      return database.query<Row>(sql, parameters);
    };
    const its = createEventHub({ database: { ...database, query }, mediaBaseUrl: "", logger: silentLogger });
    onTestFinished(() => its.stop());
    const received = { first: "", second: "" };
    const follow = (name: keyof typeof received, after: number | undefined) =>
      followBy(its, after, (text) => {
        received[name] += text;
      });
    await append(5);
    follow("first", undefined);
    await eventually(
      () => received.first,
      (text) => text.includes("id: 5"),
    );
    await setBackTo(2);
    readsOfEnds = 0;

    follow("second", 2);
    await append(1, { wakes: its });

    await eventually(
      () => countOf(received.second),
      (count) => count === 1,
    );
    expect(received.second).toContain("id: 3");
    expect(readsOfEnds).toBeLessThan(10);
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
    const ending = createEventHub({ database, mediaBaseUrl: "", logger: silentLogger });
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
