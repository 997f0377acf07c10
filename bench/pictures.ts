/** Any number of different pictures. */

import { crc32 } from "node:zlib";
import sharp from "sharp";

const PICTURE_PX = 520;

/**
 * Pictures whose colours encode their number, as many as needed without drawing each. They are noise of `grains` by
 * `grains` squares, which determines their size in bytes.
 */
export async function pictures(grains = PICTURE_PX): Promise<(index: number) => Buffer> {
  const noise = { type: "gaussian", mean: 128, sigma: 40 } as const;
  const drawn = await sharp({
    create: { width: grains, height: grains, channels: 3, background: "#808080", noise },
  })
    .resize(PICTURE_PX, PICTURE_PX, { kernel: "nearest" })
    .png({ palette: true, colours: 16 })
    .toBuffer();
  const palette = drawn.indexOf("PLTE");
  const length = drawn.readUInt32BE(palette - 4);
  return (index) => {
    const copy = Buffer.from(drawn);
    copy.writeUInt32BE(index, palette + 4);
    copy.writeUInt32BE(crc32(copy.subarray(palette, palette + 4 + length)), palette + 4 + length);
    return copy;
  };
}
