/**
 * A URL as WHATWG URL parses it, or undefined. Used instead of `URL.canParse`, which is wrong in Node 20 once V8 has
 * optimised its caller: after a few thousand calls it refuses every host with a letter such as `ü`.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
