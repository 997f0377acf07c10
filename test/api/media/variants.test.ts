/** A picture's variants and placeholder, from the real decoder. */

import sharp from "sharp";
import { thumbHashToAverageRGBA } from "thumbhash";
import { afterAll, describe, expect, it } from "vitest";
import { createDecoder } from "../../../src/api/media/decoder/decoder.ts";
import type { DecodedImage } from "../../../src/api/media/decoder/decoder-messages.ts";
import { gif, jpeg, movie, noise, pixel, png } from "./pictures.ts";

const decoder = createDecoder({ processes: 1 });
afterAll(() => decoder.close());

async function decode(body: Buffer): Promise<DecodedImage> {
  const decoded = await decoder.decode("image", body);
  if (!("kind" in decoded) || decoded.kind !== "image") throw new Error(JSON.stringify(decoded));
  return decoded;
}

const sizesOf = ({ variants }: DecodedImage): number[] => variants?.map(({ side }) => side) ?? [];

describe("the variants of a picture", () => {
  it.each<[string, () => Buffer | Promise<Buffer>]>([
    ["PNG", () => noise(600).png().toBuffer()],
    ["PNG in one colour", () => png(480, 480)],
    ["PNG of 16 bits in grey", () => noise().toColourspace("grey16").png().toBuffer()],
    ["JPEG in CMYK", () => noise().toColourspace("cmyk").jpeg().toBuffer()],
    ["JPEG on its side", () => jpeg(480, 700, 6)],
    ["GIF of one frame", () => noise().gif().toBuffer()],
  ])("%s: two WebPs of 480 and 240 pixels, each smaller than the picture", async (_name, make) => {
    const image = await decode(await make());

    expect(sizesOf(image)).toEqual([480, 240]);
    for (const { side, bytes } of image.variants ?? []) {
      const { format, width, height, exif, icc, xmp } = await sharp(bytes).metadata();
      expect({ format, width, height, exif, icc, xmp }).toEqual({
        format: "webp",
        width: side,
        height: side,
      });
      expect(bytes.length).toBeLessThan(image.bytes.length);
    }
  });

  it("keep transparent edges transparent, and colours", async () => {
    const { variants } = await decode(await png(960, 480));

    for (const { side, bytes } of variants ?? []) {
      expect((await pixel(bytes, 2, 2)).at(3)).toBe(0);
      const [red = 0, green = 0, blue = 0, alpha] = await pixel(bytes, side / 2, side / 2);
      for (const [found, expected] of [
        [red, 200],
        [green, 20],
        [blue, 20],
      ] as const)
        expect(Math.abs(found - expected)).toBeLessThan(6);
      expect(alpha).toBe(255);
    }
  });

  it("of a GIF have its frames, delays and loops", async () => {
    const image = await decode(await movie(5, { delay: [40, 80, 120, 160, 200], loop: 3 }));

    expect(sizesOf(image)).toEqual([480, 240]);
    for (const { bytes } of image.variants ?? []) {
      const { pages, delay, loop } = await sharp(bytes, { animated: true }).metadata();
      expect({ pages, delay, loop }).toEqual({ pages: 5, delay: [40, 80, 120, 160, 200], loop: 3 });
    }
  });

  it("of a GIF that plays for ever do so too", async () => {
    const { variants } = await decode(await movie(2, { loop: 0 }));

    expect((await sharp(variants?.[0]?.bytes, { animated: true }).metadata()).loop).toBe(0);
  });

  it("are left out where they are no smaller, which refuses nothing", async () => {
    const image = await decode(gif(40, 480));

    expect(image.frames).toBe(40);
    for (const { bytes } of image.variants ?? []) expect(bytes.length).toBeLessThan(image.bytes.length);
  });
});

async function redThenGreen(): Promise<Buffer> {
  const green = await sharp(await png(480, 480))
    .tint("#00ff00")
    .png()
    .toBuffer();
  return sharp([await png(480, 480), green], { join: { animated: true } })
    .gif()
    .toBuffer();
}

describe("the placeholder", () => {
  it.each<[string, () => Promise<Buffer>, readonly number[]]>([
    ["of a picture in one colour", () => png(480, 480), [200, 20, 20, 255]],
    ["of a picture with transparent edges", () => png(960, 480), [200, 20, 20, 128]],
    ["of a GIF, from its first frame", () => redThenGreen(), [200, 20, 20, 255]],
  ])("%s has its colours", async (_name, make, expected) => {
    const { placeholder } = await decode(await make());

    const { r, g, b, a } = thumbHashToAverageRGBA(Buffer.from(placeholder ?? "", "base64"));
    [r, g, b, a].forEach((found, at) => {
      expect(Math.abs(found * 255 - (expected[at] ?? 0))).toBeLessThan(24);
    });
  });
});
