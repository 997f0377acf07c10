/**
 * A thread of the decoder process that reads videos' containers. The library never yields within a file, so on the main
 * thread nothing would notice that the file has used up its processor time.
 */

import { parentPort } from "node:worker_threads";
import { type MediaInfo, type MediaInfoResult, mediaInfoFactory } from "mediainfo.js";

/** The tracks, or why the container can't be read. */
export type ContainerAnswer =
  | { readonly tracks: NonNullable<MediaInfoResult["media"]>["track"] }
  | { readonly error: string };

let library: Promise<MediaInfo<"object">> | undefined;

async function answer(body: Uint8Array): Promise<ContainerAnswer> {
  try {
    library ??= mediaInfoFactory({ format: "object" });
    const info = await library;
    const result = await info.analyzeData(body.length, (size, offset) =>
      body.subarray(offset, offset + size),
    );
    return { tracks: result.media?.track ?? [] };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

// One at a time: an instance analyses one file.
parentPort?.on(
  "message",
  (body: Uint8Array) => void answer(body).then((reply) => parentPort?.postMessage(reply)),
);
