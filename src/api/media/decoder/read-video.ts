/** Reads a video's size from its container. Runs only in the decoder process. */

import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { startThread } from "../../jobs/thread.ts";
import { type Refusal, refuse } from "../checks/reasons.ts";
import { checkVideo, checkVideoContent, type VideoHeader } from "../checks/video-check.ts";
import type { ContainerAnswer } from "./video-thread.ts";

export interface ReadVideo {
  readonly kind: "video";
  readonly format: string;
  readonly width: number;
  readonly height: number;
}

let starting: Promise<Worker> | undefined;

/** One call at a time. The processor time it takes is that of the process, as for images. */
export async function readVideo(body: Buffer): Promise<ReadVideo | Refusal> {
  const format = checkVideoContent(body);
  if (typeof format === "object") return format;
  const answer = await readContainer(body);
  if ("error" in answer) return refuse("video_undecodable", answer.error);
  const header = headerOf(answer.tracks);
  const refusal = checkVideo(header);
  return refusal ?? { kind: "video", format, ...(header as VideoHeader) };
}

async function readContainer(body: Buffer): Promise<ContainerAnswer> {
  starting ??= startReader();
  try {
    const thread = await starting;
    thread.postMessage(Uint8Array.from(body));
    const [answer] = await once(thread, "message");
    return answer as ContainerAnswer;
  } catch (error) {
    return { error: (error as Error).message };
  }
}

async function startReader(): Promise<Worker> {
  // Whatever it died of, the next video gets a new one.
  const forget = (): void => {
    starting = undefined;
  };
  try {
    const started = await startThread(new URL("./video-thread.ts", import.meta.url));
    started.on("error", forget);
    return started;
  } catch (error) {
    forget();
    throw error;
  }
}

function headerOf(tracks: Extract<ContainerAnswer, { tracks: unknown }>["tracks"]): VideoHeader | undefined {
  for (const track of tracks) {
    if (track["@type"] !== "Video" || !track.Width || !track.Height) continue;
    const { Width: width, Height: height } = track;
    // Width and height are as stored; a phone held upright stores a rotated picture.
    const isTurned = Math.round(Number(track.Rotation ?? 0)) % 180 !== 0;
    return isTurned ? { width: height, height: width } : { width, height };
  }
  return undefined;
}
