/** Growing typed arrays. */

type TypedArray =
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

const LENGTH_MIN = 64;
const FACTOR = 1.5;

/** The array itself if it has capacity for `length` elements, otherwise a longer copy padded with zeros. */
export function grown<A extends TypedArray>(array: A, length: number): A {
  return length <= array.length ? array : longer(array, length);
}

function longer<A extends TypedArray>(array: A, length: number): A {
  const Kind = array.constructor as new (length: number) => A;
  const copy = new Kind(Math.max(length, LENGTH_MIN, Math.ceil(array.length * FACTOR)));
  copy.set(array);
  return copy;
}
