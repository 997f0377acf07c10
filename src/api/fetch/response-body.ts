/** Reads a foreign body within its limit, counted before and after decompression. */

import { pipeline, type Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

// How much longer a compressed body may be than its content: stored blocks and headers.
const CODING_OVERHEAD = 1.01;
const CODING_OVERHEAD_BYTES = 1024;
// So much more of a body whose start is enough may arrive before that start is decoded.
const READ_AHEAD_BYTES = 1024 * 1024;

// Enough to see what kind of file it is.
const START_BYTES = 4 * 1024;

export class BodyTooLarge extends Error {
  /** The first bytes of the body; undefined if none were decoded. */
  readonly start: Buffer | undefined;

  constructor(message: string, start?: Buffer) {
    super(message);
    this.start = start;
  }
}
export class SeveralCodings extends Error {}

export interface BodyLimit {
  readonly bytesMax: number;
  /** Reads only the start of a body over `bytesMax`; otherwise such a body is refused. */
  readonly isStartEnough?: boolean;
}

/**
 * The decoded body, at most `bytesMax` bytes of it. Rejects with BodyTooLarge if it is longer, or if more has arrived
 * than such a body, or the start that is enough of a longer one, can be compressed into; with SeveralCodings if it was
 * compressed more than once, which no client needs; and with any error of the connection or the decompression.
 */
export async function readBody(
  body: Readable,
  contentEncoding: string | string[] | undefined,
  { bytesMax, isStartEnough = false }: BodyLimit,
): Promise<Buffer> {
  const [coding, ...others] = codingsIn(contentEncoding);
  if (others.length > 0) {
    body.on("error", () => undefined).destroy();
    throw new SeveralCodings("the body has more than one Content-Encoding; one is read");
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const arrivingMax = bytesMax + (isStartEnough ? READ_AHEAD_BYTES : 0);
  try {
    for await (const chunk of decoded(body, coding, arrivingMax) as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes <= bytesMax) continue;
      if (isStartEnough) break;
      throw new BodyTooLarge(
        `the body is over ${bytesMax} bytes`,
        Buffer.concat(chunks, Math.min(bytes, START_BYTES)),
      );
    }
  } catch (error) {
    // Whatever its coding, a body that ended without a byte is empty, though no decoder takes it.
    if (!body.readableEnded || body.readableDidRead) throw error;
  }
  return Buffer.concat(chunks).subarray(0, bytesMax);
}

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The codings that compress, in one header or several (RFC 9110, 5.3). Servers list others, such as aws-chunked, utf-8 and
 * identity, which are none.
 */
const codingsIn = (contentEncoding: string | string[] = []): string[] =>
  [contentEncoding]
    .flat()
    .join()
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => Object.hasOwn(decoders, name));

/** The decoded body; as it is where nothing compressed it. */
function decoded(body: Readable, coding: string | undefined, bytesMax: number): Readable {
  const decode = coding === undefined ? undefined : decoders[coding];
  // The reader at the end of the pipeline gets every error in it.
  return decode ? pipeline(limited(body, bytesMax), decode(), () => undefined) : body;
}

/** Ends with BodyTooLarge once more has arrived than a body of `bytesMax` can be compressed into. */
function limited(body: Readable, bytesMax: number): Readable {
  let left = bytesMax * CODING_OVERHEAD + CODING_OVERHEAD_BYTES;
  const counter = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      left -= chunk.byteLength;
      if (left < 0) done(new BodyTooLarge(`more than ${bytesMax} bytes arrived of the compressed body`));
      else done(null, chunk);
    },
  });
  return pipeline(body, counter, () => undefined);
}
