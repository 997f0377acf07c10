/** Integers from the environment that control a long test: its duration, its seed. */

/** A 32-bit value. */
export const SEED_MAX = 2 ** 32 - 1;

/** Undefined if the variable is not set; throws, naming it, if it is no integer up to `max`. */
export function environmentNumber(name: string, max = SEED_MAX): number | undefined {
  const text = process.env[name];
  if (!text) return undefined;
  if (/^[0-9]{1,10}$/.test(text) && Number(text) <= max) return Number(text);
  throw new Error(`${name} must be a whole number from 0 to ${max}; it is "${text}"`);
}
