/** Images at, below and above each limit, and other content under an image's name, through the real decoder. */

import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { createDecoder } from "../../../src/api/media/decoder/decoder.ts";
import type { RenderedImage } from "../../../src/api/media/decoder/render-image.ts";
import { apng, chunk, gif, jpeg, noise, pixel, png, pngHeader } from "./pictures.ts";

const decoder = createDecoder({ processes: 1 });
afterAll(() => decoder.close());

const decode = (body: Buffer) => decoder.decode("image", body);

async function render(body: Buffer): Promise<RenderedImage> {
  const decoded = await decode(body);
  if (!("kind" in decoded) || decoded.kind !== "image") throw new Error(JSON.stringify(decoded));
  return { ...decoded, bytes: Buffer.from(decoded.bytes) };
}

const half = (body: Buffer): Buffer => body.subarray(0, body.length / 2);
const padded = (body: Buffer, text: string): Buffer => Buffer.concat([body, Buffer.from(text)]);
const SCRIPT = "<script>alert(1)</script>";

describe("images that are accepted become exactly 480x480", () => {
  it.each<[string, () => Buffer | Promise<Buffer>, object]>([
    ["PNG of 480x480", () => png(480, 480), { format: "PNG", width: 480, height: 480 }],
    ["PNG of 480x481", () => png(480, 481), { width: 480, height: 481 }],
    ["JPEG of 480x480", () => jpeg(480, 480), { format: "JPEG" }],
    ["JPEG in CMYK", () => noise().toColourspace("cmyk").jpeg().toBuffer(), { format: "JPEG" }],
    ["progressive JPEG", () => noise().jpeg({ progressive: true }).toBuffer(), { format: "JPEG" }],
    ["interlaced PNG", () => noise().png({ progressive: true }).toBuffer(), { format: "PNG" }],
    ["PNG of 16 bits in grey", () => noise().toColourspace("grey16").png().toBuffer(), { format: "PNG" }],
    ["480x60000, a strip", () => png(480, 60_000), { width: 480, height: 60_000 }],
    ["7000x7000, under the limit of pixels", () => png(7_000, 7_000), { width: 7_000 }],
    ["animated PNG, whose default image is taken", () => apng(500), { format: "PNG", frames: 1 }],
    ["GIF of one frame", () => gif(1, 480), { format: "GIF", frames: 1, extension: "gif" }],
    ["GIF of 3 frames", () => gif(3, 500), { format: "GIF", frames: 3, extension: "gif" }],
    ["PNG with a page behind it", async () => padded(await png(480, 480), SCRIPT), { format: "PNG" }],
    [
      "GIF with a page behind it",
      async () => padded(await gif(2, 480), SCRIPT),
      { format: "GIF", frames: 2 },
    ],
    [
      "PNG with a page in a comment",
      async () => {
        const body = await png(480, 480);
        const comment = chunk("tEXt", Buffer.from(`Comment\0${SCRIPT}`));
        return Buffer.concat([body.subarray(0, 33), comment, body.subarray(33)]);
      },
      { format: "PNG" },
    ],
    [
      "JPEG with a page in a comment",
      async () => {
        const body = await jpeg(480, 480);
        const comment = Buffer.from([0xff, 0xfe, 0, SCRIPT.length + 2]);
        return Buffer.concat([body.subarray(0, 2), comment, Buffer.from(SCRIPT), body.subarray(2)]);
      },
      { format: "JPEG" },
    ],
  ])("%s", async (_name, make, expected) => {
    const image = await render(await make());

    expect(image).toMatchObject(expected);
    const made = await sharp(image.bytes, { animated: true }).metadata();
    expect([made.format, made.width, made.pageHeight ?? made.height]).toEqual([image.extension, 480, 480]);
    expect(image.bytes.includes("<script>")).toBe(false);
  });
});

describe("images that are refused, with the figure", () => {
  it.each<[string, () => Buffer | Promise<Buffer>, string, string]>([
    ["479x480", () => png(479, 480), "image_too_small", "479x480, at least 480x480"],
    ["480x479", () => png(480, 479), "image_too_small", "480x479, at least 480x480"],
    ["479x480 that EXIF turns", () => jpeg(479, 480, 6), "image_too_small", "480x479, at least 480x480"],
    ["GIF of 479x479", () => gif(2, 479), "image_too_small", "479x479, at least 480x480"],
    ["1x60000", () => png(1, 60_000), "image_too_small", "1x60000, at least 480x480"],
    ["1x1", () => png(1, 1), "image_too_small", "1x1, at least 480x480"],
    [
      "50000x50000 in a header of 69 bytes",
      () => pngHeader(50_000, 50_000),
      "image_too_many_pixels",
      "50000x50000, 2,500,000,000 pixels, at most 50,000,000",
    ],
    [
      "7072x7072, over the limit of pixels",
      () => pngHeader(7_072, 7_072),
      "image_too_many_pixels",
      "7072x7072, 50,013,184 pixels, at most 50,000,000",
    ],
    [
      "GIF whose frames are too many pixels together",
      async () => inflateGif(await gif(400, 480), 700, 700),
      "image_too_many_pixels",
      "400 frames of 700x700, 196,000,000 pixels, at most 150,000,000",
    ],
    ["PNG cut in half", async () => half(await noise().png().toBuffer()), "image_undecodable", "libpng"],
    [
      "JPEG cut in half",
      async () => half(await noise().jpeg().toBuffer()),
      "image_undecodable",
      "premature end",
    ],
    [
      "GIF cut in half",
      async () => half(await gif(10, 480)),
      "image_undecodable",
      "the GIF is cut short or damaged after",
    ],
    [
      "GIF that is only a header",
      async () => (await gif(1, 480)).subarray(0, 13),
      "image_undecodable",
      "after 0",
    ],
    ["PNG that is only a header", async () => (await png(480, 480)).subarray(0, 33), "image_undecodable", ""],
    ["PNG without pixels", () => pngHeader(480, 480), "image_undecodable", ""],
    [
      "PNG with a wrong checksum",
      async () => damaged(await noise().png().toBuffer()),
      "image_undecodable",
      "",
    ],
    [
      "an empty file",
      () => Buffer.alloc(0),
      "image_wrong_format",
      "an empty file; it must be PNG, JPEG or GIF",
    ],
    ["SVG named .png", () => svg(), "image_wrong_format", "SVG; it must be PNG, JPEG or GIF"],
    [
      "SVG behind a comment",
      () => padded(Buffer.from("<!-- PNG -->"), svg().toString()),
      "image_wrong_format",
      "SVG",
    ],
    ["HTML named .png", () => Buffer.from(`<!doctype html>${SCRIPT}`), "image_wrong_format", "HTML"],
    ["WebP", () => noise().webp().toBuffer(), "image_wrong_format", "WebP; it must be PNG, JPEG or GIF"],
    ["TIFF", () => noise().tiff().toBuffer(), "image_wrong_format", "TIFF"],
    ["AVIF", () => noise(64).avif({ effort: 0 }).toBuffer(), "image_wrong_format", "AVIF"],
    ["JSON", () => Buffer.from('{"name":"Hero"}'), "image_wrong_format", "JSON"],
    ["PDF", () => Buffer.from("%PDF-1.7\n"), "image_wrong_format", "PDF"],
    ["nothing known", () => Buffer.from([1, 2, 3, 4]), "image_wrong_format", "an unknown format"],
    ["a PNG's signature before a page", () => signed(SCRIPT), "image_undecodable", ""],
    [
      "a page before a PNG",
      async () => Buffer.concat([Buffer.from("<html>"), await png(480, 480)]),
      "image_wrong_format",
      "HTML",
    ],
    ["a script that starts like a GIF", () => Buffer.from('GIF89a="";alert(1)'), "image_undecodable", ""],
  ])("%s", async (_name, make, reason, message) => {
    const decoded = await decode(await make());

    expect(decoded).toEqual({ reason, message: expect.stringContaining(message) });
  });

  it("501 frames, where 500 pass with every frame and its delay", { timeout: 120_000 }, async () => {
    const [within, over] = [await gif(500, 480, { delay: 40, loop: 2 }), await gif(501, 480)];

    expect(await decode(over)).toEqual({
      reason: "image_too_many_frames",
      message: "501 frames, at most 500",
    });
    const { bytes, frames } = await render(within);
    expect(frames).toBe(500);
    const { loop: loopBefore } = await sharp(within, { animated: true }).metadata();
    const { pages, delay, loop } = await sharp(bytes, { animated: true, limitInputPixels: false }).metadata();
    expect({ pages, loop, delays: new Set(delay) }).toEqual({
      pages: 500,
      loop: loopBefore,
      delays: new Set([40]),
    });
  });
});

describe("the picture", () => {
  it("keeps the aspect and is transparent around", async () => {
    const { bytes } = await render(await png(960, 480));

    const corners = [await pixel(bytes, 0, 0), await pixel(bytes, 479, 479)];
    expect(corners.map(([, , , alpha]) => alpha)).toEqual([0, 0]);
    expect(await pixel(bytes, 240, 130)).toEqual([200, 20, 20, 255]);
    expect((await pixel(bytes, 240, 110))[3]).toBe(0);
  });

  it("is upright, though the camera was not", async () => {
    const sides = { create: { width: 800, height: 300, channels: 3, background: "#0000ff" } } as const;
    const lying = await sharp({ create: { width: 800, height: 600, channels: 3, background: "#ff0000" } })
      .composite([{ input: sides, left: 0, top: 0 }])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();

    const { bytes, width, height } = await render(lying);

    expect([width, height]).toEqual([600, 800]);
    const [left, right] = [await pixel(bytes, 100, 240), await pixel(bytes, 380, 240)];
    expect(left[0]).toBeGreaterThan(200);
    expect(right[2]).toBeGreaterThan(200);
  });

  it("says nothing of where and with what the photograph was taken", async () => {
    const exif = { IFD0: { Copyright: "secret-owner" }, IFD3: { GPSLatitudeRef: "N" } };
    const body = await noise().withExif(exif).withIccProfile("p3").jpeg().toBuffer();
    expect(body.includes("secret-owner")).toBe(true);

    const { bytes } = await render(body);

    const { exif: kept, icc, orientation } = await sharp(bytes).metadata();
    expect([kept, icc, orientation]).toEqual([undefined, undefined, undefined]);
    expect(bytes.includes("secret-owner")).toBe(false);
  });

  it("of an animated PNG is its default image", async () => {
    expect(await pixel((await render(apng(480))).bytes, 240, 240)).toEqual([255, 0, 0, 255]);
  });

  it("is the same for the same bytes", async () => {
    const body = await noise().jpeg().toBuffer();

    expect((await render(body)).bytes.equals((await render(body)).bytes)).toBe(true);
  });
});

const svg = (): Buffer =>
  Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="500" height="500"><rect width="500" height="500"/></svg>',
  );

const signed = (text: string): Buffer =>
  Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.from(text)]);

function damaged(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  const middle = Math.floor(copy.length / 2);
  copy.writeUInt8(copy.readUInt8(middle) ^ 0xff, middle);
  return copy;
}

/** The same frames on a larger canvas. */
function inflateGif(body: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(body);
  copy.writeUInt16LE(width, 6);
  copy.writeUInt16LE(height, 8);
  return copy;
}
