import { expect, it } from "vitest";
import { z } from "zod";
import { tokenList } from "../../../src/api/http/token-list.ts";

let read = 0;
const entry = z.string().refine((text) => ++read > 0 && text !== "no", { error: "must not be no" });
const list = tokenList(entry, { max: 3, one: "id", many: "ids" });
const messages = (value: unknown) => list.safeParse(value).error?.issues.map(({ message }) => message);

it.each([
  [["a", "b", "c"], undefined],
  [
    ["a", "no", "no"],
    ["must not be no", "must not be no"],
  ],
  [[], ["must contain at least one id"]],
])("%j", (value, expected) => {
  expect(messages(value)).toEqual(expected);
});

it("reads no entry of a list that is too long", () => {
  read = 0;

  expect(messages(Array(20_000).fill("no"))).toEqual(["has 20000 ids; the limit is 3"]);
  expect(read).toBe(0);
});

it("is a list", () => {
  expect(messages("a")).toHaveLength(1);
  expect(messages(undefined)).toHaveLength(1);
});
