/** Renders a picture's variants and its placeholder. Runs only in the decoder process. */

import type { Sharp } from "sharp";
import { rgbaToThumbHash } from "thumbhash";
import { SIDE_PX, VARIANTS_BYTES_MAX } from "../checks/limits.ts";

/** A WebP, square. */
export interface RenderedVariant {
  readonly side: number;
  readonly bytes: Buffer;
}

/** In pixels, largest first: 480 for screens of two pixels per point, 240 for the rest. */
const SIDES = [SIDE_PX, SIDE_PX / 2] as const;
// Effort 4 takes twice the time of 2 for 3 % fewer bytes.
const WEBP = { quality: 80, effort: 2 };
// The thumbhash has about seven waves in each direction, which this resolves.
const PLACEHOLDER_PX = 48;

/**
 * The WebPs that are smaller than the picture of `pictureBytes`: opaque or not, and with the frames, delays and loops of
 * a GIF. One that can't be made is left out.
 */
export async function renderVariants(open: () => Sharp, pictureBytes: number): Promise<RenderedVariant[]> {
  const variants: RenderedVariant[] = [];
  let left = VARIANTS_BYTES_MAX;
  for (const side of SIDES) {
    const image = side === SIDE_PX ? open() : open().resize(side, side);
    const bytes = await image
      .webp(WEBP)
      .toBuffer()
      .catch(() => undefined);
    if (!bytes || bytes.length >= pictureBytes || bytes.length > left) continue;
    left -= bytes.length;
    variants.push({ side, bytes });
  }
  return variants;
}

/** The thumbhash of one frame, in base64: 20 to 36 characters. Null when it can't be made. */
export async function renderPlaceholder(image: Sharp): Promise<string | null> {
  try {
    const pixels = await image
      .resize(PLACEHOLDER_PX, PLACEHOLDER_PX)
      .toColourspace("srgb")
      .ensureAlpha()
      .raw({ depth: "uchar" })
      .toBuffer();
    return Buffer.from(rgbaToThumbHash(PLACEHOLDER_PX, PLACEHOLDER_PX, pixels)).toString("base64");
  } catch {
    return null;
  }
}
