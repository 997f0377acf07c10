import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { createHostConcurrency, type HostTurn } from "../../../src/api/jobs/host-concurrency.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";

const { database } = await createTestDatabase();
const GOING_ON = new AbortController().signal;
setMaxListeners(0, GOING_ON);

beforeEach(async () => {
  await database.query("truncate vitrine.host");
});

/** Visits to hosts, in the order in which they came to their turn. */
function start(concurrency: number, hasSpace?: (priority: number) => boolean) {
  let asked = 0;
  const query: typeof database.query = (...how) => {
    asked++;
    return database.query<never>(...how).finally(() => asked--);
  };
  const hosts = createHostConcurrency({ ...database, query }, concurrency, hasSpace);
  const turns: { readonly host: string; readonly name: string; readonly turn: HostTurn }[] = [];
  return {
    hosts,
    turns,
    names: () => turns.map(({ name }) => name),
    visit(
      host: string,
      name = host,
      how: { priority?: number; signal?: AbortSignal; isClaimed?: boolean } = {},
    ) {
      const visit = { priority: 10, isClaimed: true, signal: GOING_ON, ...how };
      return hosts.enter(host, visit).then((turn) => {
        if (turn) turns.push({ host, name, turn });
        return turn;
      });
    },
    /** Lets turns come that are due: each asks the database whether its host is paused, and that may be slow. */
    async settle() {
      for (let quiet = 0; quiet < 3; quiet = asked > 0 ? 0 : quiet + 1) await sleep(20);
    },
  };
}

const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe("one host", () => {
  it("gets four requests at once at first, and the next one as each leaves", async () => {
    const { visit, turns, settle } = start(32);
    for (const nth of times(6)) void visit("a.example", String(nth));
    await settle();
    expect(turns).toHaveLength(4);

    turns[0]?.turn.leave();
    turns[0]?.turn.leave();
    await settle();

    expect(turns).toHaveLength(5);
    for (const { turn } of turns) turn.leave();
  });

  it("never gets more than three quarters of what a process asks at once, so others go on", async () => {
    const { visit, turns, settle } = start(4);
    for (const nth of times(9)) void visit("a.example", String(nth));
    await settle();
    expect(turns).toHaveLength(3);

    void visit("b.example");
    void visit("b.example");
    await settle();

    expect(turns.map(({ host }) => host)).toEqual(["a.example", "a.example", "a.example", "b.example"]);
    for (const { turn } of turns) turn.leave();
  });

  it("is shared evenly by the processes that work for it", async () => {
    const { hosts, visit, turns, settle } = start(8);
    hosts.shareWith(new Map([["a.example", 3]]));

    for (const nth of times(9)) void visit("a.example", String(nth));
    for (const nth of times(9)) void visit("b.example", String(nth));
    await settle();

    expect(turns.filter(({ host }) => host === "a.example")).toHaveLength(2);
    expect(turns.filter(({ host }) => host === "b.example")).toHaveLength(4);
    for (const { turn } of turns) turn.leave();
  });

  it("gets requests by priority, and those of one priority in their order", async () => {
    const { visit, turns, names, settle } = start(1);
    void visit("a.example", "running");
    for (const [name, priority] of [
      ["sweep 1", 10],
      ["sweep 2", 10],
      ["request", 30],
      ["event", 20],
      ["sweep 3", 10],
    ] as const)
      void visit("a.example", name, { priority });

    for (const nth of times(6)) {
      await settle();
      turns[nth]?.turn.leave();
    }

    expect(names()).toEqual(["running", "request", "event", "sweep 1", "sweep 2", "sweep 3"]);
  });

  it("gets none for which there is no space until there is some", async () => {
    let spaceFrom = 20;
    const { hosts, visit, turns, names, settle } = start(32, (priority) => priority >= spaceFrom);
    void visit("a.example", "sweep");
    void visit("b.example", "other sweep");
    void visit("a.example", "event", { priority: 20 });
    await settle();
    expect(names()).toEqual(["event"]);
    expect(hosts.quota()).toMatchObject({ perHost: 4, unread: 4 });

    spaceFrom = 0;
    hosts.retryWaiting();
    await settle();

    expect(names().sort()).toEqual(["event", "other sweep", "sweep"]);
    expect(hosts.quota()).toMatchObject({ perHost: 8, unread: 64 });
    for (const { turn } of turns) turn.leave();
  });

  it("gives up what waits for space for a second, so that what comes meanwhile is claimed", async () => {
    const { hosts, visit } = start(32, (priority) => priority >= 20);
    const ends = times(4).map(() => hosts.expect("a.example"));
    const waiting = visit("a.example");
    expect(hosts.quota().hosts.get("a.example")).toBe(0);

    expect(await waiting).toBeUndefined();
    ends[0]?.();

    expect(hosts.quota().hosts.get("a.example")).toBe(1);
  });

  it("that refuses is asked again only as its pace allows, though nothing is under way", async () => {
    const { visit, turns, settle } = start(8);
    for (const _ of times(3)) {
      await visit("a.example");
      turns.at(-1)?.turn.ended("refused");
      turns.at(-1)?.turn.leave();
    }
    const before = turns.length;

    void visit("a.example");
    void visit("b.example");
    await settle();
    expect(turns.slice(before).map(({ host }) => host)).toEqual(["b.example"]);

    await eventually(
      () => turns.length,
      (count) => count === before + 2,
    );
  });

  it("that stays busy for a second sends those who wait away", async () => {
    const { visit, turns } = start(1);
    await visit("a.example");

    expect(await visit("a.example")).toBeUndefined();

    turns[0]?.turn.leave();
    expect(await visit("a.example")).toBeDefined();
  });

  it("sends those who wait away when their visit is called off, and keeps no place for them", async () => {
    const { visit, turns } = start(1);
    await visit("a.example");
    const stop = new AbortController();
    const waiting = visit("a.example", "waiting", { signal: stop.signal });

    stop.abort();

    expect(await waiting).toBeUndefined();
    expect(await visit("a.example", "late", { signal: stop.signal })).toBeUndefined();
    turns[0]?.turn.leave();
    expect(await visit("a.example")).toBeDefined();
  });

  it("that is paused meanwhile gets none of those who waited", async () => {
    const { visit, turns } = start(1);
    await visit("a.example");
    const waiting = visit("a.example");
    await database.query(
      "insert into vitrine.host values ('a.example', 5, now() + interval '1 minute', 'timeout')",
    );

    turns[0]?.turn.leave();

    expect(await waiting).toBeUndefined();
    expect(await visit("a.example", "unclaimed", { isClaimed: false })).toBeUndefined();
  });
});

describe("all hosts together", () => {
  it("get no more than the process may make, by priority and then the host with the fewest", async () => {
    const { visit, turns, names, settle } = start(4);
    for (const nth of times(3)) void visit("a.example", `a${nth}`);
    void visit("b.example", "b");
    await settle();
    void visit("a.example", "a again");
    void visit("b.example", "b again");
    void visit("c.example", "c, urgent", { priority: 30 });
    await settle();
    expect(turns).toHaveLength(4);

    turns[0]?.turn.leave();
    await settle();
    turns[4]?.turn.leave();
    await settle();

    expect(names().slice(4)).toEqual(["c, urgent", "b again"]);
  });
});

describe("what is to be claimed", () => {
  it("is what a host gets at once and as much ahead, less what is on its way", () => {
    const { hosts } = start(32);
    expect(hosts.quota()).toEqual({ hosts: new Map(), perHost: 8, unread: 64 });

    const ends = times(5).map(() => hosts.expect("a.example"));
    expect(hosts.quota().hosts).toEqual(new Map([["a.example", 3]]));
    for (const _ of times(5)) hosts.expect("a.example");
    expect(hosts.quota().hosts).toEqual(new Map([["a.example", 0]]));

    for (const end of ends) end();
    expect(hosts.quota().hosts).toEqual(new Map([["a.example", 3]]));
  });

  it("is the work of a moment ahead, and never more than six times what the process may ask at once", async () => {
    const { hosts, visit } = start(4);
    for (const host of ["fast.example", "slow.example"]) {
      for (const _ of times(3)) {
        const turn = await visit(host);
        if (host === "slow.example") await sleep(70);
        turn?.ended("answered");
        turn?.leave();
      }
    }

    // Three at once, and what could start in a tenth of a second: hundreds, or at most five.
    const { hosts: quotas, perHost } = hosts.quota();
    expect(quotas.get("fast.example")).toBe(3 + 6 * 4);
    // On a busy machine its answers took so long that it gets what a new host gets.
    const slow = quotas.get("slow.example") ?? perHost;
    expect(slow).toBeGreaterThan(3);
    expect(slow).toBeLessThanOrEqual(3 + 5);
  });

  it("is no more ahead than at once for a host that has stopped answering, until it answers again", async () => {
    const { hosts, visit } = start(4);
    // A host is left out if it has the quota of any other.
    const quota = (): number => {
      const { hosts: others, perHost } = hosts.quota();
      return others.get("a.example") ?? perHost;
    };
    for (const _ of times(3)) {
      const turn = await visit("a.example");
      turn?.ended("answered");
      turn?.leave();
    }
    const stalled = await visit("a.example");

    await sleep(150);
    expect(quota()).toBe(3 + 3);

    stalled?.leave();
    expect(quota()).toBe(3 + 6 * 4);
  });

  it("of unknown hosts is less by those who wait for a host that they turned out to lead to", async () => {
    const { hosts, visit, settle } = start(4);
    for (const nth of times(8)) void visit("a.example", String(nth), { isClaimed: false });
    await settle();

    expect(hosts.quota().unread).toBe(8 - 5);
  });
});
