import { expect, it } from "vitest";
import { lockHolders } from "../../../src/api/trading/lock-holders.ts";
import type { LockEntry } from "../../../src/api/trading/store.ts";
import type { LockStandardName } from "../../../src/domain/lock-standards.ts";

/** `+a` is a lock by a, `-a` an unlock by a. */
const entries = (text: string, standard: LockStandardName = "erc721x"): LockEntry[] =>
  text
    .split(" ")
    .filter(Boolean)
    .map((step) => ({
      tokenId: "1",
      standard,
      direction: step.startsWith("+") ? "lock" : "unlock",
      approvedContract: step.slice(1),
    }));

it.each([
  ["nobody locked", "", []],
  ["one locked", "+a", ["a"]],
  ["two locked, in their order", "+b +a", ["b", "a"]],
  ["two locked and the first unlocked", "+a +b -a", ["b"]],
  ["two locked and both unlocked", "+a +b -b -a", []],
  ["one locked twice", "+a +a", ["a"]],
  ["one locked twice and unlocked once, which leaves its other lock", "+a +a -a", ["a"]],
  ["one locked twice and unlocked twice", "+a +a -a -a", []],
  ["one locked again after its unlock, behind those who stayed", "+a +b -a +a", ["b", "a"]],
  ["another one unlocked, which says nothing about the holders", "+a +b -c", ["a", "b"]],
  ["an unlock without a lock before it pays for no later lock", "-a +a", ["a"]],
])("when %s", (_case, steps, holders) => {
  expect(lockHolders(entries(steps))).toEqual(holders);
});

it.each([
  ["the last one named holds", "+a +b", ["b"]],
  ["any unlock lets go, whoever it names", "+a +a -c", []],
])("where the last event decides, %s", (_case, steps, holders) => {
  expect(lockHolders(entries(steps), true)).toEqual(holders);
  expect(lockHolders(entries(steps, "erc5753"))).toEqual(holders);
});

it("of two standards are each one's own, and a standard that names nobody adds nobody", () => {
  const soulbound = entries("+", "erc5192").map((entry) => ({ ...entry, approvedContract: null }));
  const steps = [...entries("+a"), ...soulbound, ...entries("+b", "erc5753"), ...entries("-a")];

  expect(lockHolders(steps)).toEqual(["b"]);
});
