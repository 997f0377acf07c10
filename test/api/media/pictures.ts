/** Test images: of a given size, on either side of a limit, damaged, or other content under an image's name. */

import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";

const RED = { r: 200, g: 20, b: 20, alpha: 1 };
const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

const canvas = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: RED }, limitInputPixels: false });

export const png = (width: number, height: number): Promise<Buffer> => canvas(width, height).png().toBuffer();

export const jpeg = (width: number, height: number, orientation?: number): Promise<Buffer> => {
  const image = canvas(width, height).flatten().jpeg();
  return (orientation === undefined ? image : image.withMetadata({ orientation })).toBuffer();
};

/** A PNG of exactly `bytes` bytes, padded with a text chunk that decoders ignore. */
export async function pngOfBytes(bytes: number, size = 480): Promise<Buffer> {
  const whole = await png(size, size);
  const end = whole.length - 12;
  const padding = chunk("tEXt", Buffer.alloc(bytes - whole.length - 12, "a"));
  return Buffer.concat([whole.subarray(0, end), padding, whole.subarray(end)]);
}

/** Incompressible, so that half of the file lacks pixels. */
export const noise = (size = 480): ReturnType<typeof sharp> =>
  sharp({
    create: {
      width: size,
      height: size,
      channels: 3,
      background: "#808080",
      noise: { type: "gaussian", mean: 128, sigma: 30 },
    },
  });

/** Each frame draws one more pixel, so that frames are not merged. Global colours: black, red, green, blue. */
export function gif(
  frames: number,
  size: number,
  { delay = 50, loop = 3 }: { delay?: number; loop?: number } = {},
): Buffer {
  const sizes = [size & 0xff, size >> 8];
  const colours = [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255];
  const looping = [0x21, 0xff, 11, ...Buffer.from("NETSCAPE2.0"), 3, 1, loop & 0xff, loop >> 8, 0];
  const frame = (index: number): number[] => {
    const [left, top] = [(index * 7) % size, Math.floor((index * 7) / size)];
    const control = [0x21, 0xf9, 4, 0, (delay / 10) & 0xff, (delay / 10) >> 8, 0, 0];
    const descriptor = [0x2c, left & 0xff, left >> 8, top & 0xff, top >> 8, 1, 0, 1, 0, 0];
    // Three-bit codes: clear, the colour, end.
    const codes = 4 | (((index % 3) + 1) << 3) | (5 << 6);
    return [...control, ...descriptor, 2, 2, codes & 0xff, codes >> 8, 0];
  };
  return Buffer.from([
    ...Buffer.from("GIF89a"),
    ...[...sizes, ...sizes, 0xf1, 0, 0, ...colours, ...looping],
    ...Array.from({ length: frames }, (_, index) => frame(index)).flat(),
    0x3b,
  ]);
}

/** A GIF of 480x480 with two frames or more: a ball that rolls over a gradient. */
export async function movie(
  frames: number,
  { delay = 50, loop = 3 }: { delay?: number | number[]; loop?: number } = {},
): Promise<Buffer> {
  const frame = (index: number): Buffer =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="480" height="480">
      <linearGradient id="g"><stop stop-color="#204060"/><stop offset="1" stop-color="#c0d0a0"/></linearGradient>
      <rect width="480" height="480" fill="url(#g)"/><circle cx="${60 + 50 * index}" cy="240" r="60" fill="red"/></svg>`);
  const each = Array.from({ length: frames }, (_, index) => frame(index));
  return sharp(each, { join: { animated: true } })
    .gif({ delay, loop })
    .toBuffer();
}

/** A PNG whose header promises more than its few bytes contain. */
export const pngHeader = (width: number, height: number): Buffer =>
  Buffer.concat([
    SIGNATURE,
    header(width, height),
    chunk("IDAT", deflateSync(Buffer.alloc(100))),
    chunk("IEND", Buffer.alloc(0)),
  ]);

/** Two frames: red, the default image, and blue. */
export function apng(size: number): Buffer {
  const frameControl = (sequence: number): Buffer => {
    const data = Buffer.alloc(26);
    data.writeUInt32BE(sequence, 0);
    data.writeUInt32BE(size, 4);
    data.writeUInt32BE(size, 8);
    data.writeUInt16BE(1, 20);
    data.writeUInt16BE(10, 22);
    return chunk("fcTL", data);
  };
  const pixelsOf = (colour: readonly number[]): Buffer => {
    const row = Buffer.from([0, ...Array.from({ length: size }, () => colour).flat()]);
    return deflateSync(Buffer.concat(Array.from({ length: size }, () => row)));
  };
  return Buffer.concat([
    SIGNATURE,
    header(size, size),
    chunk("acTL", Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])),
    frameControl(0),
    chunk("IDAT", pixelsOf([255, 0, 0, 255])),
    frameControl(1),
    chunk("fdAT", Buffer.concat([Buffer.from([0, 0, 0, 2]), pixelsOf([0, 0, 255, 255])])),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

function header(width: number, height: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data[8] = 8;
  data[9] = 6;
  return chunk("IHDR", data);
}

/** The colour of one pixel of a picture, as [red, green, blue, alpha]. */
export async function pixel(picture: Buffer, left: number, top: number): Promise<number[]> {
  const one = sharp(picture).extract({ left, top, width: 1, height: 1 }).ensureAlpha().raw();
  return [...(await one.toBuffer())];
}
