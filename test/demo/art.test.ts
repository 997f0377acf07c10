/** The service accepts the demo's pictures, except those that are meant to be refused. */
import sharp from "sharp";
import { expect, it } from "vitest";
import { appearanceOf, BACKDROPS } from "../../demo/art/appearance.ts";
import { drawScene } from "../../demo/art/scene.ts";
import { drawGif, drawHeavyPng, drawPng, drawWebm } from "../../demo/art.ts";

const BYTES_MAX = 1024 * 1024;
const seeds = (count: number) => Array.from({ length: count }, (_, index) => `heroes/${index + 1}`);

it("draws PNGs of 640x640 within the size limit", async () => {
  const pictures = await Promise.all([...seeds(12), "items/1", "items/2"].map((seed) => drawPng(seed)));

  for (const picture of pictures) {
    expect(await sharp(picture).metadata()).toMatchObject({ format: "png", width: 640, height: 640 });
    expect(picture.length).toBeLessThan(BYTES_MAX);
  }
});

it("draws GIFs of 480x480 whose every frame has its time, within the size limit", async () => {
  const picture = await drawGif("heroes/3");

  const { format, width, pageHeight, pages, delay } = await sharp(picture, { animated: true }).metadata();
  expect({ format, width, pageHeight, pages }).toEqual({
    format: "gif",
    width: 480,
    pageHeight: 480,
    pages: 12,
  });
  expect(delay).toEqual(Array(12).fill(100));
  expect(picture.length).toBeLessThan(BYTES_MAX);
});

it("draws WebM videos of 480x480 whose first frame is a decodable key frame, within the size limit", async () => {
  const video = await drawWebm("heroes/5");

  // Block header: track 1, time 0, key frame; then the VP8 start code and the two dimensions.
  const block = video.indexOf(Buffer.from("81000080", "hex"));
  const frame = video.subarray(block + 4);
  expect(video.subarray(0, 4).toString("hex")).toBe("1a45dfa3");
  expect(frame.subarray(3, 6).toString("hex")).toBe("9d012a");
  expect([frame.readUInt16LE(6) & 0x3fff, frame.readUInt16LE(8) & 0x3fff]).toEqual([480, 480]);
  expect(video.length).toBeLessThan(BYTES_MAX);
});

it("draws the same picture for the same seed, and another for every token of the demo", () => {
  expect(drawScene("heroes/7")).toBe(drawScene("heroes/7"));
  expect(new Set(seeds(48).map((seed) => drawScene(seed))).size).toBe(48);
});

it.each(BACKDROPS)("loops without a seam before %s", async (backdrop) => {
  const seed = seeds(48).find((candidate) => appearanceOf(candidate).backdrop === backdrop) ?? "";
  const pixels = (phase: number) =>
    sharp(Buffer.from(drawScene(seed, phase)))
      .raw()
      .toBuffer();

  const [start, middle, end] = await Promise.all([pixels(0), pixels(0.3), pixels(1)]);

  expect(distance(start, end)).toBeLessThan(0.2);
  expect(distance(start, middle)).toBeGreaterThan(0.2);
});

const distance = (one: Buffer, other: Buffer): number =>
  one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0) / one.length;

it("draws the heavy picture over the size limit", async () => {
  expect((await drawHeavyPng("heroes/42")).length).toBeGreaterThan(BYTES_MAX);
});
