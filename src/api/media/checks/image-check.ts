/** Whether an image may be decoded, by its first bytes and its header (spec.md "Limits"). */

import { isUtf8 } from "node:buffer";
import { walkGif } from "../decoder/gif-frames.ts";
import { FRAME_PIXELS_MAX, FRAMES_MAX, PICTURE_BYTES_MAX, PIXELS_MAX, SIDE_PX } from "./limits.ts";
import { type Refusal, refuse } from "./reasons.ts";
import { type Content, sniff } from "./sniff.ts";

/** The values of a header. Width and height are those of one frame as displayed, after its EXIF orientation. */
export interface ImageHeader {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

export type ImageFormat = Extract<Content, "PNG" | "JPEG" | "GIF">;

export interface ImageContent {
  readonly format: ImageFormat;
  /** More than one only in a GIF; of an animated PNG, the default image is used. */
  readonly frames: number;
}

const pixels = (value: number): string => value.toLocaleString("en-US");

/** Judges by content alone, never by name or header. */
export function checkContent(body: Buffer): ImageContent | Refusal {
  const format = sniff(body);
  if (format !== "PNG" && format !== "JPEG" && format !== "GIF") {
    const found = body.length === 0 ? "an empty file" : (format ?? "an unknown format");
    return refuse("image_wrong_format", `${found}; it must be PNG, JPEG or GIF`);
  }
  if (format !== "GIF") return { format, frames: 1 };
  const { kind, frames } = walkGif(body);
  return kind === "broken"
    ? refuse("image_undecodable", `the GIF is cut short or damaged after ${frames} frames`)
    : { format, frames };
}

/**
 * Whether a host may send a file that starts like this with status 200 in place of any that is gone: a page, JSON, other
 * text or nothing.
 */
export function isNoFile(start: Buffer): boolean {
  const found = sniff(start);
  return found === undefined ? isText(start) : found === "HTML" || found === "JSON";
}

// The marks of UTF-16 and UTF-32, whose texts have zeros.
const WIDE_MARKS = ["fffe", "feff", "0000feff"].map((mark) => Buffer.from(mark, "hex"));
// White space, and the escapes of ISO-2022.
const TEXT_CONTROLS: ReadonlySet<number> = new Set(Buffer.from("\t\n\v\f\r\x1b"));

/** Files that aren't text have control characters, and texts have none, whatever their charset. */
const isText = (start: Buffer): boolean =>
  WIDE_MARKS.some((mark) => start.subarray(0, mark.length).equals(mark)) ||
  (isUtf8(start) && !start.includes(0)) ||
  start.every((byte) => byte >= 0x20 || TEXT_CONTROLS.has(byte));

/** libvips reads only the area of the first frame of a GIF over 2,048 pixels. Undefined when that is all of it. */
export function checkCanvas(
  canvas: { readonly width: number; readonly height: number },
  { width, height }: ImageHeader,
): Refusal | undefined {
  if (canvas.width <= width && canvas.height <= height) return undefined;
  const found = `a canvas of ${canvas.width}x${canvas.height}, of which only ${width}x${height} can be read`;
  return refuse("image_undecodable", `${found}; a first frame as large as the canvas helps`);
}

/** Undefined when it may be decoded. */
export function checkHeader({ width, height, frames }: ImageHeader): Refusal | undefined {
  if (width < SIDE_PX || height < SIDE_PX)
    return refuse("image_too_small", `${width}x${height}, at least ${SIDE_PX}x${SIDE_PX}`);
  if (width * height > PIXELS_MAX) {
    const found = `${width}x${height}, ${pixels(width * height)} pixels`;
    return refuse("image_too_many_pixels", `${found}, at most ${pixels(PIXELS_MAX)}`);
  }
  if (frames > FRAMES_MAX) return refuse("image_too_many_frames", `${frames} frames, at most ${FRAMES_MAX}`);
  if (width * height * frames > FRAME_PIXELS_MAX) {
    const found = `${frames} frames of ${width}x${height}, ${pixels(width * height * frames)} pixels`;
    return refuse("image_too_many_pixels", `${found}, at most ${pixels(FRAME_PIXELS_MAX)}`);
  }
  return undefined;
}

/** Undefined when an image of so many bytes may be stored. */
export function checkPicture(bytes: number): Refusal | undefined {
  if (bytes <= PICTURE_BYTES_MAX) return undefined;
  const found = `a picture of ${bytes} bytes at ${SIDE_PX}x${SIDE_PX}`;
  return refuse("image_too_many_pixels", `${found}, at most ${PICTURE_BYTES_MAX}`);
}
