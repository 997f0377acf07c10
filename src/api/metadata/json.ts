/** Looking at JSON that a stranger wrote. */

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Own properties only: a key may be called anything, `__proto__` included. */
export const own = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** PostgreSQL takes neither NUL nor lone surrogates; both become U+FFFD. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\uFFFD");

/** What arrived, in the words of JSON. */
export function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value === "") return "empty";
  if (typeof value === "object") return "an object";
  // JSON.parse gives Infinity for 1e999.
  if (typeof value === "number" && !Number.isFinite(value)) return "a number too large to hold";
  return `a ${typeof value}`;
}
