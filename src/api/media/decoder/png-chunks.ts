/** The chunks of a PNG (PNG, third edition, 5.3: length, type, data, CRC) that its picture needs. */

import { crc32 } from "node:zlib";

const SIGNATURE_BYTES = 8;
const TYPE_AT = 4;
const DATA_AT = 8;
/** A chunk's bytes besides its data. */
const FRAME_BYTES = 12;
const SHOWN = new Set([
  ...["IHDR", "PLTE", "IDAT", "IEND", "tRNS"],
  ...["gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "cICP", "eXIf"],
]);

/**
 * Removes text and everything else that is not displayed. libpng decompresses each text chunk before the first pixel,
 * to at most 8 MB, so a mebibyte of them takes gigabytes.
 */
export function stripAncillaryChunks(png: Buffer): Buffer {
  const kept = [png.subarray(0, SIGNATURE_BYTES)];
  for (const { type, bytes } of chunksOf(png)) if (SHOWN.has(type)) kept.push(bytes);
  return Buffer.concat(kept);
}

/** The data of the first chunk of each type that is before the pixels, damaged ones left out as libpng does. */
export function headerChunks(png: Buffer): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const { type, bytes } of chunksOf(png)) {
    if (type === "IDAT") break;
    const end = bytes.length - 4;
    const isWhole =
      bytes.length >= FRAME_BYTES && crc32(bytes.subarray(TYPE_AT, end)) === bytes.readUInt32BE(end);
    if (isWhole && !found.has(type)) found.set(type, bytes.subarray(DATA_AT, end));
  }
  return found;
}

/** Puts a chunk directly behind the header, and removes those of the given types. */
export function replaceChunks(
  png: Buffer,
  { type, data }: { readonly type: string; readonly data: Buffer },
  removed: ReadonlySet<string>,
): Buffer {
  const kept = [png.subarray(0, SIGNATURE_BYTES)];
  for (const chunk of chunksOf(png)) {
    if (!removed.has(chunk.type)) kept.push(chunk.bytes);
    if (chunk.type === "IHDR") kept.push(chunkOf(type, data));
  }
  return Buffer.concat(kept);
}

function chunkOf(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(FRAME_BYTES + data.length);
  chunk.writeUInt32BE(data.length);
  chunk.write(type, TYPE_AT, "latin1");
  data.copy(chunk, DATA_AT);
  chunk.writeUInt32BE(crc32(chunk.subarray(TYPE_AT, DATA_AT + data.length)), DATA_AT + data.length);
  return chunk;
}

/** Whole chunks with their frames. A truncated one is given as far as it goes, so that the decoder reports it. */
function* chunksOf(png: Buffer): Generator<{ readonly type: string; readonly bytes: Buffer }> {
  for (let at = SIGNATURE_BYTES, end = at; at + FRAME_BYTES <= png.length; at = end) {
    end = at + FRAME_BYTES + png.readUInt32BE(at);
    yield { type: png.toString("latin1", at + TYPE_AT, at + DATA_AT), bytes: png.subarray(at, end) };
  }
}
