/** Images within every limit that would still take too much, or decode to something else. */

import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { createDecoder } from "../../../src/api/media/decoder/decoder.ts";
import { chunk, noise, png } from "./pictures.ts";

const decoder = createDecoder({ processes: 1 });
afterAll(() => decoder.close());

async function render(body: Buffer): Promise<Buffer> {
  const decoded = await decoder.decode("image", body);
  if (!("bytes" in decoded)) throw new Error(JSON.stringify(decoded));
  return decoded.bytes;
}

const HEADER_BYTES = 33;
const withChunks = async (...chunks: readonly Buffer[]): Promise<Buffer> => {
  const whole = await png(480, 480);
  return Buffer.concat([whole.subarray(0, HEADER_BYTES), ...chunks, whole.subarray(HEADER_BYTES)]);
};

/** A process's peak resident memory. */
const peakMb = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** A frame of plain colour somewhere on a canvas. */
function gifOf(
  canvas: number,
  frames: readonly { readonly size: number; readonly colour: number }[],
): Buffer {
  const pair = (value: number): number[] => [value & 0xff, value >> 8];
  const frame = ({ size, colour }: { size: number; colour: number }): number[] => {
    // A three-bit code per pixel, with a clear code before the table could grow.
    const codes: number[] = [];
    for (let pixel = 0; pixel < size * size; pixel++) codes.push(4, colour);
    codes.push(5);
    const bits = codes.flatMap((code) => [code & 1, (code >> 1) & 1, code >> 2]);
    const bytes = Array.from({ length: Math.ceil(bits.length / 8) }, (_, nth) =>
      bits.slice(8 * nth, 8 * nth + 8).reduce((byte, bit, place) => byte | (bit << place), 0),
    );
    const blocks: number[] = [];
    for (let at = 0; at < bytes.length; at += 255) {
      const part = bytes.slice(at, at + 255);
      blocks.push(part.length, ...part);
    }
    const control = [0x21, 0xf9, 4, 0, 5, 0, 0, 0];
    return [...control, 0x2c, 0, 0, 0, 0, ...pair(size), ...pair(size), 0, 2, ...blocks, 0];
  };
  const colours = [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255];
  const screen = [...pair(canvas), ...pair(canvas), 0xf1, 0, 0, ...colours];
  return Buffer.from([...Buffer.from("GIF89a"), ...screen, ...frames.flatMap(frame), 0x3b]);
}

describe("a PNG of texts", () => {
  const text = chunk(
    "zTXt",
    Buffer.concat([Buffer.from("a\0\0"), deflateSync(Buffer.alloc(7_900_000, "a"))]),
  );

  // Other systems don't report the peak.
  it.runIf(process.platform === "linux")("takes no more memory than the picture in it", async () => {
    await render(await png(480, 480));
    const [pid = 0] = decoder.pids();
    const before = peakMb(pid);

    const bytes = await render(await withChunks(...Array.from({ length: 60 }, () => text)));

    expect(bytes.equals(await render(await png(480, 480)))).toBe(true);
    expect(peakMb(pid) - before).toBeLessThan(100);
  });

  it("that is cut short inside one is refused", async () => {
    const body = await withChunks(text);

    expect(await decoder.decode("image", body.subarray(0, HEADER_BYTES + 100))).toMatchObject({
      reason: "image_undecodable",
    });
  });
});

describe("a GIF", () => {
  it("keeps frames that are equal, and how long each is shown", async () => {
    const frames = [1, 1, 2, 2].map((colour) => ({ size: 120, colour }));

    const { pages, delay } = await sharp(await render(gifOf(480, frames)), { animated: true }).metadata();

    expect([pages, delay]).toEqual([4, [50, 50, 50, 50]]);
  });

  it("of a canvas that can be read in part alone is refused with both sizes", async () => {
    expect(await decoder.decode("image", gifOf(2_100, [{ size: 120, colour: 1 }]))).toEqual({
      reason: "image_undecodable",
      message:
        "a canvas of 2100x2100, of which only 120x120 can be read; a first frame as large as the canvas helps",
    });
  });

  it("whose frames are smaller than its canvas is as large as that", async () => {
    expect(await decoder.decode("image", gifOf(600, [{ size: 120, colour: 1 }]))).toMatchObject({
      width: 600,
      height: 600,
    });
  });
});

describe("a picture", () => {
  it("is the same whatever density its source claims", async () => {
    const pixels = await noise().raw().toBuffer({ resolveWithObject: true });
    const source = sharp(pixels.data, { raw: pixels.info }).jpeg();
    const [plain, dense] = [await source.toBuffer(), await source.clone().withDensity(1_234).toBuffer()];

    expect((await sharp(dense).metadata()).density).toBe(1_234);
    expect((await render(dense)).equals(await render(plain))).toBe(true);
  });

  it("of an interlaced PNG that ends early is refused in words about the file", async () => {
    const whole = await noise(600).png({ progressive: true }).toBuffer();

    expect(await decoder.decode("image", whole.subarray(0, whole.length / 2))).toEqual({
      reason: "image_undecodable",
      message: "it is cut short or damaged",
    });
  });
});
