/** Slow, dead and refusing hosts, on real sockets: their effect on others, and the requests they are spared. */

import { beforeEach, describe, expect, it } from "vitest";
import { isHostFault, signalOf } from "../../../src/api/fetch/host-fault.ts";
import { answerOverdue, createReceiptTimeout } from "../../../src/api/refresh/receipts/receipt-timeout.ts";
import { addSweep } from "../../../src/api/refresh/triggers/new-sweeps.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { withSlowRows } from "../../support/database/slow-rows.ts";
import { eventually } from "../../support/eventually.ts";
import { answerHero, createReplicas, refuse, silence, startHost } from "../../support/processes/replicas.ts";
import { createWorkerSetup } from "../../support/processes/worker.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  claimOne,
  emptyTables,
  makeDue,
  passSeconds,
  readQueue,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const setup = createWorkerSetup(test);
beforeEach(() => emptyTables(database));

const startReplica = createReplicas(test);

const ids = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(from + index));
const paused = async () =>
  (
    await database.query<{ host: string; failures: number; seconds: number | null }>(
      "select host, failures, extract(epoch from paused_until - now())::float8 as seconds from vitrine.host",
    )
  ).map(({ host, failures, seconds }) => ({
    host,
    failures,
    seconds: seconds === null ? null : Math.round(seconds),
  }));

const lengthenPauses = () =>
  database.query("update vitrine.host set paused_until = now() + interval '1 hour'");

describe("a host that answers nothing", () => {
  it("never takes more than three quarters of what a replica fetches at once, so others go on", async () => {
    const [dead, alive] = [await startHost(silence), await startHost(answerHero)];
    await ask(database, ids(100, 20), { trigger: "rest" });
    startReplica([dead, alive]);
    await eventually(dead.most, (most) => most === 3);

    const receipt = await setup.request(ids(1000, 10));

    expect((await setup.done(receipt))?.tokens.every(({ status }) => status === "updated")).toBe(true);
    expect(dead.most()).toBe(3);
  });

  it("is asked no more than that by several replicas together, once they know of each other", async () => {
    const slow = await startHost((request, response) => setTimeout(() => answerHero(request, response), 50));
    await ask(database, ids(100, 240));
    // Known by an earlier fetch, so that the claim itself knows their host.
    await database.query("update vitrine.refresh set host = $1", [slow.host]);
    for (const _ of [1, 2, 3]) startReplica([slow]);

    let calm = 0;
    await eventually(
      async () => slow.now(),
      (now) => {
        // Between two claims it may be asked nothing for a moment.
        if (now > 3) calm = 0;
        else if (now > 0) calm++;
        return calm > 10;
      },
    );

    await eventually(
      () => readQueue(database),
      (rows) => rows.every(({ requested, done }) => requested === done),
    );
    expect(slow.requests).toHaveLength(240);
  });
});

describe("a host that fails again and again", () => {
  it("is paused by every replica after five failures, and its tokens wait untried", async () => {
    const bad = await startHost(refuse(500));
    await ask(database, ids(100, 40));
    for (const _ of [1, 2, 3]) startReplica([bad]);
    await eventually(paused, ([host]) => (host?.seconds ?? 0) > 0);
    // The first pause is of ten seconds, which a busy machine may need for what follows.
    await lengthenPauses();
    await eventually(
      () => readQueue(database),
      (rows) => rows.every(({ lease }) => lease === null),
    );

    const asked = bad.requests.length;
    expect(asked).toBeLessThan(20);
    const { worker } = setup.start(() => {
      throw new Error("a paused host was asked");
    });
    worker.wake();
    // Those about to be fetched are released untried too.
    await eventually(
      async () => (await readQueue(database)).filter(({ attempts }) => attempts === 0).length,
      (waiting) => waiting >= 40 - asked,
    );
  });

  it("is paused for 10 seconds, then for 20, and is clean after one answer", async () => {
    const bad = await startHost(refuse(503));
    await ask(database, ids(100, 5));
    const replica = startReplica([bad], 1);
    await eventually(paused, ([host]) => host?.failures === 5);
    expect((await paused())[0]?.seconds).toBeGreaterThanOrEqual(9);

    const endPause = async () => {
      await database.query("update vitrine.host set paused_until = now()");
      await makeDue(database);
      replica.wake();
    };
    await endPause();
    await eventually(paused, ([host]) => host?.failures === 6);
    expect((await paused())[0]?.seconds).toBeGreaterThanOrEqual(19);

    bad.listener = answerHero;
    await endPause();
    await eventually(paused, (rows) => rows.length === 0);
  });

  it("gives those who wait the reason", async () => {
    const bad = await startHost(refuse(500));
    const receipt = await setup.request(ids(100, 12));
    startReplica([bad]);
    await eventually(paused, ([host]) => (host?.seconds ?? 0) > 0);
    await lengthenPauses();

    const { tokens } = await eventually(
      async () => (await setup.receipt(receipt)) ?? { tokens: [] },
      (now) => now.tokens.every(({ reason }) => reason !== null),
    );
    expect(new Set(tokens.map(({ status }) => status))).toEqual(new Set(["queued"]));
    expect(tokens.some(({ reason }) => reason?.includes("the host is paused until"))).toBe(true);
  });
});

describe("a request that waits for a paused host", () => {
  const wait = async (receipt: string, minutes: number) => {
    await database.query(
      "update vitrine.receipt set created_at = now() - $2 * interval '1 minute' where id = $1",
      [receipt, minutes],
    );
    await answerOverdue(database);
    return (await setup.receipt(receipt))?.tokens.map(({ status, reason }) => ({ status, reason }));
  };
  const ask101 = async (): Promise<string> => {
    const receipt = await setup.request(["101"]);
    await database.query("update vitrine.refresh set host = 'dead.example'");
    return receipt;
  };
  /** So many tokens of one receipt. */
  const waitTogether = async (count: number) => {
    const receipt = await setup.request(ids(200, count));
    await database.query("update vitrine.refresh set host = 'dead.example'");
    await database.query("update vitrine.receipt set created_at = now() - interval '11 minutes'");
    await pause();
    const open = async () =>
      (await database.query("select from vitrine.receipt_token where status is null")).length;
    return { receipt, open };
  };
  const pause = () =>
    database.query(
      "insert into vitrine.host values ('dead.example', 9, now() + interval '5 minutes', 'timeout: no answer')",
    );

  it("is answered as failed after ten minutes, with the host's reason, and its token stays queued", async () => {
    const receipt = await ask101();
    await pause();

    expect(await wait(receipt, 9)).toMatchObject([{ status: "queued" }]);
    expect(await wait(receipt, 11)).toMatchObject([
      { status: "failed", reason: expect.stringContaining("timeout: no answer; the host is paused") },
    ]);
    expect(await readQueue(database)).toMatchObject([{ requested: 1, done: 0 }]);
  });

  it("is answered a few at a time where more wait than can be answered at once, check after check", async () => {
    const { receipt, open } = await waitTogether(5);
    const timeout = createReceiptTimeout(database, 2);

    await timeout.check();
    expect(await open()).toBe(3);
    await timeout.check();
    expect(await open()).toBe(1);
    await timeout.check();

    expect(await open()).toBe(0);
    const { tokens = [] } = (await setup.receipt(receipt)) ?? {};
    expect(new Set(tokens.map(({ status, reason }) => `${status}: ${reason}`))).toEqual(
      new Set(["failed: timeout: no answer; the host is paused because it failed repeatedly"]),
    );
  });

  it("is answered in smaller steps where a step takes too long", async () => {
    const { open } = await waitTogether(200);
    const slow = await withSlowRows(database, "vitrine.receipt_token");
    const timeout = createReceiptTimeout(slow.database);

    for (let left = await open(); left > 0; left = await open()) {
      await timeout.check();
      expect(await open()).toBeLessThan(left);
    }

    expect(slow.timeouts()).toBeGreaterThan(0);
    await database.query("drop trigger take_long on vitrine.receipt_token");
  });

  it("waits on in the receipt of a sweep that is older than its own wait", async () => {
    const receipt = await ask101();
    await addSweep(database, {
      chainId: CHAIN_ID,
      collection: COLLECTION,
      from: "0",
      to: "200",
      block: 1,
      skipRead: false,
      receiptId: receipt,
    });
    await pause();

    expect(await wait(receipt, 60)).toMatchObject([{ status: "queued" }]);
    await passSeconds(database, 11 * 60);
    expect(await wait(receipt, 60)).toMatchObject([{ status: "failed" }]);
  });

  it("waits on where the host is not paused, or the fetch has begun", async () => {
    const receipt = await ask101();
    expect(await wait(receipt, 11)).toMatchObject([{ status: "queued" }]);

    await claimOne(test);
    await pause();
    expect(await wait(receipt, 11)).toMatchObject([{ status: "fetching" }]);
  });
});

describe("Retry-After", () => {
  it("holds for the token at once, and for the whole host when a second URL asks for it", async () => {
    const busy = await startHost(refuse(429, { "retry-after": "120" }));
    const other = await startHost(answerHero);
    await ask(database, ["100"]);
    const replica = startReplica([busy, other]);
    await eventually(
      () => readQueue(database),
      (rows) => rows.some(({ dueIn, lease }) => lease === null && dueIn > 100),
    );
    expect((await paused())[0]?.seconds).toBeNull();

    await ask(database, ["101"]);
    replica.wake();
    await eventually(paused, ([host]) => (host?.seconds ?? 0) > 100);
    await makeDue(database);
    // After that: what was claimed before would be due although it had been put back to wait for the host.
    await ask(database, ["102"]);
    const receipt = await setup.request(["1000"]);
    replica.wake();
    expect((await setup.done(receipt))?.tokens).toMatchObject([{ status: "updated" }]);
    await eventually(
      () => readQueue(database),
      (rows) => rows.some(({ tokenId, dueIn }) => tokenId === "102" && dueIn > 100),
    );

    expect(busy.requests).toHaveLength(2);
  });

  it("of one URL never stops its host, however often it comes", async () => {
    const host = await startHost((request, response) =>
      request.url === "/100"
        ? refuse(429, { "retry-after": "3600" })(request, response)
        : answerHero(request, response),
    );
    const replica = startReplica([host]);
    for (const _ of [1, 2, 3]) {
      const before = host.requests.length;
      await ask(database, ["100"]);
      await eventually(
        () => readQueue(database),
        (rows) => rows.every(({ lease }) => lease === null),
      );
      await makeDue(database);
      replica.wake();
      await eventually(
        async () => host.requests.length,
        (asked) => asked > before,
      );
    }

    const receipt = await setup.request(["101"]);
    replica.wake();
    expect((await setup.done(receipt))?.tokens).toMatchObject([{ status: "updated" }]);
  });

  it("of a whole host is five minutes at most", async () => {
    const busy = await startHost(refuse(503, { "retry-after": "3600" }));
    await ask(database, ids(100, 3));
    startReplica([busy]);

    expect((await eventually(paused, ([host]) => (host?.seconds ?? 0) > 10))[0]?.seconds).toBeLessThanOrEqual(
      300,
    );
  });
});

describe("tokens that only strangers name", () => {
  it("never stop their host, whatever it answers for them", async () => {
    const host = await startHost((request, response) =>
      Number(request.url?.slice(1)) < 200 ? refuse(500)(request, response) : answerHero(request, response),
    );
    await ask(database, ids(100, 20), { trigger: "graphql", anonymous: true });
    const replica = startReplica([host]);
    await eventually(
      async () => host.requests.length,
      (asked) => asked >= 20,
    );
    // Retries still count as requests by strangers.
    await makeDue(database);
    await passSeconds(database, 60);
    replica.wake();
    await eventually(
      async () => host.requests.length,
      (asked) => asked >= 40,
    );

    expect(await paused()).toEqual([]);
    const receipt = await setup.request(["200"]);
    replica.wake();
    expect((await setup.done(receipt))?.tokens).toMatchObject([{ status: "updated" }]);
  });

  it("count like any other once a caller with a key names them too", async () => {
    const bad = await startHost(refuse(500));
    await ask(database, ids(100, 20), { trigger: "graphql", anonymous: true });
    await ask(database, ids(100, 20));
    startReplica([bad]);

    await eventually(paused, ([host]) => (host?.seconds ?? 0) > 0);
  });
});

describe("a host whose pause ends", () => {
  it("is asked for a token that it has answered for before, and by that alone", async () => {
    const host = await startHost(answerHero);
    const replica = startReplica([host]);
    await setup.done(await setup.request(["100"]));
    host.listener = refuse(500);
    await ask(database, ids(101, 5));
    replica.wake();
    await eventually(paused, ([row]) => (row?.seconds ?? 0) > 0);
    const before = host.requests.length;
    host.listener = (request, response) => {
      if (request.url !== "/100") return refuse(500)(request, response);
      // Otherwise those that still fail may pause the host anew before anybody has looked.
      host.listener = answerHero;
      return answerHero(request, response);
    };

    await database.query("update vitrine.host set paused_until = now()");
    await makeDue(database);
    await passSeconds(database, 5);
    await eventually(paused, (rows) => rows.length === 0 || (rows[0]?.failures ?? 9) < 5);

    expect(host.requests[before]?.url).toBe("/100");
  });

  it("is asked for any token where it has answered for none", async () => {
    const host = await startHost(refuse(500));
    await ask(database, ids(100, 6));
    const replica = startReplica([host]);
    await eventually(paused, ([row]) => (row?.seconds ?? 0) > 0);
    host.listener = answerHero;

    await database.query("update vitrine.host set paused_until = now()");
    await makeDue(database);
    replica.wake();
    await eventually(paused, (rows) => rows.length === 0);
  });
});

it("a fault of the document is none of its host", async () => {
  const host = await startHost(refuse(404));
  const receipt = await setup.request(ids(100, 8));
  startReplica([host]);

  expect((await setup.done(receipt))?.tokens.every(({ status }) => status !== "queued")).toBe(true);
  expect(await paused()).toEqual([]);
  expect(host.requests).toHaveLength(8);
});

it("tokens of a chain that a process has no endpoint for are left to others", async () => {
  const host = await startHost(answerHero);
  await ask(database, ["100"]);
  await database.query("update vitrine.refresh set chain_id = 2020");
  const replica = startReplica([host]);
  await ask(database, ["101"]);
  replica.wake();
  await eventually(
    () => readQueue(database),
    (rows) => rows.some(({ tokenId, requested, done }) => tokenId === "101" && requested === done),
  );

  expect((await readQueue(database)).find(({ tokenId }) => tokenId === "100")).toMatchObject({ attempts: 0 });
});

describe("the gateways together", () => {
  it.each([
    ["content that nobody answers for", "ipfs", "http_status", false],
    ["content that takes too long", "ipfs", "timeout", false],
    ["no gateway that can be reached", "ipfs", "unreachable", true],
    ["any other host's error", "meta.example", "http_status", true],
    ["any other host's silence", "meta.example", "timeout", true],
  ] as const)("are distinguished from a host that is to be paused: %s", (_what, host, reason, isFault) => {
    expect(isHostFault(host, reason, true)).toBe(isFault);
    expect(isHostFault(host, reason, false)).toBe(false);
  });
});

it.each([
  [429, "http_status", "refused", "refused"],
  [503, "http_status", "unavailable", "unavailable"],
  [503, "blocked_by_host", "unavailable", "unavailable"],
  [403, "blocked_by_host", "failed", undefined],
  [500, "http_status", "failed", undefined],
  [undefined, "timeout", "failed", undefined],
  [undefined, "unreachable", "failed", "failed"],
] as const)(
  "a fetch that ends with %s (%s) says that a host %s, and that the gateways %s",
  (status, reason, host, gateways) => {
    const failure = { reason, transient: true, ...(status !== undefined && { status }) };

    expect(signalOf("meta.example", failure)).toBe(host);
    expect(signalOf("ipfs", failure)).toBe(gateways);
  },
);
