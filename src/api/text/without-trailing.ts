/**
 * The text without the characters at its end that are this one. In time by the text's length: `/x+$/` takes its square
 * where many of them stand before another character.
 */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
