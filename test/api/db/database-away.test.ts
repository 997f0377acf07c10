import { expect, it } from "vitest";
import { isDatabaseAway } from "../../../src/api/db/database-away.ts";

const withCode = (code: string): Error => Object.assign(new Error("x"), { code });

it.each([
  withCode("ECONNREFUSED"),
  withCode("ECONNRESET"),
  withCode("57P01"),
  withCode("57P03"),
  withCode("08006"),
  withCode("53300"),
  withCode("53100"),
  new Error("Connection terminated unexpectedly"),
  new Error("Connection terminated due to connection timeout"),
  new Error("timeout exceeded when trying to connect"),
  new Error("query failed", { cause: withCode("57P01") }),
])("%s means that the database is away", (error) => {
  expect(isDatabaseAway(error)).toBe(true);
});

it.each([withCode("42P01"), withCode("23505"), withCode("57014"), new Error("anything"), undefined, "57P01"])(
  "%s does not",
  (error) => {
    expect(isDatabaseAway(error)).toBe(false);
  },
);
