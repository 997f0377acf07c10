/** Drops the colours that nobody sees: of pixels that are wholly transparent. */

const WITH_ALPHA = 4;

/** Makes each transparent pixel black, in place. `pixels` are bytes; only those of four channels have an alpha. */
export function dropHiddenColours(pixels: Buffer, channels: number): void {
  if (channels !== WITH_ALPHA) return;
  for (let at = 0; at < pixels.length; at += WITH_ALPHA) if (pixels[at + 3] === 0) pixels.fill(0, at, at + 3);
}
