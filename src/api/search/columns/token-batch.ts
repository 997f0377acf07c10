/** Tokens decoded from a binary COPY of token_id, name, description, served_at, since_block and traits. */

import { grown } from "./ensure-capacity.ts";

// PostgreSQL counts microseconds from the year 2000.
const EPOCH_MICROSECONDS = 946_684_800_000_000;
const TWO_TO_32 = 4_294_967_296;
const NUMERIC_BASE = 10_000;
// Four digits of base 10,000 after the first, below 2^53.
const SMALL_WEIGHT = 2;
const ARRAY_HEADER_BYTES = 20;
const ELEMENT_BYTES = 8;
// What a row may take before the arrays grow.
const ROW_BYTES = 64;
const ROW_TRAITS = 16;

/** The start and end of a text in `bytes`; -1 without one. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface TokenBatch {
  /** Decodes one row, as `copy` visits it. */
  add(row: Buffer, at: number): void;
  readonly size: number;
  /** The texts of all rows. */
  readonly bytes: Buffer;
  /** A number below 2^53, or digits. */
  idOf(nth: number): number | string;
  namePlace(nth: number): Span;
  descriptionPlace(nth: number): Span;
  /** In microseconds; NaN without one. */
  servedOf(nth: number): number;
  sinceOf(nth: number): number;
  /** The value ids of all rows, one after another, and where a row's begin. */
  traits(): Uint32Array<ArrayBuffer>;
  traitsFrom(nth: number): number;
}

/** `rows` is how many are expected; there may be more. */
export function createTokenBatch(rows: number): TokenBatch {
  const ids: (number | string)[] = [];
  let bytes = new Uint8Array(rows * ROW_BYTES);
  let length = 0;
  /** Four per row: start and end of the name and of the description. */
  let spans = new Float64Array(4 * rows);
  let times = new Float64Array(2 * rows);
  let traits = new Uint32Array(rows * ROW_TRAITS);
  let traitCount = 0;
  let traitStarts = new Uint32Array(rows + 1);

  function addText(row: Buffer, at: number, size: number, span: number): void {
    spans[span] = size === -1 ? -1 : length;
    if (size > 0) {
      bytes = grown(bytes, length + size);
      row.copy(bytes, length, at, at + size);
      length += size;
    }
    spans[span + 1] = size === -1 ? -1 : length;
  }

  function addTraits(row: Buffer, at: number): void {
    const count = row.readInt32BE(at) === 0 ? 0 : row.readInt32BE(at + 12);
    traits = grown(traits, traitCount + count);
    let from = at + ARRAY_HEADER_BYTES;
    for (let nth = 0; nth < count; nth++, from += ELEMENT_BYTES) {
      traits[traitCount++] =
        ((row[from + 4] as number) << 24) |
        ((row[from + 5] as number) << 16) |
        ((row[from + 6] as number) << 8) |
        (row[from + 7] as number);
    }
  }

  const integer = (row: Buffer, at: number): number =>
    row.readInt32BE(at) * TWO_TO_32 + row.readUInt32BE(at + 4);

  return {
    add(row, start) {
      const nth = ids.length;
      spans = grown(spans, 4 * nth + 4);
      times = grown(times, 2 * nth + 2);
      traitStarts = grown(traitStarts, nth + 2);
      let at = start;
      let size = row.readInt32BE(at);
      ids.push(readId(row, at + 4));
      at += 4 + size;
      for (let field = 0; field < 2; field++) {
        size = row.readInt32BE(at);
        addText(row, at + 4, size, 4 * nth + 2 * field);
        at += 4 + Math.max(0, size);
      }
      for (let field = 0; field < 2; field++) {
        size = row.readInt32BE(at);
        const origin = field === 0 ? EPOCH_MICROSECONDS : 0;
        times[2 * nth + field] = size === -1 ? Number.NaN : integer(row, at + 4) + origin;
        at += 4 + Math.max(0, size);
      }
      traitStarts[nth] = traitCount;
      addTraits(row, at + 4);
      traitStarts[nth + 1] = traitCount;
    },
    get size() {
      return ids.length;
    },
    get bytes() {
      return Buffer.from(bytes.buffer, 0, length);
    },
    idOf: (nth) => ids[nth] as number | string,
    namePlace: (nth) => ({ from: spans[4 * nth] as number, to: spans[4 * nth + 1] as number }),
    descriptionPlace: (nth) => ({ from: spans[4 * nth + 2] as number, to: spans[4 * nth + 3] as number }),
    servedOf: (nth) => times[2 * nth] as number,
    sinceOf: (nth) => times[2 * nth + 1] as number,
    traits: () => traits.subarray(0, traitCount),
    traitsFrom: (nth) => traitStarts[nth] ?? traitCount,
  };
}

/** A whole number of at least 0 in PostgreSQL's binary form: digits of base 10,000, the first with the given weight. */
function readId(row: Buffer, at: number): number | string {
  const digits = row.readInt16BE(at);
  const weight = row.readInt16BE(at + 2);
  if (weight <= SMALL_WEIGHT) {
    let id = 0;
    for (let nth = 0; nth <= weight; nth++)
      id = id * NUMERIC_BASE + (nth < digits ? row.readInt16BE(at + 8 + 2 * nth) : 0);
    return id;
  }
  let text = "";
  for (let nth = 0; nth <= weight; nth++)
    text += String(nth < digits ? row.readInt16BE(at + 8 + 2 * nth) : 0).padStart(4, "0");
  return text.replace(/^0+/, "");
}
