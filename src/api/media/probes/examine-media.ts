/** Fetches and judges a document's media as a probe does, for reports: nothing is stored. */

import { createConcurrencyLimit } from "../../async/concurrency.ts";
import { withDeadline } from "../../async/timeout.ts";
import { explainFailure } from "../../fetch/explain-failure.ts";
import { checkAnimation } from "../checks/animation-check.ts";
import { type CheckedFields, type CheckedMedia, refusedMedia, skipped } from "../checks/checked-media.ts";
import type { Decoder } from "../decoder/decoder.ts";
import type { MediaFields } from "../display/display.ts";
import type { MediaKind } from "../media-store.ts";
import type { FetchMedia } from "./fetch-media.ts";
import { isPage, requestFor, tooLarge } from "./probe.ts";

export type ExamineMedia = (fields: MediaFields, signal?: AbortSignal) => Promise<CheckedFields>;

// Of all fetches of a report's media together, and of the wait for a decoder: whoever waits for the report has less
// patience than a probe.
const BUDGET_MS = 15_000;
const UNCHECKED = "not checked, through no fault of the file; try again";

/** Never rejects: what can't be checked is `skipped`, with the reason. */
export function createExamineMedia(deps: {
  readonly fetchMedia: FetchMedia;
  readonly decoder: Pick<Decoder, "decode">;
  /** Called with a fault of ours. */
  readonly onFault?: (error: unknown) => void;
  /** 15 seconds by default. */
  readonly budgetMs?: number;
}): ExamineMedia {
  const { fetchMedia, decoder, onFault, budgetMs = BUDGET_MS } = deps;
  // Probes of what is served use the same decoders, and should not wait for reports.
  const decodeNext = createConcurrencyLimit(1);

  async function examine(kind: MediaKind, url: string | null, signal: AbortSignal): Promise<CheckedMedia> {
    if (url === null) return skipped();
    const answer = await fetchMedia({ ...requestFor(kind, url), signal });
    if (answer.kind === "too_large") return refusedMedia(explainFailure(tooLarge(kind)));
    if (answer.kind === "unread") return refusedMedia(explainFailure(answer));
    const { body, contentType } = answer;
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
      const skip = (error: unknown): CheckedMedia => {
        if (error !== inTime.reason) onFault?.(error);
        return skipped(UNCHECKED);
      };
      const [ofImage = skipped(), ofVideo = skipped(), ofPage = skipped()] = await Promise.all(
        named.map(([kind, url]) => examine(kind, url, inTime).catch(skip)),
      );
      return { image: ofImage, video: ofVideo, animation_url: ofPage };
    });
  };
}
