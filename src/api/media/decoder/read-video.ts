/** Reads a video's size from its container. Runs only in the decoder process. */

import mediaInfoFactory, { type MediaInfo, type MediaInfoResult } from "mediainfo.js";
import { type Refusal, refuse } from "../checks/reasons.ts";
import { checkVideo, checkVideoContent, type VideoHeader } from "../checks/video-check.ts";

export interface ReadVideo {
  readonly kind: "video";
  readonly format: string;
  readonly width: number;
  readonly height: number;
}

let library: Promise<MediaInfo<"object">> | undefined;

/** One call at a time: an instance analyses one file. */
export async function readVideo(body: Buffer): Promise<ReadVideo | Refusal> {
  const format = checkVideoContent(body);
  if (typeof format === "object") return format;
  try {
    library ??= mediaInfoFactory({ format: "object" });
    const info = await library;
    const result = await info.analyzeData(body.length, (size, offset) =>
      body.subarray(offset, offset + size),
    );
    const header = headerOf(result);
    const refusal = checkVideo(header);
    return refusal ?? { kind: "video", format, ...(header as VideoHeader) };
  } catch (error) {
    return refuse("video_undecodable", (error as Error).message);
  }
}

function headerOf(result: MediaInfoResult): VideoHeader | undefined {
  for (const track of result.media?.track ?? []) {
    if (track["@type"] !== "Video" || !track.Width || !track.Height) continue;
    const { Width: width, Height: height } = track;
    // Width and height are as stored; a phone held upright stores a rotated picture.
    const isTurned = Math.round(Number(track.Rotation ?? 0)) % 180 !== 0;
    return isTurned ? { width: height, height: width } : { width, height };
  }
  return undefined;
}
