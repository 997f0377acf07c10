/**
 * Walks the blocks of a GIF (GIF89a, section "Grammar") without decoding a pixel. The decoder takes a truncated file
 * for a shorter animation, so this detects it.
 */

export type GifFrames =
  | { readonly kind: "whole"; readonly frames: number }
  /** The file ends inside a block, or before the first frame. */
  | { readonly kind: "broken"; readonly frames: number };

export interface GifBlock {
  readonly kind: "image" | "extension";
  /** Where the block starts, with its introducer. */
  readonly at: number;
  /** Where its sub-blocks start. */
  readonly data: number;
  /** Undefined when the file ends before the block does. */
  readonly end: number | undefined;
}

const HEADER_BYTES = 13;
const IMAGE = 0x2c;
export const EXTENSION = 0x21;
const DESCRIPTOR_BYTES = 10;

/** Anything but a block after a complete frame ends the file, as in browsers: encoders omit or extend the trailer. */
export function walkGif(body: Buffer): GifFrames {
  let frames = 0;
  for (const { kind, end } of blocksOf(body)) {
    if (end === undefined) return { kind: "broken", frames };
    if (kind === "image") frames++;
  }
  return { kind: frames > 0 ? "whole" : "broken", frames };
}

/** Up to the first byte that starts no block, or the block that is truncated. */
export function* blocksOf(body: Buffer): Generator<GifBlock> {
  let at = HEADER_BYTES + colourTableBytes(body[10] ?? 0);
  for (;;) {
    const block = body[at];
    if (block !== IMAGE && block !== EXTENSION) return;
    const kind = block === IMAGE ? "image" : "extension";
    // An image has a descriptor, an optional colour table and a minimum code size; an extension has a label.
    const data = kind === "image" ? at + DESCRIPTOR_BYTES + colourTableBytes(body[at + 9] ?? 0) + 1 : at + 2;
    const end = afterSubBlocks(body, data);
    yield { kind, at, data, end };
    if (end === undefined) return;
    at = end;
  }
}

/** The canvas of the whole animation (GIF89a, "Logical Screen Descriptor"). */
export const canvasOf = (body: Buffer): { readonly width: number; readonly height: number } => ({
  width: body.readUInt16LE(6),
  height: body.readUInt16LE(8),
});

const colourTableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Undefined when the file ends before the empty block that terminates the data. */
function afterSubBlocks(body: Buffer, start: number): number | undefined {
  let at = start;
  for (;;) {
    const size = body[at];
    if (size === undefined) return undefined;
    at += 1 + size;
    if (size === 0) return at;
  }
}
