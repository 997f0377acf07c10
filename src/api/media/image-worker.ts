/**
 * The decoder's process: takes one image or video at a time over the channel of its parent and answers what became of
 * it. A file that kills or stops it costs this process, and nothing of the indexer.
 */

import { setPriority } from "node:os";
import { type ReadVideo, readVideo } from "./read-video.ts";
import { type Refusal, refuse } from "./reasons.ts";
import { type RenderedImage, renderImage, setUpDecoder } from "./render-image.ts";

export interface DecodeJob {
  readonly id: number;
  readonly kind: "image" | "video";
  readonly body: Uint8Array;
}

export type Decoded = RenderedImage | ReadVideo | Refusal;

export type DecoderMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly id: number; readonly decoded: Decoded };

// Indexing and answering come first.
const NICENESS = 10;

const send = (message: DecoderMessage): void => {
  process.send?.(message);
};

async function decode({ kind, body }: DecodeJob): Promise<Decoded> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return kind === "image" ? renderImage(bytes) : readVideo(bytes);
}

process.on("message", (job: DecodeJob) => {
  decode(job)
    .catch((error: Error) => refuse(`${job.kind}_undecodable`, error.message))
    .then((decoded) => send({ kind: "done", id: job.id, decoded }));
});
// It ends with its parent, however that ends. A Ctrl-C reaches the whole group, and the parent may have work to finish.
process.on("disconnect", () => process.exit(0));
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});

setPriority(NICENESS);
setUpDecoder();
send({ kind: "ready" });
