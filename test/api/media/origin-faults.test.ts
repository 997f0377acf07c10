/** What a source says of its colours, its transparency and its disposal, rendered as browsers show it. */

import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { createDecoder } from "../../../src/api/media/decoder/decoder.ts";
import { encodeFrame } from "./gif-codes.ts";
import { chunk, pixel } from "./pictures.ts";

const decoder = createDecoder({ processes: 1 });
afterAll(() => decoder.close());

async function render(body: Buffer): Promise<Buffer> {
  const decoded = await decoder.decode("image", body);
  if (!("bytes" in decoded)) throw new Error(JSON.stringify(decoded));
  return Buffer.from(decoded.bytes);
}

const SIDE = 480;
const CHANNELS = { grey: [0, 1], colour: [2, 3], greyAlpha: [4, 2], colourAlpha: [6, 4] } as const;

/** One colour all over; `samples` are of `depth` bits. */
function plain(
  kind: keyof typeof CHANNELS,
  samples: readonly number[],
  { depth = 8, before = [] as readonly Buffer[], side = SIDE } = {},
): Buffer {
  const [type] = CHANNELS[kind];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = depth;
  header[9] = type;
  const one = depth === 8 ? samples : samples.flatMap((sample) => [sample >> 8, sample & 0xff]);
  const row = Buffer.from([0, ...Array.from({ length: side }, () => one).flat()]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    ...before,
    chunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: side }, () => row)))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const words = (...values: readonly number[]): Buffer => {
  const data = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) data.writeUInt32BE(value, 4 * index);
  return data;
};
const gamma = (value: number) => chunk("gAMA", words(Math.round(value * 100_000)));
const coded = (...values: readonly number[]) => chunk("cICP", Buffer.from(values));
const SRGB = chunk("sRGB", Buffer.from([0]));
// Of Display P3 and of sRGB (PNG, third edition, 11.3.2.1).
const P3 = chunk("cHRM", words(31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000));
const NO_COLOURS = chunk("cHRM", words(31_270, 32_900, 10_000, 10_000, 20_000, 20_000, 30_000, 30_000));
const damaged = (body: Buffer): Buffer => Buffer.from([...body.subarray(0, -1), (body.at(-1) ?? 0) ^ 1]);
const GREY = [128, 128, 128] as const;

describe("a PNG is shown in the colours that it means", () => {
  // By the formulas: 0.5 as light is 188 in sRGB.
  it.each<[string, readonly Buffer[], readonly number[]]>([
    ["none stated: sRGB", [], [128, 128, 128]],
    ["gAMA of light itself", [gamma(1)], [188, 188, 188]],
    ["gAMA of 1/2.2, which stands for sRGB", [gamma(0.45455)], [128, 128, 128]],
    ["gAMA of an old Mac", [gamma(0.55556)], [146, 146, 146]],
    ["gAMA of 0, which means nothing", [gamma(0)], [128, 128, 128]],
    ["a damaged gAMA", [damaged(gamma(1))], [128, 128, 128]],
    ["sRGB stands above gAMA", [gamma(1), SRGB], [128, 128, 128]],
    ["cICP stands above sRGB", [coded(1, 8, 0, 1), SRGB], [188, 188, 188]],
    ["cICP of light itself", [coded(1, 8, 0, 1)], [188, 188, 188]],
    ["cICP of sRGB", [coded(1, 13, 0, 1)], [128, 128, 128]],
    ["cICP of video", [coded(1, 1, 0, 1)], [121, 121, 121]],
    ["cICP of a matrix, which no PNG has", [coded(1, 8, 1, 1)], [128, 128, 128]],
    ["cICP of a narrow range", [coded(1, 8, 0, 0)], [128, 128, 128]],
    ["cICP of unknown primaries", [coded(99, 8, 0, 1)], [128, 128, 128]],
    ["cICP behind a profile of the file's own", [gamma(1), coded(1, 13, 0, 1)], [128, 128, 128]],
    ["cHRM that spans no colours", [gamma(1), NO_COLOURS], [128, 128, 128]],
  ])("%s", async (_name, before, expected) => {
    const shown = await pixel(await render(plain("colour", GREY, { before })), 240, 240);

    for (const [index, value] of expected.entries())
      expect(Math.abs((shown[index] ?? 0) - value)).toBeLessThanOrEqual(1);
  });

  it.each<[string, readonly Buffer[]]>([
    ["cICP", [coded(12, 13, 0, 1)]],
    ["cHRM", [P3]],
  ])("a red of Display P3 is a stronger one in sRGB: %s", async (_name, before) => {
    const [red = 0, green = 0, blue = 0] = await pixel(
      await render(plain("colour", [128, 64, 64], { before })),
      240,
      240,
    );

    // CSS Color 4: color(display-p3 0.502 0.251 0.251) is rgb(138 59 62).
    expect([Math.abs(red - 138), Math.abs(green - 59), Math.abs(blue - 62)].every((off) => off <= 1)).toBe(
      true,
    );
  });

  it.each<[string, keyof typeof CHANNELS, readonly number[], readonly Buffer[], readonly number[]]>([
    ["colours of Display P3", "colour", [128, 64, 64], [P3], [138, 59, 62, 255]],
    ["the same, seen through", "colourAlpha", [128, 64, 64, 128], [P3], [138, 59, 62, 128]],
    ["sRGB", "colour", [128, 64, 64], [], [128, 64, 64, 255]],
    ["sRGB, seen through", "colourAlpha", [128, 64, 64, 128], [], [128, 64, 64, 128]],
  ])("of 16 bits: %s", async (_name, kind, samples, before, expected) => {
    const source = plain(
      kind,
      samples.map((sample) => sample * 257),
      { depth: 16, before },
    );

    const shown = await pixel(await render(source), 240, 240);

    expect(
      shown.map((value, index) => Math.abs(value - (expected[index] ?? 0))).every((off) => off <= 1),
    ).toBe(true);
  });

  it.each<[keyof typeof CHANNELS, number, readonly number[]]>([
    ["grey", 8, [128]],
    ["greyAlpha", 8, [128, 255]],
    ["colourAlpha", 8, [128, 128, 128, 255]],
    ["grey", 16, [32_896]],
    ["greyAlpha", 16, [32_896, 65_535]],
    ["colour", 16, [32_896, 32_896, 32_896]],
  ])("in %s of %i bits as well", async (kind, depth, samples) => {
    const source = plain(kind, samples, { depth, before: [gamma(1)] });

    const [red = 0] = await pixel(await render(source), 240, 240);

    expect(Math.abs(red - 188)).toBeLessThanOrEqual(1);
  });

  it.each<["png" | "jpeg"]>([["png"], ["jpeg"]])("an ICC profile is applied: %s", async (format) => {
    const grey = sharp({ create: { width: SIDE, height: SIDE, channels: 3, background: "#c04040" } });
    const source = await grey.withIccProfile("p3")[format]().toBuffer();
    const inProfile = await sharp(source).toColourspace("srgb").raw().toBuffer();

    const shown = await pixel(await render(source), 240, 240);

    // The library writes the same colour in the profile's numbers; back in sRGB it is the same again.
    expect((await sharp(source).metadata()).hasProfile).toBe(true);
    expect(Math.abs((shown[0] ?? 0) - (inProfile[0] ?? 0))).toBeLessThanOrEqual(2);
    expect(Math.abs((shown[0] ?? 0) - 0xc0)).toBeLessThanOrEqual(2);
    expect((await sharp(await render(source)).metadata()).hasProfile).toBe(false);
  });
});

describe("colours under transparent pixels", () => {
  it.each<[string, number, keyof typeof CHANNELS, readonly number[]]>([
    ["as large as the picture", SIDE, "colourAlpha", [200, 10, 30, 0]],
    ["larger", 2 * SIDE, "colourAlpha", [200, 10, 30, 0]],
    ["in grey", SIDE, "greyAlpha", [200, 0]],
  ])("are dropped: %s", async (_name, side, kind, samples) => {
    const picture = await render(plain(kind, samples, { side }));

    expect(await pixel(picture, 240, 240)).toEqual([0, 0, 0, 0]);
  });

  it("stay where anything of them is seen", async () => {
    const picture = await render(plain("colourAlpha", [200, 10, 30, 1]));

    expect(await pixel(picture, 240, 240)).toEqual([200, 10, 30, 1]);
  });
});

describe("colours that are seen through", () => {
  it.each<[keyof typeof CHANNELS, number, readonly number[]]>([
    ["colourAlpha", SIDE, [200, 100, 50, 128]],
    ["colourAlpha", SIDE + 20, [200, 100, 50, 128]],
    ["colourAlpha", 2 * SIDE, [200, 100, 50, 128]],
    ["greyAlpha", 2 * SIDE, [128, 128]],
  ])("stay as they are, in the picture and its variants: %s of %i pixels", async (kind, side, samples) => {
    const decoded = await decoder.decode("image", plain(kind, samples, { side }));
    if (!("bytes" in decoded) || decoded.kind !== "image") throw new Error(JSON.stringify(decoded));
    const [red = 0, ...rest] = samples;
    const [green, blue, alpha] = rest.length > 1 ? rest : [red, red, ...rest];

    for (const body of [decoded.bytes, ...(decoded.variants ?? []).map(({ bytes }) => bytes)]) {
      const shown = await pixel(Buffer.from(body), 120, 120);
      const off = [red, green, blue, alpha].map((value, index) =>
        Math.abs((shown[index] ?? 0) - (value ?? 0)),
      );
      // WebP has fewer colours.
      expect(Math.max(...off)).toBeLessThanOrEqual(body === decoded.bytes ? 1 : 4);
    }
  });
});

const pair = (value: number): number[] => [value & 0xff, value >> 8];

interface Frame {
  readonly side: number;
  /** Of each pixel in turn. */
  readonly colours: readonly number[];
  readonly disposal: number;
  readonly transparent?: number;
  /** Without a control extension. */
  readonly isBare?: boolean;
}

/** On a canvas whose background colour is 1, red. */
function animation(bits: number, frames: readonly Frame[]): Buffer {
  const palette = Array.from(
    { length: 2 ** bits },
    (_, index) =>
      [
        [0, 0, 0],
        [255, 0, 0],
        [0, 255, 0],
        [0, 0, 255],
      ][index] ?? [index, index, index],
  );
  const screen = [...pair(SIDE), ...pair(SIDE), 0x80 | (bits - 1), 1, 0, ...palette.flat()];
  const parts = frames.map(({ side, colours, disposal, transparent, isBare = false }) => {
    const flags = (disposal << 2) | (transparent === undefined ? 0 : 1);
    const control = isBare ? [] : [0x21, 0xf9, 4, flags, 5, 0, transparent ?? 0, 0];
    const pixels = Array.from({ length: side * side }, (_, index) => colours[index % colours.length] ?? 0);
    return [...control, 0x2c, 0, 0, 0, 0, ...pair(side), ...pair(side), 0, ...encodeFrame(pixels, bits)];
  });
  return Buffer.concat([
    Buffer.from("GIF89a"),
    Buffer.from(screen),
    ...parts.map((each) => Buffer.from(each)),
    Buffer.from([0x3b]),
  ]);
}

async function second(picture: Buffer, left: number, top: number): Promise<number[]> {
  return pixel(await sharp(picture, { page: 1 }).png().toBuffer(), left, top);
}

const NEXT: Frame = { side: 10, colours: [3], disposal: 0 };
const ALL = Array.from({ length: 256 }, (_, index) => index);
const CLEAR = [0, 0, 0, 0];
const GREEN = [0, 255, 0, 255];

describe("behind the frame of a GIF", () => {
  it.each<[string, number, Frame, readonly number[]]>([
    ["disposed to the background: transparent", 2, { side: SIDE, colours: [2], disposal: 2 }, CLEAR],
    [
      "the same, with a transparent colour",
      2,
      { side: SIDE, colours: [2], disposal: 2, transparent: 0 },
      CLEAR,
    ],
    [
      "the same of 256 colours, one not used",
      8,
      { side: SIDE, colours: [...ALL.slice(0, 255), 2], disposal: 2 },
      CLEAR,
    ],
    ["kept: the frame", 2, { side: SIDE, colours: [2], disposal: 1 }, GREEN],
    ["nothing said: the frame", 2, { side: SIDE, colours: [2], disposal: 0 }, GREEN],
    ["as before it: transparent", 2, { side: SIDE, colours: [2], disposal: 3 }, CLEAR],
    ["smaller than the canvas: transparent", 2, { side: 200, colours: [2], disposal: 0 }, CLEAR],
    ["the same, nothing said", 2, { side: 200, colours: [2], disposal: 0, isBare: true }, CLEAR],
  ])("%s", async (_name, bits, frame, expected) => {
    const picture = await render(animation(bits, [frame, NEXT]));

    expect(await second(picture, 240, 240)).toEqual(expected);
    expect(await second(picture, 2, 2)).toEqual([0, 0, 255, 255]);
  });

  it("is shown for as long as before, whatever was added", async () => {
    const bare: Frame = { side: 200, colours: [2], disposal: 0, isBare: true };
    const source = animation(2, [bare, { ...bare, colours: [3] }]);

    const { delay } = await sharp(await render(source), { animated: true }).metadata();

    expect(delay).toEqual((await sharp(source, { animated: true }).metadata()).delay);
  });

  it("shows every colour of a frame, however it is disposed of", async () => {
    const frame: Frame = { side: SIDE, colours: ALL, disposal: 2 };

    const picture = await render(animation(8, [frame, NEXT]));

    const first = await sharp(picture, { page: 0 }).ensureAlpha().raw().toBuffer();
    expect(first.filter((_value, at) => at % 4 === 3).every((alpha) => alpha === 255)).toBe(true);
  });
});
