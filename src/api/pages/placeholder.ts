/** What stands in a picture's place until it has loaded: eight by eight pixels of its thumbhash. */

import { crc32, deflateSync } from "node:zlib";
import { LRUCache } from "lru-cache";
import { thumbHashToRGBA } from "thumbhash";

const SIDE = 8;
// Of a square picture, as thumbhash draws it.
const DRAWN_SIDE = 32;
const BLOCK = DRAWN_SIDE / SIDE;
// Drawing one takes a fraction of a millisecond, and a page has 24.
const KEPT = 2_000;
const kept = new LRUCache<string, { readonly url: string | undefined }>({ max: KEPT });

/**
 * A PNG of about 300 bytes as a `data:` URL. Undefined for a picture with transparent parts, behind which it would
 * stay visible, and for anything but the thumbhash of a square picture.
 */
export function placeholderUrl(thumbhash: string): string | undefined {
  const found = kept.get(thumbhash) ?? { url: draw(Buffer.from(thumbhash, "base64")) };
  kept.set(thumbhash, found);
  return found.url;
}

function draw(hash: Buffer): string | undefined {
  // The 24th bit of a thumbhash says that it has an alpha channel.
  if (((hash[2] ?? 0x80) & 0x80) !== 0) return undefined;
  const { w, h, rgba } = thumbHashToRGBA(hash);
  if (w !== DRAWN_SIDE || h !== DRAWN_SIDE) return undefined;
  const rows = Array.from({ length: SIDE }, (_, row) => [
    0,
    ...Array.from({ length: SIDE * 3 }, (_, at) => meanOf(rgba, row, Math.floor(at / 3), at % 3)),
  ]);
  return `data:image/png;base64,${encode(Buffer.from(rows.flat())).toString("base64")}`;
}

function meanOf(rgba: Uint8Array, row: number, column: number, channel: number): number {
  let sum = 0;
  for (let y = row * BLOCK; y < (row + 1) * BLOCK; y++)
    for (let x = column * BLOCK; x < (column + 1) * BLOCK; x++)
      sum += rgba[(y * DRAWN_SIDE + x) * 4 + channel] ?? 0;
  return Math.round(sum / BLOCK ** 2);
}

/** A PNG (ISO/IEC 15948) of 8-bit RGB from rows that start with their filter, none. */
function encode(rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
