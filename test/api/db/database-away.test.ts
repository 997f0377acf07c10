import { expect, it } from "vitest";
import { isDatabaseAway, isDatabaseUnavailable } from "../../../src/api/db/database-away.ts";
import { redactError } from "../../../src/api/graphql/routes.ts";

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
  new Error("Connection terminated unexpectedly"),
  new Error("Connection terminated due to connection timeout"),
  new Error("timeout exceeded when trying to connect"),
  new Error("timeout expired"),
  new Error("Query read timeout"),
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

it.each([
  withCode("57014"),
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
