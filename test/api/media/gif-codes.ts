/** Writes the pixels of a GIF's frame (GIF89a, appendix F). */

/** With the table of codes that the format prescribes, so that codes grow wider as they do in the wild. */
export function encodeFrame(pixels: readonly number[], bits: number): number[] {
  const codeSize = Math.max(2, bits);
  const [clear, end] = [2 ** codeSize, 2 ** codeSize + 1];
  const bytes: number[] = [];
  let [held, count] = [0, 0];
  let [width, next] = [codeSize + 1, end + 1];
  let table = new Map<string, number>();
  const put = (code: number): void => {
    held |= code << count;
    for (count += width; count >= 8; count -= 8, held >>>= 8) bytes.push(held & 0xff);
  };
  const codeOf = (text: string): number => (text.includes(",") ? (table.get(text) ?? 0) : Number(text));
  put(clear);
  let prefix = "";
  for (const pixel of pixels) {
    const longer = prefix === "" ? String(pixel) : `${prefix},${pixel}`;
    if (prefix === "" || table.has(longer)) {
      prefix = longer;
      continue;
    }
    put(codeOf(prefix));
    if (next < 4_096) {
      if (next === 2 ** width) width++;
      table.set(longer, next++);
    } else {
      put(clear);
      [table, width, next] = [new Map(), codeSize + 1, end + 1];
    }
    prefix = String(pixel);
  }
  put(codeOf(prefix));
  put(end);
  if (count > 0) bytes.push(held & 0xff);
  const blocks: number[] = [codeSize];
  for (let at = 0; at < bytes.length; at += 255) {
    const part = bytes.slice(at, at + 255);
    blocks.push(part.length, ...part);
  }
  return [...blocks, 0];
}
