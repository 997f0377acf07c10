/** A column of texts longer than what is searched byte by byte finds the same items as a search of each text. */

import { expect, it } from "vitest";
import { emptyBits, hasBit } from "../../../src/api/search/columns/bits.ts";
import { createTextColumn } from "../../../src/api/search/columns/text-column.ts";
import { createTrigramSignatures } from "../../../src/api/search/columns/trigram-signatures.ts";

const ITEMS = 300_000;

/** Numbers that look random and are the same in every run. */
const scatter = (nth: number, below: number): number => ((nth * 7_919) % 1_000_003) % below;

function textOf(item: number): string | null {
  if (item % 97 === 0) return null;
  if (item % 89 === 0) return "One of Many";
  if (item % 1_009 === 0) return `Ünïque №${item} ${"long ".repeat(40)}end`;
  return `Hero #${scatter(item, 1_000_003)} of ${["Élan", "Iron", "Moon"][item % 3]}`;
}

const texts = Array.from({ length: ITEMS }, (_, item) => textOf(item));

const itemsWith = (text: string): number[] => {
  const searched = text.toLowerCase();
  return texts.flatMap((each, item) => (each?.toLowerCase().includes(searched) ? [item] : []));
};

const cases = [
  "#4567",
  "#123456 of",
  "o #77",
  "élan",
  "№1009 ",
  "g end",
  "8 of Moon",
  "nowhere",
  "#",
  "e",
  "of",
  "One of Many",
  "1 of iron",
  "Hero #",
];

it.each(["set", "setBytes"] as const)("finds every item that contains a text, with %s", (way) => {
  const column = createTextColumn();
  texts.forEach((text, item) => {
    if (way === "set" || text === null) column.set(item, text);
    else column.setBytes(item, Buffer.from(text), 0, Buffer.byteLength(text));
  });
  column.endBulk();
  expect(column.bytes).toBeGreaterThan(6_000_000);

  for (const text of cases) {
    const bits = emptyBits(ITEMS);
    column.fillHolding(bits, text);
    const found = texts.flatMap((_, item) => (hasBit(bits, item) ? [item] : []));
    expect(found, text).toEqual(itemsWith(text));
  }
});

it("rules out nearly all blocks of names for a text of four characters, and none for a common one", () => {
  const names = Array.from({ length: 100_000 }, (_, nth) => Buffer.from(`hero #${scatter(nth, 1_000_003)}`));
  const starts = new Uint32Array(names.length + 1);
  names.forEach((name, nth) => {
    starts[nth + 1] = (starts[nth] as number) + name.length + 1;
  });
  const bytes = new Uint8Array(starts[names.length] as number).fill(0xff);
  names.forEach((name, nth) => {
    bytes.set(name, starts[nth]);
  });
  const signatures = createTrigramSignatures(0);
  signatures.add({ bytes, starts }, names.length);

  const blocks = signatures.blocksWith(Buffer.from("#456")) ?? new Uint32Array(0);
  const entries = Array.from({ length: blocks.length / 2 }, (_, nth) => {
    const [from = 0, to = 0] = blocks.subarray(2 * nth);
    return to - from;
  });
  const searched = entries.reduce((sum, count) => sum + count, 0);
  expect(searched).toBeGreaterThan(0);
  expect(searched).toBeLessThan(names.length / 5);
  expect(signatures.blocksWith(Buffer.from("hero"))).toBeUndefined();
  expect(signatures.blocksWith(Buffer.from("#4"))).toBeUndefined();
});
