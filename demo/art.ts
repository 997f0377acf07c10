/** Draws token art: no pictures are checked in, and the same seed gives the same picture. */
import sharp, { type Sharp } from "sharp";
import { drawScene } from "./art/scene.ts";
import { muxWebm } from "./art/webm.ts";

// One loop takes just over a second.
const GIF = { frames: 12, frameMs: 100 };
const VIDEO = { frames: 48, frameMs: 50 };

/** A square PNG of the seed `<kind>/<id>`. */
export const drawPng = (seed: string, size = 640): Promise<Buffer> => render(seed, 0, size).png().toBuffer();

const BANNER = { tokens: 5, size: 320 };

/** The first few tokens of a kind (`heroes`, `items`) side by side. */
export const drawBanner = async (kind: string): Promise<Buffer> => {
  const { tokens, size } = BANNER;
  const squares = await Promise.all(
    Array.from({ length: tokens }, (_, index) => drawPng(`${kind}/${index + 1}`, size)),
  );
  return sharp({ create: { width: tokens * size, height: size, channels: 3, background: "#08070d" } })
    .composite(squares.map((input, index) => ({ input, left: index * size, top: 0 })))
    .png()
    .toBuffer();
};

/** A square animated GIF of the seed `<kind>/<id>` that loops seamlessly. */
export const drawGif = async (seed: string, size = 480): Promise<Buffer> => {
  const frames = await drawFrames(GIF.frames, (phase) =>
    render(seed, phase, size).png({ compressionLevel: 1 }),
  );
  // Without dithering the file is smaller, faster to draw, and does not flicker.
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: Array(GIF.frames).fill(GIF.frameMs), loop: 0, colours: 128, effort: 1, dither: 0 })
    .toBuffer();
};

/** A square, silent WebM of the seed `<kind>/<id>`. */
export const drawWebm = async (seed: string, size = 480): Promise<Buffer> => {
  const frames = await drawFrames(VIDEO.frames, (phase) =>
    render(seed, phase, size).webp({ quality: 55, effort: 2 }),
  );
  return muxWebm(frames, { size, frameMs: VIDEO.frameMs });
};

/** The same picture in a format that the service refuses. */
export const drawWebp = (seed: string, size = 640): Promise<Buffer> =>
  render(seed, 0, size).webp().toBuffer();

/** The same picture under fresh film grain, which no encoder compresses below the 1 MiB that the service accepts. */
export const drawHeavyPng = async (seed: string, size = 900): Promise<Buffer> => {
  const noise = { type: "gaussian", mean: 128, sigma: 24 } as const;
  const grain = sharp({ create: { width: size, height: size, channels: 3, background: "#808080", noise } });
  const input = await grain.png().toBuffer();
  return render(seed, 0, size)
    .composite([{ input, blend: "soft-light" }])
    .png()
    .toBuffer();
};

const drawFrames = (count: number, draw: (phase: number) => Sharp): Promise<Buffer[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => draw(index / count).toBuffer()));

const render = (seed: string, phase: number, size: number): Sharp =>
  // librsvg draws at 72 dots per inch of the view box; any other density would enlarge a small picture.
  sharp(Buffer.from(drawScene(seed, phase)), { density: (72 * size) / 120 })
    .resize(size, size)
    .removeAlpha();
