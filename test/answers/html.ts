/** HTML as lines, one element each, so that a difference is one that people can read. */

const IN_A_LINE = /^(?:a|abbr|b|bdi|br|code|em|i|img|input|kbd|small|span|strong|sup|time|wbr)$/;

/** Breaks before each tag that is not part of a line of text; scripts and styles stay as they are. */
export function linesOfHtml(html: string): string[] {
  const broken = html.replace(/<(\/?)([a-zA-Z][\w-]*)([^>]*)>/g, (tag, slash: string, name: string) => {
    if (IN_A_LINE.test(name.toLowerCase())) return tag;
    return slash ? `${tag}\n` : `\n${tag}`;
  });
  return broken
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
