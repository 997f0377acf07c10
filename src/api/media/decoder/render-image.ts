/**
 * Renders an image's 480x480 picture. Runs only in the decoder process: nothing else may load libvips, which parses
 * untrusted files.
 */

import sharp, { type Sharp } from "sharp";
import {
  checkCanvas,
  checkContent,
  checkHeader,
  checkPicture,
  type ImageHeader,
} from "../checks/image-check.ts";
import { PIXELS_MAX, SIDE_PX } from "../checks/limits.ts";
import { type Refusal, refuse } from "../checks/reasons.ts";
import { disposedToTransparent } from "./gif-disposal.ts";
import { canvasOf } from "./gif-frames.ts";
import { dropHiddenColours } from "./hidden-colours.ts";
import { stripAncillaryChunks } from "./png-chunks.ts";
import { readableProfile, withColourProfile } from "./png-colour.ts";
import { renderPlaceholder } from "./render-variants.ts";

export interface RenderedImage {
  readonly kind: "image";
  readonly bytes: Buffer;
  readonly extension: "png" | "gif";
  /** Of the source image. */
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** A thumbhash in base64; null when none could be made. */
  readonly placeholder: string | null;
}

/** A picture, and how to open its pixels as often as they are needed; a GIF's are those of all frames. */
export interface Rendering {
  readonly image: RenderedImage;
  readonly open: () => Sharp;
}

const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };
// Orientations that swap width and height (EXIF 2.3, tag 0x0112).
const SIDEWAYS_FROM = 5;

/** Call once per process, before the first image. Disables all other formats' loaders, whatever the content claims. */
export function setUpDecoder(): void {
  sharp.cache(false);
  // One image at a time: concurrency comes from several processes.
  sharp.concurrency(1);
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: ["VipsForeignLoadPng", "VipsForeignLoadJpeg", "VipsForeignLoadNsgif"] });
}

/**
 * Renders exactly 480x480 with the aspect ratio kept and the rest transparent, upright, in sRGB, without metadata. A
 * GIF stays a GIF, with its delays and loops. Limits are checked before a pixel is decoded.
 */
export async function renderImage(file: Buffer): Promise<Rendering | Refusal> {
  const content = checkContent(file);
  if ("reason" in content) return content;
  const { format, frames } = content;
  const isGif = format === "GIF";
  try {
    const body = prepare(file, format);
    const { isDeepGrey, isDeepColour, ...size } = await readHeader(body);
    const header = { ...size, frames };
    const refusal = (isGif && checkCanvas(canvasOf(body), header)) || checkHeader(header);
    if (refusal) return refusal;
    // Frames and their sum are checked already; the library counts all frames as one image.
    const limitInputPixels = PIXELS_MAX * Math.max(1, frames);
    const readable = isDeepGrey ? await readableProfile(body, limitInputPixels) : body;
    // Odd files are shown, as browsers do; truncated or damaged ones are not.
    const source = sharp(readable, {
      animated: isGif,
      autoOrient: !isGif,
      limitInputPixels,
      failOn: "error",
    });
    // By itself, the library takes colours of 16 bits with a profile to Display P3.
    const coloured = isDeepColour ? source.withIccProfile("srgb", { attach: false }) : source;
    const { bytes, open, first } = await (isGif ? renderGif : renderStill)(resize(coloured));
    const tooLarge = checkPicture(bytes.length);
    if (tooLarge) return tooLarge;
    const placeholder = await renderPlaceholder(first());
    const extension = isGif ? "gif" : "png";
    return { image: { kind: "image", bytes, extension, format, ...header, placeholder }, open };
  } catch (error) {
    return refuse("image_undecodable", causeOf(error as Error));
  }
}

const resize = (image: Sharp): Sharp =>
  image.resize(SIDE_PX, SIDE_PX, { fit: "contain", background: TRANSPARENT });

interface Picture {
  readonly bytes: Buffer;
  readonly open: () => Sharp;
  /** The first frame alone. */
  readonly first: () => Sharp;
}

async function renderGif(image: Sharp): Promise<Picture> {
  // An effort above 1 takes a third longer for a GIF of many frames, and saves little.
  const bytes = await image.gif({ effort: 1, keepDuplicateFrames: true }).toBuffer();
  return {
    bytes,
    open: () => sharp(bytes, { animated: true, limitInputPixels: false }),
    first: () => sharp(bytes),
  };
}

async function renderStill(image: Sharp): Promise<Picture> {
  const { data, info } = await image
    .toColourspace("srgb")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  dropHiddenColours(data, channels);
  // Not all that is said of the pixels: after a resize also that they are premultiplied, which they are no more.
  const open = () => sharp(data, { raw: { width, height, channels } });
  // Equal pictures must be equal files.
  return { bytes: stripAncillaryChunks(await open().png().toBuffer()), open, first: open };
}

/** The file as the library reads it rightly. */
function prepare(file: Buffer, format: string): Buffer {
  if (format === "PNG") return withColourProfile(stripAncillaryChunks(file));
  return format === "GIF" ? disposedToTransparent(file) : file;
}

interface SourceHeader extends Omit<ImageHeader, "frames"> {
  /** Grey of 16 bits with a profile, which the library would ignore. */
  readonly isDeepGrey: boolean;
  /** Colours of 16 bits with a profile. */
  readonly isDeepColour: boolean;
}

/** From the header alone; our own check reports the pixel limit, with the measured value. */
async function readHeader(body: Buffer): Promise<SourceHeader> {
  const metadata = await sharp(body, { limitInputPixels: false }).metadata();
  const { width, pageHeight, orientation = 1, hasProfile, space } = metadata;
  const height = pageHeight ?? metadata.height;
  const isSideways = orientation >= SIDEWAYS_FROM;
  return {
    width: isSideways ? height : width,
    height: isSideways ? width : height,
    isDeepGrey: space === "grey16" && hasProfile,
    isDeepColour: space === "rgb16" && hasProfile,
  };
}

// What the library says of a truncated interlaced PNG.
const CUT_SHORT = "Unknown error";

/** In one line. */
function causeOf({ message }: Error): string {
  const [line = ""] = message.split("\n");
  return line === CUT_SHORT ? "it is cut short or damaged" : line.trim();
}
