/**
 * Wraps pictures as a WebM video without a video encoder: a lossy WebP contains one VP8 key frame, and a video of key
 * frames alone is valid. Layout after https://www.webmproject.org/docs/container/.
 */

const MS_IN_NANOSECONDS = 1_000_000;
const KEY_FRAME = 0x80;
const TRACK = 1;

/** A silent video of equally long frames; every frame is a lossy WebP without alpha. */
export const muxWebm = (frames: readonly Buffer[], options: { size: number; frameMs: number }): Buffer => {
  const { size, frameMs } = options;
  const blocks = frames.map((frame, index) => simpleBlock(vp8Of(frame), index * frameMs));
  return Buffer.concat([
    element("1a45dfa3", [
      element("4286", uint(1)),
      element("42f7", uint(1)),
      element("42f2", uint(4)),
      element("42f3", uint(8)),
      element("4282", Buffer.from("webm")),
      element("4287", uint(2)),
      element("4285", uint(2)),
    ]),
    element("18538067", [
      element("1549a966", [
        element("2ad7b1", uint(MS_IN_NANOSECONDS)),
        element("4489", float(frames.length * frameMs)),
        element("4d80", Buffer.from("vitrine")),
        element("5741", Buffer.from("vitrine")),
      ]),
      element("1654ae6b", [
        element("ae", [
          element("d7", uint(TRACK)),
          element("73c5", uint(TRACK)),
          element("83", uint(1)),
          element("86", Buffer.from("V_VP8")),
          element("e0", [element("b0", uint(size)), element("ba", uint(size))]),
        ]),
      ]),
      element("1f43b675", [element("e7", uint(0)), ...blocks]),
    ]),
  ]);
};

const vp8Of = (webp: Buffer): Buffer => {
  // An extended file (VP8X) has the frame elsewhere; sharp writes one only for alpha or metadata.
  if (webp.toString("latin1", 12, 16) !== "VP8 ") throw new Error("the frame is not a plain lossy WebP");
  return webp.subarray(20, 20 + webp.readUInt32LE(16));
};

const simpleBlock = (frame: Buffer, timeMs: number): Buffer => {
  const head = Buffer.from([0x80 | TRACK, 0, 0, KEY_FRAME]);
  head.writeInt16BE(timeMs, 1);
  return element("a3", Buffer.concat([head, frame]));
};

const element = (id: string, content: Buffer | readonly Buffer[]): Buffer => {
  const body = Buffer.isBuffer(content) ? content : Buffer.concat(content);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(body.length));
  // A leading one bit means that the length takes all eight bytes.
  length[0] = 1;
  return Buffer.concat([Buffer.from(id, "hex"), length, body]);
};

const uint = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const float = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
};
