/**
 * What a GIF shows where a frame was that is disposed of to the background, and where none was yet. Browsers leave the place
 * transparent; the decoder fills it with the background colour or black, unless the frame names a transparent colour.
 */

import { blocksOf, canvasOf, EXTENSION, type GifBlock } from "./gif-frames.ts";

const GRAPHIC_CONTROL = 0xf9;
const CONTROL_BYTES = 4;
// As the decoder reads a frame without a control extension: 100 ms.
const DELAY = [10, 0];
const TO_BACKGROUND = 2;
const TO_PREVIOUS = 3;
const HAS_TRANSPARENT = 1;
const CODE_BITS_MAX = 12;
const COLOURS_MAX = 256;

/**
 * The same GIF, where each frame that is disposed of to the background names a transparent colour, and the first one also if
 * it leaves some of the canvas without a frame: one that none of its pixels has. A frame that uses all 256 stays as it is.
 */
export function disposedToTransparent(gif: Buffer): Buffer {
  let copy: Buffer | undefined;
  let control: number | undefined;
  let isFirst = true;
  for (const block of blocksOf(gif)) {
    if (block.kind === "extension") {
      if (isControl(gif, block)) control = block.data + 1;
      continue;
    }
    const flags = control === undefined ? 0 : (gif[control] ?? 0);
    const isOpen = isFirst && (disposalOf(flags) === TO_PREVIOUS || !coversCanvas(gif, block));
    isFirst = false;
    if ((isOpen || disposalOf(flags) === TO_BACKGROUND) && (flags & HAS_TRANSPARENT) === 0) {
      const unused = unusedColour(gif, block);
      // Of the first frame alone, so nothing was copied before.
      if (unused !== undefined && control === undefined)
        return disposedToTransparent(withControl(gif, block, unused));
      if (unused !== undefined && control !== undefined) {
        copy ??= Buffer.from(gif);
        copy[control] = flags | HAS_TRANSPARENT;
        copy[control + 3] = unused;
      }
    }
    // A control extension is for the next image alone.
    control = undefined;
  }
  return copy ?? gif;
}

const disposalOf = (flags: number): number => (flags >> 2) & 7;

/** Left, top, width and height of an image come after its introducer. */
function coversCanvas(gif: Buffer, { at }: GifBlock): boolean {
  if (gif.length < at + 9) return true;
  const [left, top] = [gif.readUInt16LE(at + 1), gif.readUInt16LE(at + 3)];
  const { width, height } = canvasOf(gif);
  return left === 0 && top === 0 && gif.readUInt16LE(at + 5) >= width && gif.readUInt16LE(at + 7) >= height;
}

const withControl = (gif: Buffer, { at }: GifBlock, transparent: number): Buffer =>
  Buffer.concat([
    gif.subarray(0, at),
    Buffer.from([EXTENSION, GRAPHIC_CONTROL, CONTROL_BYTES, HAS_TRANSPARENT, ...DELAY, transparent, 0]),
    gif.subarray(at),
  ]);

const isControl = (gif: Buffer, { at, data }: GifBlock): boolean =>
  gif[at + 1] === GRAPHIC_CONTROL && gif[data] === CONTROL_BYTES;

/** The last colour that no pixel has. */
function unusedColour(gif: Buffer, { data }: GifBlock): number | undefined {
  const codeSize = gif[data - 1] ?? 0;
  // No code is that high, so nothing has to be read.
  if (codeSize < 8) return COLOURS_MAX - 1;
  const used = usedColours(gif, data, codeSize);
  const last = used.lastIndexOf(0);
  return last < 0 ? undefined : last;
}

/**
 * Which colours the codes of a frame name (GIF89a, appendix F). Whatever the table of codes holds was named before as a
 * colour, so the table itself is not needed: only how wide its codes have become.
 */
function usedColours(gif: Buffer, start: number, codeSize: number): Uint8Array {
  const used = new Uint8Array(COLOURS_MAX);
  const clear = 2 ** codeSize;
  let [width, entries] = [codeSize + 1, clear + 2];
  let isFirst = true;
  let [bits, held] = [0, 0];
  for (const byte of bytesOf(gif, start)) {
    bits |= byte << held;
    held += 8;
    while (held >= width) {
      const code = bits & (2 ** width - 1);
      bits >>>= width;
      held -= width;
      if (code === clear + 1) return used;
      if (code === clear) {
        [width, entries, isFirst] = [codeSize + 1, clear + 2, true];
        continue;
      }
      if (code < COLOURS_MAX) used[code] = 1;
      // The first code after a clear adds no entry, and a full table grows no more.
      if (!isFirst && entries < 2 ** CODE_BITS_MAX) entries++;
      isFirst = false;
      if (entries === 2 ** width && width < CODE_BITS_MAX) width++;
    }
  }
  return used;
}

function* bytesOf(gif: Buffer, start: number): Generator<number> {
  for (let at = start, size = gif[at]; size; at += 1 + size, size = gif[at])
    yield* gif.subarray(at + 1, at + 1 + size);
}
