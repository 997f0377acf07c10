/** What the service and a decoder tell each other, in lines of JSON. */

import type { Readable } from "node:stream";
import { z } from "zod";
import { PICTURE_BYTES_MAX } from "../checks/limits.ts";
import { type Refusal, type RefusalCode, refusalTable } from "../checks/reasons.ts";
import type { ReadVideo } from "./read-video.ts";
import type { RenderedImage } from "./render-image.ts";

/** The pipe of its events in the decoder. It takes each at once. */
export const EVENTS_FD = 3;

/** What to decode, and where in the exchange it lies. */
export interface Job {
  readonly id: number;
  readonly kind: "image" | "video";
  readonly place: number;
  readonly bytes: number;
}

export type Decoded = RenderedImage | ReadVideo | Refusal;

const id = z.int().nonnegative();
const side = z.int().positive();
const header = { format: z.string(), width: side, height: side };
const videoSchema = z.object({ kind: z.literal("video"), ...header });
const imageSchema = z.object({
  kind: z.literal("image"),
  extension: z.enum(["png", "gif"]),
  frames: z.int().positive(),
  ...header,
});
const refusalSchema = z.object({
  reason: z.enum(Object.keys(refusalTable) as [RefusalCode, ...RefusalCode[]]),
  message: z.string(),
});
const eventSchema = z.discriminatedUnion("event", [
  z.object({ event: z.literal("ready") }),
  /** The file has had all the processor time that there is for one. */
  z.object({ event: z.literal("spent"), id }),
  /** Its picture is in its place. */
  z.object({
    event: z.literal("picture"),
    id,
    bytes: z.int().positive().max(PICTURE_BYTES_MAX),
    image: imageSchema,
  }),
  z.object({ event: z.literal("answer"), id, answer: z.union([videoSchema, refusalSchema]) }),
  /** There is no answer, through no fault of the file. */
  z.object({ event: z.literal("failure"), id, message: z.string() }),
]);
export type DecoderEvent = z.infer<typeof eventSchema>;

const LINE_MAX = 16_384;

/**
 * Each event in turn. A decoder may have been taken over by what it decoded: after a line that is no event nothing more
 * is read, and `onFault` is told.
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
