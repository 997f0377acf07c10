/**
 * A URL as WHATWG URL parses it, or undefined. In place of `URL.canParse`, which Node 20 answers wrongly once V8 has
 * optimised its caller: a few thousand calls into a process, every host with a letter such as `ü` is refused.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
