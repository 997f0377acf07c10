/** The chunks of a PNG (ISO/IEC 15948, 5.3: length, type, data, CRC) that its picture is made of. */

const SIGNATURE_BYTES = 8;
const TYPE_AT = 4;
/** What a chunk takes besides its data. */
const FRAME_BYTES = 12;
const SHOWN = new Set([
  ...["IHDR", "PLTE", "IDAT", "IEND", "tRNS"],
  ...["gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "cICP", "eXIf"],
]);

/**
 * Without texts and everything else that is not shown. libpng unpacks each text before the first pixel, to 8 MB at most,
 * so that a mebibyte of them takes gigabytes.
 */
export function stripAncillaryChunks(png: Buffer): Buffer {
  const kept = [png.subarray(0, SIGNATURE_BYTES)];
  for (let at = SIGNATURE_BYTES, end = at; at + FRAME_BYTES <= png.length; at = end) {
    end = at + FRAME_BYTES + png.readUInt32BE(at);
    const type = png.toString("latin1", at + TYPE_AT, at + 2 * TYPE_AT);
    // One that is cut short stays, for the decoder to say so.
    if (SHOWN.has(type)) kept.push(png.subarray(at, end));
  }
  return Buffer.concat(kept);
}
