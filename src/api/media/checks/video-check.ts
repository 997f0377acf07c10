/** Whether a video may be shown, by its container's metadata (spec.md `video`). */

import { SIDE_PX, VIDEO_SIDE_PX_MAX } from "./limits.ts";
import { type Refusal, refuse } from "./reasons.ts";
import { type Content, sniff } from "./sniff.ts";

/** The size as displayed, after the container's rotation. */
export interface VideoHeader {
  readonly width: number;
  readonly height: number;
}

export type VideoFormat = Extract<Content, "MP4" | "WebM">;

/** Judges by content alone, never by name or header. */
export function checkVideoContent(body: Buffer): VideoFormat | Refusal {
  const content = sniff(body);
  if (content === "MP4" || content === "WebM") return content;
  const found = body.length === 0 ? "an empty file" : (content ?? "an unknown format");
  return refuse("video_wrong_format", `${found}; it must be MP4 or WEBM`);
}

/** No header means that the container has no video track. */
export function checkVideo(header: VideoHeader | undefined): Refusal | undefined {
  if (!header) return refuse("video_undecodable", "the file holds no video track");
  const { width, height } = header;
  if (width < SIDE_PX || height < SIDE_PX)
    return refuse("video_too_small", `${width}x${height}, at least ${SIDE_PX}x${SIDE_PX}`);
  if (width > VIDEO_SIDE_PX_MAX || height > VIDEO_SIDE_PX_MAX)
    return refuse("video_undecodable", `${width}x${height}, at most ${VIDEO_SIDE_PX_MAX} pixels per side`);
  return undefined;
}
