/**
 * The decoder's process: works through the images and videos that its parent hands it over their channel, one at a time,
 * and answers what became of each. A file that kills or stops it costs this process, and nothing of the indexer.
 */

import { writeSync } from "node:fs";
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
  /** The file has had all the processor time that there is for one. */
  | { readonly kind: "spent"; readonly id: number }
  | { readonly kind: "done"; readonly id: number; readonly decoded: Decoded };

/** The arguments of this script: how much processor time a file may take, in milliseconds, and where starts are told. */
const [processorLimitMs = 0, startsFd = 0] = process.argv.slice(2).map(Number);
const PROCESSOR_CHECK_MS = 250;
// Indexing and answering come first.
const NICENESS = 10;

const send = (message: DecoderMessage): void => {
  process.send?.(message);
};

const jobs: DecodeJob[] = [];
let isWorking = false;

async function work(): Promise<void> {
  isWorking = true;
  let answer: DecoderMessage | undefined;
  for (let job = jobs.shift(); job; job = jobs.shift()) {
    // From here on, whatever happens to the process is this file's doing. Told on a pipe that takes it at once, whatever
    // waits on the channel: a process that dies can't say of what any more.
    writeSync(startsFd, `${job.id}\n`);
    const decoding = decode(job);
    // The answer is written while the next file is decoded, so that the processor never waits for the channel.
    if (answer) send(answer);
    answer = { kind: "done", id: job.id, decoded: await decoding };
  }
  if (answer) send(answer);
  isWorking = false;
}

async function decode({ id, kind, body }: DecodeJob): Promise<Decoded> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const before = process.cpuUsage();
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1_000 > processorLimitMs) send({ kind: "spent", id });
  }, PROCESSOR_CHECK_MS);
  try {
    return await (kind === "image" ? renderImage(bytes) : readVideo(bytes));
  } catch (error) {
    return refuse(`${kind}_undecodable`, (error as Error).message);
  } finally {
    clearInterval(watch);
  }
}

process.on("message", (job: DecodeJob) => {
  jobs.push(job);
  // Never rejects: what goes wrong with a file is its answer.
  if (!isWorking) void work();
});
// It ends with its parent, however that ends. A Ctrl-C reaches the whole group, and the parent may have work to finish.
process.on("disconnect", () => process.exit(0));
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});

setPriority(NICENESS);
setUpDecoder();
send({ kind: "ready" });
