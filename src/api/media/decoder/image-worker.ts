/**
 * The decoder process: decodes its parent's images and videos one at a time and reports each result. A file that kills
 * or stops it costs only this process, not the indexer.
 */

import { writeSync } from "node:fs";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { MEDIA_BYTES_MAX } from "../checks/limits.ts";
import { type Refusal, refuse } from "../checks/reasons.ts";
import type { DecoderEvent, Job } from "./decoder-messages.ts";
import { type ReadVideo, readVideo } from "./read-video.ts";
import { type Rendering, renderImage, setUpDecoder } from "./render-image.ts";
import { renderVariants } from "./render-variants.ts";
import { readImage, writePicture, writeVariants } from "./scratch-file.ts";

/** This script's arguments: processor time per file in milliseconds, and the file descriptor for events. */
const [processorLimitMs = 0, eventsFd = 0] = process.argv.slice(2).map(Number);
const PROCESSOR_CHECK_MS = Math.min(250, processorLimitMs);
// Indexing and serving have priority.
const NICENESS = 10;

const jobs: Job[] = [];
const memory = Buffer.allocUnsafeSlow(MEDIA_BYTES_MAX);
let isWorking = false;

// Sent before the next file starts: whatever ends the process after that is the next file's doing.
const send = (event: DecoderEvent): void => {
  writeSync(eventsFd, `${JSON.stringify(event)}\n`);
};

async function work(): Promise<void> {
  isWorking = true;
  for (let job = jobs.shift(); job; job = jobs.shift()) send(await perform(job));
  isWorking = false;
}

/** The last event of a file. */
async function perform(job: Job): Promise<DecoderEvent> {
  const { id } = job;
  const before = process.cpuUsage();
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1_000 > processorLimitMs) send({ event: "spent", id });
  }, PROCESSOR_CHECK_MS);
  try {
    const body = memory.subarray(0, job.bytes);
    readImage(job.place, body);
    const decoded = await decode(job, body);
    if ("image" in decoded) return await deliver(job, decoded);
    return { event: "answer", id, answer: decoded };
  } catch (error) {
    return { event: "failure", id, message: (error as Error).message };
  } finally {
    clearInterval(watch);
  }
}

async function decode({ kind }: Job, body: Buffer): Promise<Rendering | ReadVideo | Refusal> {
  try {
    return await (kind === "image" ? renderImage(body) : readVideo(body));
  } catch (error) {
    return refuse(`${kind}_undecodable`, (error as Error).message);
  }
}

/** The picture goes first: whatever its variants cost, it is kept. */
async function deliver(
  { id, place }: Job,
  { image: { bytes, ...image }, open }: Rendering,
): Promise<DecoderEvent> {
  writePicture(place, bytes);
  send({ event: "picture", id, bytes: bytes.length, image });
  try {
    const variants = await renderVariants(open, bytes.length);
    writeVariants(
      place,
      variants.map((each) => each.bytes),
    );
    return {
      event: "variants",
      id,
      variants: variants.map((each) => ({ side: each.side, bytes: each.bytes.length })),
    };
  } catch {
    return { event: "variants", id, variants: null };
  }
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  jobs.push(JSON.parse(line) as Job);
  // Never rejects: failures are reported as events.
  if (!isWorking) void work();
});
// Ends with its parent, however that ends, even in the middle of a file.
lines.on("close", () => process.kill(process.pid, "SIGKILL"));
// A Ctrl-C reaches the whole process group, and the parent may have work to finish.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});

setPriority(NICENESS);
setUpDecoder();
send({ event: "ready" });
