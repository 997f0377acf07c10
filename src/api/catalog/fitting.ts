/** How many of these sizes, from the first, are `bytesMax` together at most, and their sum; the first in any case. */
export function countFitting(
  sizes: readonly number[],
  bytesMax: number,
): { readonly count: number; readonly bytes: number } {
  let [count, bytes] = [0, 0];
  for (const size of sizes) {
    if (count > 0 && bytes + size > bytesMax) break;
    bytes += size;
    count++;
  }
  return { count, bytes };
}
