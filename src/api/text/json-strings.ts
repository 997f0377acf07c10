/** Where the strings of a JSON text end. */

/** The position after the closing quote of the string that begins at `start`; that after the text where it has none. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslash = end;
    while (text[backslash - 1] === "\\") backslash--;
    if ((end - backslash) % 2 === 0) return end + 1;
  }
  return text.length;
}
