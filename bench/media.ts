/**
 * Images per second through the decoders, against bare sharp in this process on the same files. Needs an otherwise idle
 * machine: decoders yield to other processes, and bare sharp does not.
 */

import sharp from "sharp";
import { rgbaToThumbHash } from "thumbhash";
import { createDecoder } from "../src/api/media/decoder/decoder.ts";
import { DECODERS } from "../src/api/media/probes/pipeline.ts";
import { eventually } from "../test/support/eventually.ts";
import { byPace, compareRounds, secondsFor } from "./rounds.ts";

const LANES = 8;
const FILES = byPace(120, 30);
// A round takes seconds, so that its last files, which leave some processes idle, are a small share. There are many
// alternating rounds, because other load on the machine's memory shifts both sides by a tenth.
const PASSES = byPace(4, 1);
const ROUNDS = byPace(8, 1);

export async function benchMedia() {
  const decoder = createDecoder({ processes: DECODERS });
  const files = await drawFiles();
  sharp.cache(false);
  sharp.concurrency(1);
  // The same picture, variants and placeholder, from pixels that are decoded once.
  const bare = async (body: Buffer): Promise<void> => {
    const background = { r: 0, g: 0, b: 0, alpha: 0 };
    const { data, info } = await sharp(body, { autoOrient: true })
      .resize(480, 480, { fit: "contain", background })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const picture = () => sharp(data, { raw: info });
    await picture().png().toBuffer();
    for (const image of [picture(), picture().resize(240)])
      await image.webp({ quality: 80, effort: 2 }).toBuffer();
    rgbaToThumbHash(48, 48, await picture().resize(48).ensureAlpha().raw().toBuffer());
  };
  const ours = async (body: Buffer): Promise<void> => {
    const decoded = await decoder.decode("image", body);
    if ("reason" in decoded) throw new Error(`${decoded.reason}: ${decoded.message}`);
  };
  // Neither side pays for its startup.
  for (const work of [bare, ours]) await secondsFor(files.slice(0, LANES), LANES, work);
  await eventually(
    () => decoder.pids().length,
    (started) => started === DECODERS,
  );

  const images = Array.from({ length: PASSES }, () => files).flat();
  const play = (work: (body: Buffer) => Promise<void>) => async () => ({
    perSecond: images.length / (await secondsFor(images, LANES, work)),
  });
  const compared = await compareRounds(ROUNDS, { vitrine: play(ours), bare: play(bare) }, { isCold: true });
  await decoder.close();
  return { images: images.length, ...compared, bar: { ratio: 0.9 } };
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
