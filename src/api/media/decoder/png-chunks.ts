/** The chunks of a PNG (ISO/IEC 15948, 5.3: length, type, data, CRC) that its picture needs. */

const SIGNATURE_BYTES = 8;
const TYPE_AT = 4;
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
  for (let at = SIGNATURE_BYTES, end = at; at + FRAME_BYTES <= png.length; at = end) {
    end = at + FRAME_BYTES + png.readUInt32BE(at);
    const type = png.toString("latin1", at + TYPE_AT, at + 2 * TYPE_AT);
    // A truncated chunk stays, so that the decoder reports it.
    if (SHOWN.has(type)) kept.push(png.subarray(at, end));
  }
  return Buffer.concat(kept);
}
