/** Descending, NaN last. */
export function compareNewest(a: number, b: number): number {
  if (a === b) return 0;
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1;
  return Number.isNaN(b) || a > b ? -1 : 1;
}
