/** The `data:` URL of a thumbhash: small, true to its colours, and nothing where it would harm. */

import sharp from "sharp";
import { rgbaToThumbHash } from "thumbhash";
import { expect, it } from "vitest";
import { placeholderUrl } from "../../../src/api/pages/placeholder.ts";

const RED = [255, 0, 0, 255];
const BLUE = [0, 0, 255, 255];
const CLEAR = [0, 0, 0, 0];

/** A thumbhash in base64 of a picture whose left half has one colour and whose right half another. */
const hashOf = (left: number[], right: number[], width = 8, height = 8): string => {
  const row = Array.from({ length: width }, (_, x) => (x < width / 2 ? left : right)).flat();
  const pixels = Array.from({ length: height }, () => row).flat();
  return Buffer.from(rgbaToThumbHash(width, height, pixels)).toString("base64");
};

it("is a PNG of eight by eight pixels with the picture's colours where they are", async () => {
  const url = placeholderUrl(hashOf(RED, BLUE)) ?? "";

  expect(url.length).toBeLessThan(500);
  const png = Buffer.from(url.replace("data:image/png;base64,", ""), "base64");
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: 8, height: 8, channels: 3 });
  const [leftRed = 0, , leftBlue = 0] = data;
  const [rightRed = 0, , rightBlue = 0] = data.subarray(7 * 3);
  expect(leftRed).toBeGreaterThan(leftBlue + 100);
  expect(rightBlue).toBeGreaterThan(rightRed + 100);
});

it.each([
  ["transparent parts, behind which it would stay", hashOf(RED, CLEAR)],
  ["a picture that is not square", hashOf(RED, BLUE, 16, 4)],
  ["nothing", ""],
  ["a single byte", "AA=="],
  ["bytes that are no thumbhash", Buffer.alloc(3).toString("base64")],
  ["text that is no base64", '"><script>'],
])("is none for %s", (_, thumbhash) => {
  expect(placeholderUrl(thumbhash)).toBeUndefined();
});

it("is the same each time", () => {
  const hash = hashOf(BLUE, RED);
  expect(placeholderUrl(hash)).toBe(placeholderUrl(hash));
});
