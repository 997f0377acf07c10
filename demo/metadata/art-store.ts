/** Pictures by file name, drawn on first request: drawing all of them up front would delay the start. */
import { drawBanner, drawGif, drawHeavyPng, drawPng, drawWebm, drawWebp } from "../art.ts";
import type { Kind } from "./answer.ts";

export type Picture = { contentType: string; bytes: Buffer };
export type ArtStore = { get(kind: Kind, file: string): Promise<Picture> | undefined };

/** The banner picture of a collection. */
const BANNER = "banner.png";

const SMALL_PX = 300;
type Format = { contentType: string; draw(seed: string): Promise<Buffer> };

const FORMATS: Record<string, Format> = {
  ".png": { contentType: "image/png", draw: drawPng },
  "-small.png": { contentType: "image/png", draw: (seed) => drawPng(seed, SMALL_PX) },
  "-heavy.png": { contentType: "image/png", draw: drawHeavyPng },
  ".gif": { contentType: "image/gif", draw: drawGif },
  ".webp": { contentType: "image/webp", draw: drawWebp },
  ".webm": { contentType: "video/webm", draw: drawWebm },
};

/** Caches drawn pictures; undefined for a file name that can't be drawn. */
export const createArtStore = (): ArtStore => {
  const drawn = new Map<string, Promise<Picture>>();
  return {
    get(kind, file) {
      if (file === BANNER) {
        const picture =
          drawn.get(kind) ?? drawBanner(kind).then((bytes) => ({ contentType: "image/png", bytes }));
        drawn.set(kind, picture);
        return picture;
      }
      const [, id, suffix] = /^([0-9a-f]{64}|\d{1,18})([-.][a-z.]+)$/.exec(file) ?? [];
      const format = FORMATS[suffix ?? ""];
      if (id === undefined || format === undefined) return undefined;
      // ERC-1155 writes ids as 64 hex digits; a token has one picture under either name.
      const seed = `${kind}/${BigInt(id.length === 64 ? `0x${id}` : id)}`;
      const key = `${seed}${suffix}`;
      const picture = drawn.get(key) ?? draw(format, seed);
      drawn.set(key, picture);
      return picture;
    },
  };
};

const draw = async ({ contentType, draw }: Format, seed: string): Promise<Picture> => ({
  contentType,
  bytes: await draw(seed),
});
