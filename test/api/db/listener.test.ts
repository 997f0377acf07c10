import { createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { listen } from "../../../src/api/db/listener.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";

const { url, database } = await createTestDatabase();

const countConnections = async (): Promise<number> => {
  const rows = await database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
      where application_name = 'vitrine listener' and datname = current_database()`,
  );
  return rows[0]?.count ?? 0;
};

it("wakes once connected, and with the channel and the text of each notification", async () => {
  const woken: unknown[] = [];
  const listener = listen(url, ["one"], (...wake) => void woken.push(wake), silentLogger);
  onTestFinished(() => listener.close());
  await eventually(
    () => woken,
    (all) => all.length === 1,
  );
  await database.query("select pg_notify('one', 'text'), pg_notify('two', '')");
  await eventually(
    () => woken,
    (all) => all.length === 2,
  );
  expect(woken).toEqual([[], ["one", "text"]]);
});

it("is known by the schema that it serves, whatever name the connection string gives", async () => {
  const named = Object.assign(new URL(url), { search: "?application_name=shop" }).href;
  const listener = listen(named, ["one"], () => undefined, silentLogger, "vitrine_chain");
  onTestFinished(() => listener.close());

  await eventually(
    () =>
      database.query(
        "select from pg_stat_activity where application_name = 'vitrine listener vitrine_chain'",
      ),
    ({ length }) => length === 1,
  );
});

it.each(["größe", "é".repeat(31)])(
  "is known by the hash of schema %s, whose name PostgreSQL would change",
  async (schema) => {
    const listener = listen(url, ["one"], () => undefined, silentLogger, schema);
    onTestFinished(() => listener.close());

    // As `ponder db prune` looks for it (patches/).
    const hash = createHash("sha256").update(schema).digest("hex").slice(0, 32);
    await eventually(
      () =>
        database.query("select from pg_stat_activity where application_name = $1", [
          `vitrine listener ${hash}`,
        ]),
      ({ length }) => length === 1,
    );
  },
);

it("comes back when its connection is ended", async () => {
  let wakes = 0;
  const listener = listen(url, ["one"], () => wakes++, silentLogger);
  onTestFinished(() => listener.close());
  await eventually(
    () => wakes,
    (count) => count === 1,
  );
  await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'vitrine listener'",
  );
  await eventually(
    () => wakes,
    (count) => count === 2,
  );
  expect(await countConnections()).toBe(1);
});

it("keeps no connection on which PostgreSQL refuses to listen, as a standby does", async () => {
  const { logger, entries } = createMemoryLogger();
  // PostgreSQL refuses this name; a standby refuses every one.
  const listener = listen(url, [""], () => undefined, logger);
  onTestFinished(() => listener.close());
  await eventually(
    () => entries,
    (all) => all.length === 3,
  );
  expect(await countConnections()).toBeLessThanOrEqual(1);
});

it("is said to be lost once while nothing answers, and to be back", async () => {
  const { logger, entries } = createMemoryLogger();
  let tries = 0;
  const target = new URL(url);
  const away = createServer((socket) => {
    if (++tries <= 3) return void socket.destroy();
    const server = connect(Number(target.port || 5432), target.hostname);
    socket.pipe(server).pipe(socket);
    for (const end of [socket, server]) end.on("error", () => undefined);
  }).listen(0, "127.0.0.1");
  await once(away, "listening");
  onTestFinished(() => void away.close());
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String((away.address() as AddressInfo).port);

  let wakes = 0;
  const listener = listen(through.href, ["one"], () => wakes++, logger);
  onTestFinished(() => listener.close());
  await eventually(
    () => wakes,
    (count) => count === 1,
  );

  expect(tries).toBe(4);
  expect(entries.map(({ level, msg }) => [level, msg])).toEqual([
    ["warn", "Lost the notification connection"],
    ["info", "The notification connection is back"],
  ]);
});
