/**
 * Finds bytes within bytes in time by the length of both, whatever they are (Knuth, Morris and Pratt): with a search that
 * starts over at each place, texts that repeat a query's start take hundreds of times as long as others.
 */

/** Whether some bytes, from one place to another, contain others. */
export type Holds = (bytes: Uint8Array, from: number, to: number) => boolean;

/** The search for these bytes, of which there is at least one. */
export function searchOf(needle: Uint8Array): Holds {
  const { length } = needle;
  const borders = bordersOf(needle);
  const first = needle[0] as number;
  return (bytes, from, to) => {
    let matched = 0;
    let at = from;
    while (at - matched <= to - length) {
      if (bytes[at] === needle[matched]) {
        at++;
        matched++;
        if (matched === length) return true;
      } else if (matched > 0) matched = borders[matched - 1] as number;
      // Nearly all bytes end here.
      else while (++at <= to - length && bytes[at] !== first);
    }
    return false;
  };
}

/** For each start of the bytes, the length of the longest shorter start that it ends with. */
function bordersOf(bytes: Uint8Array): Uint16Array {
  const borders = new Uint16Array(bytes.length);
  let length = 0;
  for (let at = 1; at < bytes.length; at++) {
    while (length > 0 && bytes[at] !== bytes[length]) length = borders[length - 1] as number;
    if (bytes[at] === bytes[length]) length++;
    borders[at] = length;
  }
  return borders;
}
