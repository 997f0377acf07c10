import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createDatabase } from "../../../src/api/db/database.ts";
import {
  isDatabaseAway,
  isDatabaseUnavailable,
  refusesConnections,
} from "../../../src/api/db/database-away.ts";
import { redactError } from "../../../src/api/graphql/routes.ts";
import { createDatabaseOf } from "../../support/database/run-database.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";

const withCode = (code: string): Error => Object.assign(new Error("x"), { code });

it.each([
  withCode("ECONNREFUSED"),
  withCode("ECONNRESET"),
  withCode("EAI_AGAIN"),
  withCode("ENETUNREACH"),
  withCode("57P01"),
  withCode("57P03"),
  withCode("08006"),
  withCode("53300"),
  withCode("53100"),
  withCode("25006"),
  withCode("28P01"),
  withCode("28000"),
  Object.assign(withCode("ENOENT"), { syscall: "connect" }),
  Object.assign(withCode("XX000"), { routine: "write_relcache_init_file" }),
  new Error("Connection terminated unexpectedly"),
  new Error("Connection terminated due to connection timeout"),
  new Error("timeout exceeded when trying to connect"),
  new Error("timeout expired"),
  new Error("Query read timeout"),
  new Error("query failed", { cause: withCode("57P01") }),
])("%s means that the database is away", (error) => {
  expect(isDatabaseAway(error)).toBe(true);
});

it.each([
  ...[withCode("42P01"), withCode("23505"), withCode("57014"), withCode("ENOENT"), withCode("XX000")],
  ...[new Error("anything"), undefined, "57P01"],
])("%s does not", (error) => {
  expect(isDatabaseAway(error)).toBe(false);
});

it.each([
  withCode("57014"),
  withCode("55P03"),
  withCode("40P01"),
  withCode("40001"),
  new Error("query failed", { cause: withCode("57014") }),
])("%s means that it is busy, and a request may succeed soon", (error) => {
  expect(isDatabaseAway(error)).toBe(false);
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(redactError(error).code).toBe("UNAVAILABLE");
});

it.each([withCode("42P01"), withCode("23505"), new Error("anything"), undefined, "57014"])(
  "%s does not mean that",
  (error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  },
);

it("a database that answers, and one that is slow to, refuse no connections; a port without a listener does", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await new Promise((done) => silent.once("listening", done));
  const { port } = silent.address() as { port: number };
  const { url, drop } = await createDatabaseOf();
  onTestFinished(drop);
  const refuses = async (of: string) => {
    const database = createDatabase(of, createMemoryLogger().logger);
    onTestFinished(() => database.close());
    return refusesConnections(database);
  };
  const at = (of: number) => `postgresql://a:b@127.0.0.1:${of}/c`;

  expect(await Promise.all([url, at(port), at(1)].map(refuses))).toEqual([false, false, true]);
});
