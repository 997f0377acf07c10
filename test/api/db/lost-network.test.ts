/** Connections whose network is gone without a word: neither side may wait for the other for hours. */

import { connect, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createDatabase } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const { url, database: direct } = await createTestDatabase();
const SOON_MS = 500;

/** Forwards to PostgreSQL. After `lose`, the connections of that moment stay open and silent; new ones work. */
async function startNetwork() {
  const { hostname, port } = new URL(url);
  const pairs: (readonly [Socket, Socket])[] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const pair = [client, upstream] as const;
    pairs.push(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on("error", () => undefined);
      from.pipe(to);
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    for (const socket of pairs.flat()) socket.destroy();
    server.close();
  });
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String((server.address() as { port: number }).port);
  const database = createDatabase(through.href, silentLogger, {
    plain: 2,
    keyed: 2,
    answerTimeoutMs: SOON_MS,
  });
  return {
    database,
    lose() {
      for (const [client, upstream] of pairs) {
        client.unpipe();
        upstream.unpipe();
        client.resume();
        upstream.resume();
      }
    },
  };
}

type Connected = ReturnType<typeof createDatabase>;
const ways: readonly [what: string, ask: (database: Connected) => Promise<unknown>][] = [
  ["a statement", (database) => database.query("select 1")],
  ["a named statement", (database) => database.query("select 1", [], "one")],
  ["a bulk read", (database) => database.copy("select 1", () => undefined)],
  ["a transaction", (database) => database.transaction((tx) => tx.query("select 1"))],
];

it.each(ways)("%s without an answer rejects, and the next one gets a new connection", async (_, ask) => {
  const { database, lose } = await startNetwork();
  await Promise.all([ask(database), ask(database)]);
  lose();

  const lost = await Promise.allSettled([ask(database), ask(database)]);

  expect(lost.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await ask(database);
});

it("an answer may be waited for longer where a transaction says so", async () => {
  const { database } = await startNetwork();
  const wait = `select pg_sleep(${(2 * SOON_MS) / 1_000})`;

  await expect(database.transaction((tx) => tx.query(wait))).rejects.toThrow("Query read timeout");
  await database.transaction((tx) => tx.query(wait), "plain", 20 * SOON_MS);
});

it("PostgreSQL ends the session of a lost process, and its locks with it", async () => {
  const settings = (query: Connected["query"], name?: string) =>
    query<{ name: string; setting: string }>(
      "select name, setting from pg_settings where name = any($1) order by name",
      [["idle_in_transaction_session_timeout", "tcp_keepalives_idle", "tcp_keepalives_count"]],
      name,
    ).then((rows) => rows.map(({ setting }) => setting));
  const snapshot = await direct.snapshot();
  onTestFinished(() => snapshot.close());

  const ended = ["60000", "3", "5"];
  expect(await settings(direct.query)).toEqual(ended);
  expect(await settings(direct.query, "settings")).toEqual(ended);
  expect(await snapshot.read((tx) => settings(tx.query))).toEqual(ended);
});
