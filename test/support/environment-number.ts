/** Whole numbers that set how a long test runs: its length, its seed. */

/** Of 32 bits. */
export const SEED_MAX = 2 ** 32 - 1;

/** Undefined where the variable is not set; throws, naming it, where it is no whole number up to `max`. */
export function environmentNumber(name: string, max = SEED_MAX): number | undefined {
  const text = process.env[name];
  if (!text) return undefined;
  if (/^[0-9]{1,10}$/.test(text) && Number(text) <= max) return Number(text);
  throw new Error(`${name} must be a whole number from 0 to ${max}; it is "${text}"`);
}
