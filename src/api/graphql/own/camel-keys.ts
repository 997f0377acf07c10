// Our answers have fewer; a document of strangers may have any others.
const NAMES_KNOWN = 1_000;
const CHARACTERS_KNOWN = 50;
const known = new Map<string, string>();

/** `at_block` as `atBlock`. */
export function camelCase(name: string): string {
  if (!name.includes("_")) return name;
  const before = known.get(name);
  if (before !== undefined) return before;
  const camel = name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  if (name.length <= CHARACTERS_KNOWN && known.size < NAMES_KNOWN) known.set(name, camel);
  return camel;
}

/** Converts snake_case keys, at every depth, to GraphQL's camelCase. */
export function camelKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [camelCase(key), camelKeys(inner)]));
}
