import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { createDatabase, planName, type Queryable } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const { database, url } = await createTestDatabase();
await database.query("create table vitrine.probe (id int primary key, count int not null)");

afterEach(() => database.query("truncate vitrine.probe"));

it("doesn't depend on what its role sets for sessions", async () => {
  const own = new URL(url);
  const settings = [
    ["datestyle", "german"],
    ["default_transaction_isolation", "serializable"],
    ["standard_conforming_strings", "off"],
    ["lock_timeout", "1"],
    // Long enough for a session to say that it has none.
    ["idle_session_timeout", "1min"],
  ] as const;
  own.searchParams.set("options", settings.map(([name, value]) => `-c ${name}=${value}`).join(" "));
  const strict = createDatabase(own.href, silentLogger, { plain: 1, keyed: 1 });
  onTestFinished(() => strict.close());

  for (const name of [undefined, "named"])
    expect(
      await strict.query(
        `select '2026-12-01 00:00Z'::timestamptz as at, length('\\u') as length,
          current_setting('transaction_isolation') as isolation, current_setting('idle_session_timeout') as idle`,
        [],
        name,
      ),
    ).toEqual([{ at: new Date("2026-12-01"), length: 2, isolation: "read committed", idle: "0" }]);
  const waiting: Promise<unknown>[] = [];
  await database.transaction(async (tx) => {
    await tx.query("lock table vitrine.probe");
    waiting.push(strict.query("insert into vitrine.probe values (9, 0)").then(() => "inserted"));
    await sleep(50);
  });
  expect(await Promise.all(waiting)).toEqual(["inserted"]);
});

describe("a transaction", () => {
  it("keeps all of it or nothing", async () => {
    const failing = database.transaction(async (tx) => {
      await tx.query("insert into vitrine.probe values (1, 0)");
      throw new Error("no");
    });

    await expect(failing).rejects.toThrow("no");
    expect(await database.query("select from vitrine.probe")).toEqual([]);
    await database.transaction((tx) => tx.query("insert into vitrine.probe values (1, 0)"));
    expect(await database.query("select from vitrine.probe")).toHaveLength(1);
  });

  it("runs statements that start together in order, and none of them if one fails", async () => {
    const add = (tx: Queryable, ids: readonly number[]) =>
      Promise.all(
        ids.map((id) => tx.query(`insert into vitrine.probe select ${id}, count(*) from vitrine.probe`)),
      );

    await database.transaction((tx) => add(tx, [1, 2, 3]));
    await expect(database.transaction((tx) => add(tx, [4, 1, 5]))).rejects.toMatchObject({ code: "23505" });

    expect(await database.query("select id, count from vitrine.probe order by id")).toEqual([
      { id: 1, count: 0 },
      { id: 2, count: 1 },
      { id: 3, count: 2 },
    ]);
  });

  it("sends nothing once a statement has failed, whatever goes on beside it", async () => {
    const others: Promise<unknown>[] = [];
    const failing = database.transaction(async (tx) => {
      const goOn = async (): Promise<void> => {
        await tx.query("select 1");
        await sleep(50);
        await tx.query("insert into vitrine.probe values (1, 0)");
      };
      others.push(goOn().catch((error: Error) => error.message));
      await tx.query("select 1 / 0");
    });

    await expect(failing).rejects.toThrow("division by zero");
    await Promise.all(others);
    await sleep(50);
    expect(await database.query("select from vitrine.probe")).toEqual([]);
  });

  it("is tried again after a deadlock of statements that started together, though one beside them fails first", async () => {
    await database.query("insert into vitrine.probe values (1, 0), (2, 0)");
    let arrived = 0;
    const update = (tx: Queryable, id: number) =>
      tx.query("update vitrine.probe set count = count + 1 where id = $1", [id]);
    const raise = (first: number, second: number): Promise<unknown> => {
      let tries = 0;
      return database.transaction(async (tx) => {
        // Tried again, it doesn't meet the other a second time.
        if (++tries > 1) return Promise.all([update(tx, 1), update(tx, 2)]);
        await update(tx, first);
        arrived++;
        while (arrived < 2) await sleep(5);
        // The one that fails is awaited through more steps than the one that fails because of it.
        const slowly = async () => (await (async () => await update(tx, second))()) as unknown;
        return Promise.all([slowly().then((rows) => rows), tx.query("select 1")]);
      });
    };

    await Promise.all([raise(1, 2), raise(2, 1)]);

    expect(await database.query("select count from vitrine.probe order by id")).toEqual([
      { count: 2 },
      { count: 2 },
    ]);
  });

  it("of which a statement failed is rejected, though its work goes on as if nothing had happened", async () => {
    const careless = database.transaction(async (tx) => {
      await tx.query("insert into vitrine.probe values (1, 0)");
      await tx.query("select 1 / 0").catch(() => undefined);
    });

    await expect(careless).rejects.toThrow("division by zero");
    expect(await database.query("select from vitrine.probe")).toEqual([]);
  });

  it("rejects with an error of the work's own, though a statement had failed before", async () => {
    const refusing = database.transaction((tx) =>
      tx.query("select 1 / 0").catch(() => {
        throw new Error("refused");
      }),
    );

    await expect(refusing).rejects.toThrow("refused");
  });

  it("has a named statement planned anew after one that failed before it was planned", async () => {
    const fail = database.transaction((tx) =>
      Promise.all([tx.query("select 1 / 0"), tx.query("select 7 as seven", [], "planned late")]),
    );
    await expect(fail).rejects.toThrow("division by zero");

    for (let i = 0; i < 3; i++)
      expect(await database.transaction((tx) => tx.query("select 7 as seven", [], "planned late"))).toEqual([
        { seven: 7 },
      ]);
  });

  it("whose connection breaks is rejected, and nothing escapes that would end the process", async () => {
    const escaped: unknown[] = [];
    const note = (error: unknown): number => escaped.push(error);
    process.on("uncaughtException", note);
    onTestFinished(() => {
      process.off("uncaughtException", note);
    });

    const broken = database.transaction((tx) => tx.query("select pg_terminate_backend(pg_backend_pid())"));
    await expect(broken).rejects.toThrow();
    const idle = database.transaction(async (tx) => {
      const [own] = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
      await database.query("select pg_terminate_backend($1)", [own?.pid]);
      await sleep(200);
    });
    await expect(idle).rejects.toThrow();

    expect(escaped).toEqual([]);
    expect(await database.query("select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("that deadlocks with another is tried again, so that both come through", async () => {
    await database.query("insert into vitrine.probe values (1, 0), (2, 0)");
    let arrived = 0;
    const raise = (order: readonly number[]): Promise<void> =>
      database.transaction(async (tx) => {
        for (const [step, id] of order.entries()) {
          await tx.query("update vitrine.probe set count = count + 1 where id = $1", [id]);
          // Both lock their first row before either requests its second.
          if (step === 0) arrived++;
          while (arrived < 2) await sleep(5);
        }
      });

    await Promise.all([raise([1, 2]), raise([2, 1])]);

    expect(await database.query("select count from vitrine.probe order by id")).toEqual([
      { count: 2 },
      { count: 2 },
    ]);
  });
});

it.each([3, 4, 5])("%i copies at once all end, on four connections at most", async (copies) => {
  const seen: number[] = [];
  let copying: Promise<unknown> = Promise.resolve();
  let most = 0;
  const count = async (): Promise<void> => {
    const [row] = await database.query<{ running: number }>(
      `select count(*)::int as running from pg_stat_activity
        where datname = current_database() and state = 'active' and query like 'copy (select 1 from pg_advisory%'`,
    );
    most = Math.max(most, row?.running ?? 0);
  };

  // Each of them waits for a lock, so that they run at once however long a connection takes to open.
  await database.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(7)");
    const select = "select 1 from pg_advisory_xact_lock_shared(7)";
    copying = Promise.all(Array.from({ length: copies }, () => database.copy(select, () => seen.push(1))));
    copying.catch(() => undefined);
    for (; most < Math.min(copies, 4); await sleep(20)) await count();
    // Time for one too many.
    for (let nth = 0; nth < 10; nth++, await sleep(20)) await count();
  });
  await copying;

  expect([seen.length, most]).toEqual([copies, Math.min(copies, 4)]);
});

describe("a statement on its own", () => {
  it("that deadlocks with a transaction, as a read does with a reorg of the index, is tried again", async () => {
    await database.query("create table vitrine.read_first (id int)");
    await database.query("create table vitrine.read_second (id int)");
    const waitingSql =
      "select from pg_locks where relation = 'vitrine.read_second'::regclass and not granted";
    const isWaiting = async (): Promise<boolean> => (await database.query(waitingSql)).length > 0;

    let reading: Promise<unknown[]> = Promise.resolve([]);
    await database.transaction(async (tx) => {
      // PostgreSQL aborts the transaction that detects the deadlock first.
      await tx.query("set local deadlock_timeout = '1h'");
      await tx.query("lock table vitrine.read_second in access exclusive mode");
      reading = database.query("select count(*)::int as count from vitrine.read_first, vitrine.read_second");
      reading.catch(() => undefined);
      while (!(await isWaiting())) await sleep(5);
      await tx.query("lock table vitrine.read_first in access exclusive mode");
    });

    await expect(reading).resolves.toEqual([{ count: 0 }]);
  });
});

describe("a statement with a name", () => {
  it("finds rows by key however small the table was when it was planned, which one without a name need not", async () => {
    await database.query("insert into vitrine.probe values (1, 0), (2, 0)");
    await database.query("analyze vitrine.probe");
    const explain = "explain select count from vitrine.probe where id = 1";
    const planOf = async (name?: string): Promise<string> =>
      JSON.stringify(await database.query(explain, [], name));

    expect(await planOf()).toContain("Seq Scan");
    expect(await planOf("a row by key")).toContain("Index Scan");
  });

  it("waits for no transaction of ours", async () => {
    let opened = 0;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const transactions = Array.from({ length: 10 }, () =>
      database.transaction(async () => {
        opened++;
        await held;
      }),
    );
    while (opened < transactions.length) await sleep(5);

    expect(await database.query("select 1 as one", [], "one")).toEqual([{ one: 1 }]);
    release();
    await Promise.all(transactions);
  });

  it("keeps the plan of each text apart, whatever schema it reads", async () => {
    const texts = [1, 2].map((schema) => `select ${schema} as read`);

    for (const text of [...texts, ...texts]) {
      expect(await database.query(text, [], planName(text))).toEqual([{ read: texts.indexOf(text) + 1 }]);
    }
  });
});

it("statements by key start no workers, which would take longer than the statement", async () => {
  const asKeyed = await database.query("show max_parallel_workers_per_gather", [], "shown workers");
  expect(asKeyed).toEqual([{ max_parallel_workers_per_gather: "0" }]);
  const inTransaction = await database.transaction(
    (tx) => tx.query("show max_parallel_workers_per_gather"),
    "byKey",
  );
  expect(inTransaction).toEqual(asKeyed);
});
