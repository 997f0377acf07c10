/** A URL as WHATWG URL parses it, or undefined. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** A name in the DNS has no more (RFC 1035), and a database index holds no text of any length. */
export const HOST_CHARACTERS_MAX = 253;

/** What is wrong with the host of a URL, to follow "the URL's host"; undefined if nothing is. */
export function problemOfHost({ hostname }: URL): string | undefined {
  // The dot of the root is no part of the name.
  const { length } = hostname.replace(/\.$/, "");
  return length > HOST_CHARACTERS_MAX
    ? `has ${length} characters; the limit is ${HOST_CHARACTERS_MAX}`
    : undefined;
}

/** Whether a URL is without what could hold a secret, or could not be followed by a path. */
export function isPlainUrl(text: string): boolean {
  const url = parseUrl(text);
  return !url || (!url.username && !url.password && !/[?#]/.test(text));
}
