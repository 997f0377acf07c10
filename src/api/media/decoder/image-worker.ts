/**
 * The decoder's process: works through the images and videos that its parent hands it, one at a time, and tells what
 * became of each. A file that kills or stops it costs this process, and nothing of the indexer.
 */

import { writeSync } from "node:fs";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { MEDIA_BYTES_MAX } from "../checks/limits.ts";
import { refuse } from "../checks/reasons.ts";
import type { Decoded, DecoderEvent, Job } from "./decoder-messages.ts";
import { readVideo } from "./read-video.ts";
import { renderImage, setUpDecoder } from "./render-image.ts";
import { readImage, writePicture } from "./scratch-file.ts";

/** The arguments of this script: how much processor time a file may take, in milliseconds, and where events are told. */
const [processorLimitMs = 0, eventsFd = 0] = process.argv.slice(2).map(Number);
const PROCESSOR_CHECK_MS = 250;
// Indexing and answering come first.
const NICENESS = 10;

const jobs: Job[] = [];
const memory = Buffer.allocUnsafeSlow(MEDIA_BYTES_MAX);
let isWorking = false;

// At once, before the next file is begun: whatever ends the process from then on is the doing of that one.
const tell = (event: DecoderEvent): void => {
  writeSync(eventsFd, `${JSON.stringify(event)}\n`);
};

async function work(): Promise<void> {
  isWorking = true;
  for (let job = jobs.shift(); job; job = jobs.shift()) {
    try {
      const body = memory.subarray(0, job.bytes);
      readImage(job.place, body);
      answer(job, await decode(job, body));
    } catch (error) {
      tell({ event: "failure", id: job.id, message: (error as Error).message });
    }
  }
  isWorking = false;
}

async function decode({ id, kind }: Job, body: Buffer): Promise<Decoded> {
  const before = process.cpuUsage();
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1_000 > processorLimitMs) tell({ event: "spent", id });
  }, PROCESSOR_CHECK_MS);
  try {
    return await (kind === "image" ? renderImage(body) : readVideo(body));
  } catch (error) {
    return refuse(`${kind}_undecodable`, (error as Error).message);
  } finally {
    clearInterval(watch);
  }
}

function answer({ id, place }: Job, decoded: Decoded): void {
  if ("reason" in decoded || decoded.kind === "video") {
    tell({ event: "answer", id, answer: decoded });
    return;
  }
  const { bytes, ...image } = decoded;
  writePicture(place, bytes);
  tell({ event: "picture", id, bytes: bytes.length, image });
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  jobs.push(JSON.parse(line) as Job);
  // Never rejects: what goes wrong with a file is told.
  if (!isWorking) void work();
});
// It ends with its parent, however that ends, and in the middle of a file too.
lines.on("close", () => process.kill(process.pid, "SIGKILL"));
// A Ctrl-C reaches the whole group, and the parent may have work to finish.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});

setPriority(NICENESS);
setUpDecoder();
tell({ event: "ready" });
