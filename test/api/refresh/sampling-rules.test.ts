import { describe, expect, it } from "vitest";
import { isUriSweepDue, nextStep, spread } from "../../../src/api/refresh/sampling/rules.ts";

describe("spread", () => {
  it.each([
    { count: 0, turn: 0, expected: [[], [], []] },
    { count: 1, turn: 7, expected: [[0], [0], [0]] },
    { count: 4, turn: 1, expected: [[0, 1, 2, 3]] },
    {
      count: 8,
      turn: 0,
      expected: [
        [0, 2, 4, 6],
        [1, 3, 5, 7],
        [0, 2, 4, 6],
      ],
    },
    {
      count: 9,
      turn: 0,
      expected: [
        [0, 3, 6],
        [1, 4, 7],
        [2, 5, 8],
      ],
    },
  ])("of $count entries from turn $turn on", ({ count, turn, expected }) => {
    const entries = Array.from({ length: count }, (_, index) => index);

    expect(expected.map((_, turns) => spread(entries, 4, turn + turns))).toEqual(expected);
  });

  it("never exceeds its count, and leaves no entry out for ever", () => {
    for (let length = 1; length <= 120; length++) {
      const entries = Array.from({ length }, (_, index) => index);
      const turns = Array.from({ length: Math.ceil(length / 4) }, (_, turn) => spread(entries, 4, turn));

      expect(turns.every((some) => some.length >= 1 && some.length <= 4)).toBe(true);
      expect(new Set(turns.flat()).size).toBe(length);
    }
  });
});

it.each([
  { further: 16, read: 4, changed: 0, isSweepDue: true, next: "end" },
  { further: 16, read: 4, changed: 1, isSweepDue: true, next: "further" },
  { further: 16, read: 1, changed: 1, isSweepDue: true, next: "further" },
  // Nothing could be read, so nothing is known.
  { further: 16, read: 0, changed: 0, isSweepDue: true, next: "postpone" },
  // Swept recently: more samples could trigger nothing.
  { further: 16, read: 4, changed: 4, isSweepDue: false, next: "end" },
  // Everything has been read.
  { further: 0, read: 3, changed: 3, isSweepDue: true, next: "end" },
  { further: null, read: 16, changed: 0, isSweepDue: true, next: "end" },
  { further: null, read: 16, changed: 1, isSweepDue: true, next: "end" },
  { further: null, read: 16, changed: 2, isSweepDue: true, next: "sweep" },
  { further: null, read: 10, changed: 1, isSweepDue: true, next: "end" },
  { further: null, read: 1, changed: 1, isSweepDue: true, next: "sweep" },
  { further: null, read: 0, changed: 0, isSweepDue: true, next: "end" },
  // Another sweep started during the round.
  { further: null, read: 16, changed: 16, isSweepDue: false, next: "end" },
])("$changed of $read changed, further: $further, a sweep due: $isSweepDue: $next", ({ next, ...found }) => {
  expect(nextStep(found)).toBe(next);
});

it.each([
  { changedInARow: 0, isDayOver: false, isDue: true },
  { changedInARow: 1, isDayOver: false, isDue: true },
  { changedInARow: 2, isDayOver: false, isDue: false },
  { changedInARow: 2, isDayOver: true, isDue: true },
  { changedInARow: 99, isDayOver: true, isDue: true },
])("after $changedInARow rounds with changed URIs, a day over: $isDayOver", ({ isDue, ...after }) => {
  expect(isUriSweepDue(after.changedInARow, after.isDayOver)).toBe(isDue);
});
