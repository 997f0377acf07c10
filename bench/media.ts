/**
 * Images per second through the decoders, against bare sharp in this process on the same files. Needs an otherwise idle
 * machine: decoders yield to other processes, and bare sharp does not.
 */

import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { createDecoder } from "../src/api/media/decoder/decoder.ts";
import { DECODERS } from "../src/api/media/probes/pipeline.ts";

const LANES = 8;
const FILES = 120;
// A round takes seconds, so that its last files, which leave some processes idle, are a small share. There are many
// alternating rounds, because other load on the machine's memory shifts both sides by a tenth.
const PASSES = 4;
const ROUNDS = 8;

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

export async function benchMedia() {
  const decoder = createDecoder({ processes: DECODERS });
  const files = await drawFiles();
  sharp.cache(false);
  sharp.concurrency(1);
  const bare = async (body: Buffer): Promise<void> => {
    const background = { r: 0, g: 0, b: 0, alpha: 0 };
    await sharp(body, { autoOrient: true }).resize(480, 480, { fit: "contain", background }).png().toBuffer();
  };
  const ours = async (body: Buffer): Promise<void> => {
    const decoded = await decoder.decode("image", body);
    if ("reason" in decoded) throw new Error(`${decoded.reason}: ${decoded.message}`);
  };
  // Neither side pays for its startup.
  for (const work of [bare, ours]) await inParallel(files.slice(0, LANES), work);
  while (decoder.pids().length < DECODERS) await sleep(10);

  const seconds = { bare: 0, vitrine: 0 };
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [side, work] of [
      ["bare", bare],
      ["vitrine", ours],
    ] as const) {
      const took = await time(() => inParallel(Array.from({ length: PASSES }, () => files).flat(), work));
      seconds[side] += took;
      say(`${side}, round ${round}: ${((FILES * PASSES) / took).toFixed(1)} images/s`);
    }
  }
  await decoder.close();
  const perSecond = (side: "bare" | "vitrine"): number =>
    Math.round((ROUNDS * PASSES * FILES) / seconds[side]);
  return {
    images: FILES,
    vitrine_images_per_second: perSecond("vitrine"),
    bare_images_per_second: perSecond("bare"),
    ratio: Number((seconds.bare / seconds.vitrine).toFixed(2)),
    bar: 0.9,
  };
}

/** Like real tokens' images: 600 to 1,200 pixels, up to a mebibyte, half of them photographs. */
function drawFiles(): Promise<Buffer[]> {
  return Promise.all(
    Array.from({ length: FILES }, (_, index) => {
      const isPhotograph = index % 2 === 0;
      const size = isPhotograph ? 800 + (index % 5) * 100 : 480 + (index % 4) * 40;
      const noise = { type: "gaussian", mean: 128, sigma: 20 } as const;
      const image = sharp({
        create: { width: size, height: size, channels: 3, background: "#808080", noise },
      });
      return isPhotograph ? image.jpeg({ quality: 85 }).toBuffer() : image.png().toBuffer();
    }),
  );
}

async function inParallel(files: readonly Buffer[], work: (body: Buffer) => Promise<void>): Promise<void> {
  const left = files.values();
  const lane = async (): Promise<void> => {
    for (const body of left) await work(body);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function time(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
