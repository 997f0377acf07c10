/** Writes ICC profiles (ICC.1:2022) of displays with given primaries and a given transfer function. */

/** CIE 1931 chromaticities, as [x, y]. */
export interface Primaries {
  readonly white: readonly [number, number];
  readonly red: readonly [number, number];
  readonly green: readonly [number, number];
  readonly blue: readonly [number, number];
}

/** From an encoded value to light, both 0 to 1. */
export type Transfer = (encoded: number) => number;

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

// The profile connection space is relative to D50 (ICC.1:2022, 7.2.16).
const D50: Triple = [0.9642, 1, 0.8249];
// Annex E of the same.
const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];
const HEADER_BYTES = 128;
const CURVE_SAMPLES = 4_096;
const S15_FIXED_16 = 65_536;

/** Null for primaries that span no colours. */
export function rgbProfile(primaries: Primaries, transfer: Transfer): Buffer | null {
  const columns = toD50(primaries);
  if (!columns) return null;
  const curve = curveOf(transfer);
  return profile("RGB ", [
    ["rXYZ", xyz(columns[0])],
    ["gXYZ", xyz(columns[1])],
    ["bXYZ", xyz(columns[2])],
    ["rTRC", curve],
    ["gTRC", curve],
    ["bTRC", curve],
  ]);
}

export const greyProfile = (transfer: Transfer): Buffer => profile("GRAY", [["kTRC", curveOf(transfer)]]);

function profile(space: string, tags: readonly (readonly [string, Buffer])[]): Buffer {
  const all = [["desc", text("Vitrine")], ["cprt", text("CC0")], ["wtpt", xyz(D50)], ...tags] as const;
  const table = Buffer.alloc(4 + 12 * all.length);
  table.writeUInt32BE(all.length);
  const bodies: Buffer[] = [];
  let at = HEADER_BYTES + table.length;
  for (const [index, [name, body]] of all.entries()) {
    const entry = 4 + 12 * index;
    table.write(name, entry, "latin1");
    table.writeUInt32BE(at, entry + 4);
    table.writeUInt32BE(body.length, entry + 8);
    // Each tag starts at a multiple of four bytes (7.3.1).
    const padded = Buffer.concat([body, Buffer.alloc(-body.length & 3)]);
    bodies.push(padded);
    at += padded.length;
  }
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(at);
  header.writeUInt32BE(0x04_40_00_00, 8);
  for (const [offset, name] of [
    [12, "mntr"],
    [16, space],
    [20, "XYZ "],
    [36, "acsp"],
  ] as const)
    header.write(name, offset, "latin1");
  writeTriple(header, 68, D50);
  return Buffer.concat([header, table, ...bodies]);
}

function text(value: string): Buffer {
  const body = Buffer.alloc(28 + 2 * value.length);
  body.write("mluc", "latin1");
  for (const [offset, number] of [
    [8, 1],
    [12, 12],
    [20, 2 * value.length],
    [24, 28],
  ] as const)
    body.writeUInt32BE(number, offset);
  body.write("enUS", 16, "latin1");
  body.write(value, 28, "utf16le");
  body.subarray(28).swap16();
  return body;
}

function xyz(value: Triple): Buffer {
  const body = Buffer.alloc(20);
  body.write("XYZ ", "latin1");
  writeTriple(body, 8, value);
  return body;
}

function writeTriple(to: Buffer, at: number, value: Triple): void {
  for (const [index, each] of value.entries())
    to.writeInt32BE(Math.round(each * S15_FIXED_16), at + 4 * index);
}

function curveOf(transfer: Transfer): Buffer {
  const body = Buffer.alloc(12 + 2 * CURVE_SAMPLES);
  body.write("curv", "latin1");
  body.writeUInt32BE(CURVE_SAMPLES, 8);
  for (let index = 0; index < CURVE_SAMPLES; index++) {
    const light = Math.min(1, Math.max(0, transfer(index / (CURVE_SAMPLES - 1))));
    body.writeUInt16BE(Math.round(light * 65_535), 12 + 2 * index);
  }
  return body;
}

/** The colours of the three primaries at full light, adapted from the white to D50. */
function toD50({ white, red, green, blue }: Primaries): Matrix | undefined {
  const whitePoint = pointOf(white);
  const primaries = transpose([pointOf(red), pointOf(green), pointOf(blue)]);
  const inverse = invert(primaries);
  const adapter = invert(BRADFORD);
  if (!whitePoint.every(Number.isFinite) || !inverse || !adapter) return undefined;
  const scale = apply(inverse, whitePoint);
  const [from, to] = [apply(BRADFORD, whitePoint), apply(BRADFORD, D50)];
  const cone = (index: 0 | 1 | 2, colour: Triple): number =>
    (apply(BRADFORD, colour)[index] * to[index]) / from[index];
  const adapted = transpose(primaries).map((primary, index) => {
    const colour = primary.map((part) => part * (scale[index] ?? 0)) as unknown as Triple;
    return apply(adapter, [cone(0, colour), cone(1, colour), cone(2, colour)]);
  });
  // What a profile can hold.
  return adapted.flat().every((part) => Math.abs(part) < 32_767) ? (adapted as unknown as Matrix) : undefined;
}

const pointOf = ([x, y]: readonly [number, number]): Triple => [x / y, 1, (1 - x - y) / y];

const transpose = ([a, b, c]: Matrix): Matrix => [
  [a[0], b[0], c[0]],
  [a[1], b[1], c[1]],
  [a[2], b[2], c[2]],
];

const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const apply = (matrix: Matrix, value: Triple): Triple => [
  dot(matrix[0], value),
  dot(matrix[1], value),
  dot(matrix[2], value),
];

function invert([a, b, c]: Matrix): Matrix | undefined {
  const determinant = dot(a, cross(b, c));
  if (!Number.isFinite(determinant) || Math.abs(determinant) < 1e-9) return undefined;
  const over = (value: Triple): Triple => [
    value[0] / determinant,
    value[1] / determinant,
    value[2] / determinant,
  ];
  return transpose([over(cross(b, c)), over(cross(c, a)), over(cross(a, b))]);
}
