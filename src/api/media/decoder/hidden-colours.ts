/** Drops the colours that nobody sees: of pixels that are wholly transparent. */

import sharp, { type Sharp } from "sharp";

const CHANNELS = 4;
const BLACK = 0;

/** The same pixels, with black under each that is transparent. `image` is small: it is held as pixels. */
export async function withoutHiddenColours(image: Sharp): Promise<Sharp> {
  const { data, info } = await image
    .toColourspace("srgb")
    .ensureAlpha()
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  for (let at = 0; at < data.length; at += CHANNELS) if (data[at + 3] === 0) data.fill(BLACK, at, at + 3);
  return sharp(data, { raw: { width: info.width, height: info.height, channels: CHANNELS } });
}
