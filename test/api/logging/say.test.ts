/** The format of what a process says without a logger. */

import { expect, it } from "vitest";
import { formatLine } from "../../../src/api/logging/say.ts";

const START = ["node", "bin/start.ts"];
const LINE = 'vitrine: Schema "x" is in use.';

it.each([
  ["--log-format", "json"],
  ["--log-format=json"],
  ["--log-format", "pretty", "--log-format", "json"],
])("a line of a process with %s %s is an object as Ponder's own lines are", (...args) => {
  const before = Date.now();

  const { time, ...entry } = JSON.parse(formatLine(`${LINE}\nSecond`, "error", [...START, ...args]));

  expect(entry).toEqual({ level: 50, msg: `${LINE}\nSecond` });
  expect(time).toBeGreaterThanOrEqual(before);
  expect(formatLine(`${LINE}\nSecond`, "error", [...START, ...args])).not.toContain("\n");
});

it.each([
  [[]],
  [["--log-format"]],
  [["--log-format", "pretty"]],
  [["--log-format=json", "--log-format=pretty"]],
])("a line of a process with the arguments %j is text", (args) => {
  expect(formatLine(LINE, "warn", [...START, ...args])).toBe(LINE);
});
