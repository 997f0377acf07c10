/** Which videos may be shown, by the container alone, through the real decoder. */

import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { muxWebm } from "../../../demo/art/webm.ts";
import { createDecoder } from "../../../src/api/media/decoder/decoder.ts";
import { gif, noise, png } from "./pictures.ts";

const decoder = createDecoder({ processes: 1 });
afterAll(() => decoder.close());

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../fixtures/media/${name}`, import.meta.url));

const webm = async (size: number): Promise<Buffer> =>
  muxWebm([await noise().webp().toBuffer()], { size, frameMs: 50 });

/** Rotated by 90 degrees as phones do it: in the track's matrix (ISO 14496-12, 8.3.2), not in the picture. */
function turned(video: Buffer): Buffer {
  const copy = Buffer.from(video);
  const matrix = copy.indexOf("tkhd") + 4 + 40;
  const values = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000];
  for (const [index, value] of values.entries()) copy.writeInt32BE(value, matrix + 4 * index);
  return copy;
}

describe("a video", () => {
  it.each([
    ["480x480.mp4", { format: "MP4", width: 480, height: 480 }],
    ["480x480-vp8.webm", { format: "WebM", width: 480, height: 480 }],
    ["480x480-vp9.webm", { format: "WebM", width: 480, height: 480 }],
  ])("%s may be shown", async (name, expected) => {
    expect(await decoder.decode("video", fixture(name))).toEqual({ kind: "video", ...expected });
  });

  it("of WEBM with the longest lengths there are may be shown", async () => {
    expect(await decoder.decode("video", await webm(480))).toMatchObject({
      kind: "video",
      format: "WebM",
    });
  });

  it("as large as 65,535 pixels per side may be shown", async () => {
    expect(await decoder.decode("video", await webm(65_535))).toEqual({
      kind: "video",
      format: "WebM",
      width: 65_535,
      height: 65_535,
    });
  });

  it.each<[string, () => Buffer | Promise<Buffer>, string, string]>([
    ["478x480", () => fixture("478x480.mp4"), "video_too_small", "478x480, at least 480x480"],
    ["640x400", () => fixture("640x400.mp4"), "video_too_small", "640x400, at least 480x480"],
    ["640x400 turned", () => turned(fixture("640x400.mp4")), "video_too_small", "400x640, at least 480x480"],
    [
      "a side over 65,535 pixels",
      () => webm(65_536),
      "video_undecodable",
      "65536x65536, at most 65535 pixels per side",
    ],
    [
      "a size that no column holds",
      () => webm(2 ** 31),
      "video_undecodable",
      "2147483648x2147483648, at most 65535 pixels per side",
    ],
    ["sound alone", () => fixture("sound-only.mp4"), "video_undecodable", "the file holds no video track"],
    [
      "a start without an index",
      () => fixture("478x480.mp4").subarray(0, 800),
      "video_undecodable",
      "no video track",
    ],
    ["QuickTime", () => fixture("480x480.mov"), "video_wrong_format", "QuickTime; it must be MP4 or WEBM"],
    ["Matroska", () => fixture("480x480.mkv"), "video_wrong_format", "Matroska; it must be MP4 or WEBM"],
    ["GIF named .mp4", () => gif(2, 480), "video_wrong_format", "GIF; it must be MP4 or WEBM"],
    ["PNG named .mp4", () => png(480, 480), "video_wrong_format", "PNG"],
    ["HTML named .mp4", () => Buffer.from("<html></html>"), "video_wrong_format", "HTML"],
    ["an empty file", () => Buffer.alloc(0), "video_wrong_format", "an empty file"],
    ["a signature and no more", () => Buffer.from("\0\0\0\x18ftypisom", "latin1"), "video_undecodable", ""],
  ])("is refused with the figure: %s", async (_name, make, reason, message) => {
    expect(await decoder.decode("video", await make())).toEqual({
      reason,
      message: expect.stringContaining(message),
    });
  });
});

describe("a video that takes too much of the processor", () => {
  it("is refused with the limit, as an image is", async () => {
    // To load the library takes longer than that.
    const hasty = createDecoder({ processes: 1, processorLimitMs: 1 });
    try {
      expect(await hasty.decode("video", fixture("480x480.mp4"))).toEqual({
        reason: "video_undecodable",
        message: "decoding took over 1 ms of processor time",
        isOpen: false,
      });
    } finally {
      await hasty.close();
    }
  });
});
