/** Messages between the service and a decoder process, as lines of JSON. */

import type { Readable } from "node:stream";
import { z } from "zod";
import { PICTURE_BYTES_MAX, VARIANTS_BYTES_MAX } from "../checks/limits.ts";
import { type Refusal, type RefusalCode, refusalTable } from "../checks/reasons.ts";
import type { ReadVideo } from "./read-video.ts";
import type { RenderedImage } from "./render-image.ts";
import type { RenderedVariant } from "./render-variants.ts";

/** The decoder's pipe for events, which it writes immediately. */
export const EVENTS_FD = 3;

/** What to decode, and where in the scratch file it is. */
export interface Job {
  readonly id: number;
  readonly kind: "image" | "video";
  readonly place: number;
  readonly bytes: number;
}

export interface DecodedImage extends RenderedImage {
  /** Null when they could not be made through no fault of the image: a later decoding may make them. */
  readonly variants: readonly RenderedVariant[] | null;
}

export type Decoded = DecodedImage | ReadVideo | Refusal;

const id = z.int().nonnegative();
const side = z.int().positive();
const header = { format: z.string(), width: side, height: side };
const videoSchema = z.object({ kind: z.literal("video"), ...header });
const imageSchema = z.object({
  kind: z.literal("image"),
  extension: z.enum(["png", "gif"]),
  frames: z.int().positive(),
  placeholder: z.base64().max(64).nullable(),
  ...header,
});
const variantsSchema = z
  .array(z.object({ side, bytes: z.int().positive() }))
  .max(8)
  .refine((all) => all.reduce((sum, { bytes }) => sum + bytes, 0) <= VARIANTS_BYTES_MAX);
const refusalSchema = z.object({
  reason: z.enum(Object.keys(refusalTable) as [RefusalCode, ...RefusalCode[]]),
  message: z.string(),
});
const eventSchema = z.discriminatedUnion("event", [
  z.object({ event: z.literal("ready") }),
  /** The file has used up its processor time. */
  z.object({ event: z.literal("spent"), id }),
  /** The picture is in the file's place; its variants follow. */
  z.object({
    event: z.literal("picture"),
    id,
    bytes: z.int().positive().max(PICTURE_BYTES_MAX),
    image: imageSchema,
  }),
  /** The variants are behind the picture, one after the other. */
  z.object({ event: z.literal("variants"), id, variants: variantsSchema.nullable() }),
  z.object({ event: z.literal("answer"), id, answer: z.union([videoSchema, refusalSchema]) }),
  /** No answer, through no fault of the file. */
  z.object({ event: z.literal("failure"), id, message: z.string() }),
]);
export type DecoderEvent = z.infer<typeof eventSchema>;

const LINE_MAX = 16_384;

/**
 * Emits each event in order. A decoded file may have taken over the decoder: after a line that is not an event, calls
 * `onFault` and reads no further.
 */
export function readEvents(
  pipe: Readable,
  onEvent: (event: DecoderEvent) => void,
  onFault: () => void,
): void {
  let rest = "";
  pipe.setEncoding("utf8");
  pipe.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = readEvent(line);
      if (!event) return fail();
      onEvent(event);
    }
    if (rest.length > LINE_MAX) fail();
  });

  function fail(): void {
    pipe.destroy();
    onFault();
  }
}

function readEvent(line: string): DecoderEvent | undefined {
  try {
    return eventSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
