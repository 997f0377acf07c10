/** The formats that libvips may load, in a process set up like a decoder. */

import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { setUpDecoder } from "../../../src/api/media/decoder/render-image.ts";
import { jpeg, noise, png } from "./pictures.ts";

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="500" height="500"/>');
const others: readonly (readonly [string, Buffer])[] = [
  ["SVG", svg],
  ["WebP", await noise().webp().toBuffer()],
  ["TIFF", await noise().tiff().toBuffer()],
  ["AVIF", await noise(64).avif({ effort: 0 }).toBuffer()],
];
setUpDecoder();

describe("a decoder", () => {
  it.each(others)("has no loader for %s, whatever the checks before it let through", async (_name, body) => {
    await expect(sharp(body).metadata()).rejects.toThrow("unsupported image format");
  });

  it("reads PNG and JPEG", async () => {
    expect((await sharp(await png(1, 1)).metadata()).format).toBe("png");
    expect((await sharp(await jpeg(1, 1)).metadata()).format).toBe("jpeg");
  });
});
