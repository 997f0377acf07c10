/** Fetches and judges a document's media as a probe does, for reports: nothing is stored. */

import { createConcurrencyLimit } from "../../async/concurrency.ts";
import { withDeadline } from "../../async/timeout.ts";
import { explainFailure } from "../../fetch/explain-failure.ts";
import type { FoundContent } from "../../fetch/ipfs/gateway-request.ts";
import { checkAnimation } from "../checks/animation-check.ts";
import { type CheckedFields, type CheckedMedia, refusedMedia, skipped } from "../checks/checked-media.ts";
import type { Decoder } from "../decoder/decoder.ts";
import type { Ends, MediaFields } from "../display/display.ts";
import type { MediaKind, MediaUrl } from "../media-store.ts";
import type { FetchMedia } from "./fetch-media.ts";
import { locateMedia, redirectedTo } from "./locate-media.ts";
import { isPage, requestFor, tooLarge } from "./probe.ts";

export interface ExaminedMedia {
  readonly checked: CheckedFields;
  readonly ends: Ends;
}

export type ExamineMedia = (fields: MediaFields, signal?: AbortSignal) => Promise<ExaminedMedia>;

/** What was found of one URL. */
interface ExaminedUrl {
  readonly checked: CheckedMedia;
  /** The host that it redirected to, if another. */
  readonly end?: string | undefined;
}

// Of all fetches of a report's media together, and of the wait for a decoder: whoever waits for the report has less
// patience than a probe.
const BUDGET_MS = 15_000;
const none: ExaminedUrl = { checked: skipped() };
const UNCHECKED = "not checked, through no fault of the file; try again";

/** Never rejects: what can't be checked is `skipped`, with the reason. */
export function createExamineMedia(deps: {
  readonly fetchMedia: FetchMedia;
  readonly decoder: Pick<Decoder, "decode">;
  readonly gateways: readonly string[];
  /** Called with a fault of ours. */
  readonly onFault?: (error: unknown) => void;
  /** 15 seconds by default. */
  readonly budgetMs?: number;
}): ExamineMedia {
  const { fetchMedia, decoder, gateways, onFault, budgetMs = BUDGET_MS } = deps;
  // Probes of what is served use the same decoders, and should not wait for reports.
  const decodeNext = createConcurrencyLimit(1);

  async function examine(media: MediaUrl, signal: AbortSignal): Promise<ExaminedUrl> {
    const { kind, url } = media;
    const located = locateMedia(media, gateways);
    if (located.kind === "refused") return { checked: refusedMedia(explainFailure(located)) };
    const answer = await fetchMedia({ ...requestFor(kind, url), signal });
    if (answer.kind === "too_large") return { checked: refusedMedia(explainFailure(tooLarge(kind))) };
    if (answer.kind === "unread") return { checked: refusedMedia(explainFailure(answer)) };
    const end = redirectedTo({ url, host: located.host }, answer.url) ?? undefined;
    return { checked: await judge(kind, answer, signal), end };
  }

  async function judge(
    kind: MediaKind,
    { body, contentType }: FoundContent,
    signal: AbortSignal,
  ): Promise<CheckedMedia> {
    const bytes = body.length;
    if (isPage(kind)) {
      const refusal = checkAnimation(body, contentType);
      if (refusal) return refusedMedia(explainFailure(refusal), bytes);
      return { status: "accepted", reason: null, width: null, height: null, bytes, format: "HTML" };
    }
    const decoded = await decodeNext(() => decoder.decode(kind, body), signal);
    if ("reason" in decoded) return refusedMedia(explainFailure(decoded), bytes);
    const { width, height, format } = decoded;
    return { status: "accepted", reason: null, width, height, bytes, format };
  }

  return ({ image, video, animation_url }, signal) => {
    const named = [
      ["image", image],
      ["video", video],
      ["animation", animation_url],
    ] as const;
    return withDeadline(budgetMs, signal, async (inTime) => {
      // The decoder rejects for faults of ours only, which a report should outlive. That the report is over is none.
      const skip = (error: unknown): ExaminedUrl => {
        if (error !== inTime.reason) onFault?.(error);
        return { checked: skipped(UNCHECKED) };
      };
      const examined = ([kind, url]: (typeof named)[number]): Promise<ExaminedUrl> | ExaminedUrl =>
        url === null ? none : examine({ kind, url }, inTime).catch(skip);
      const [ofImage = none, ofVideo = none, ofPage = none] = await Promise.all(named.map(examined));
      return {
        checked: { image: ofImage.checked, video: ofVideo.checked, animation_url: ofPage.checked },
        ends: { animation: ofPage.end, video: ofVideo.end },
      };
    });
  };
}
