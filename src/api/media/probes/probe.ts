/** One probe of a URL: fetch, check, and for an image store the 480x480 picture and its variants. */

import { createHash } from "node:crypto";
import type { Queryable } from "../../db/database.ts";
import { explainFailure } from "../../fetch/explain-failure.ts";
import { checkAnimation } from "../checks/animation-check.ts";
import { checkContent, isNoFile } from "../checks/image-check.ts";
import { MEDIA_BYTES_MAX, PAGE_BYTES_READ } from "../checks/limits.ts";
import { type Refusal, refuse } from "../checks/reasons.ts";
import type { Decoder } from "../decoder/decoder.ts";
import type { DecodedImage } from "../decoder/decoder-messages.ts";
import type { MediaKind } from "../media-store.ts";
import { type MediaDisk, storageKey } from "../storage/media-disk.ts";
import { addFile, findFile, type MediaFile, readFile, type StoredFile } from "../storage/media-file-store.ts";
import type { FetchMedia, Unread } from "./fetch-media.ts";
import { redirectedTo } from "./locate-media.ts";
import type { MediaMetrics } from "./metrics.ts";
import type { MediaFinding, MediaLease } from "./probe-queue-store.ts";

export type MediaProbe =
  | Unread
  /** The same bytes as at the last probe. */
  | { readonly kind: "same"; readonly etag?: string | undefined; readonly leadsTo: string | null }
  | { readonly kind: "found"; readonly finding: MediaFinding; readonly refusal: Refusal | undefined };

export interface ProbeDeps {
  readonly database: Queryable;
  readonly fetchMedia: FetchMedia;
  readonly decoder: Decoder;
  readonly disk: MediaDisk;
  readonly metrics: MediaMetrics;
}

const ACCEPT = {
  image: "image/png, image/jpeg, image/gif, */*;q=0.5",
  video: "video/mp4, video/webm, */*;q=0.5",
  animation: "text/html, application/xhtml+xml, */*;q=0.5",
};

export const isPage = (kind: MediaKind): kind is "animation" => kind === "animation";

/** How a URL of this kind is fetched. */
export const requestFor = (kind: MediaKind, url: string) => ({
  kind,
  url,
  bytesMax: isPage(kind) ? PAGE_BYTES_READ : MEDIA_BYTES_MAX,
  isStartEnough: isPage(kind),
  accept: ACCEPT[kind],
});

export const tooLarge = (kind: MediaKind): Refusal =>
  refuse(
    kind === "video" ? "video_too_large" : "image_too_large",
    `over ${MEDIA_BYTES_MAX} bytes, at most ${MEDIA_BYTES_MAX}`,
  );

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Throws only for our own faults: the database, the disk, or a decoder that can't be started. */
export function createProbe({ database, fetchMedia, decoder, disk, metrics }: ProbeDeps) {
  async function probeImage(lease: MediaLease, body: Buffer, hash: string): Promise<MediaProbe> {
    const made = await findFile(database, hash);
    if (made && (await isWhole(made))) return accepted(body, hash, made);
    const startedAt = performance.now();
    const decoded = await decoder.decode("image", body);
    metrics.rendered((performance.now() - startedAt) / 1000);
    if ("reason" in decoded) return refused(decoded, body.length, decoded.isOpen ? null : hash);
    if (decoded.kind !== "image") throw new Error(`the decoder took ${lease.url} for a video`);
    return accepted(body, hash, await store(decoded, hash));
  }

  async function store(image: DecodedImage, sourceHash: string): Promise<MediaFile> {
    const { extension, format, width, height, placeholder } = image;
    const picture = { name: `${hashOf(image.bytes)}.${extension}`, bytes: image.bytes };
    const variants =
      image.variants?.map(({ side, bytes }) => ({ name: `${hashOf(bytes)}.webp`, side, bytes })) ?? null;
    const file = { name: picture.name, format, width, height };
    await addFile(database, {
      ...file,
      sourceHash,
      placeholder,
      variants:
        variants?.map(({ name, side, bytes }) => ({
          ...{ name, type: "image/webp", width: side, height: side },
          bytes: bytes.length,
        })) ?? null,
    });
    for (const { name, bytes } of [picture, ...(variants ?? [])])
      if (!(await disk.exists(storageKey(name)))) await disk.put(storageKey(name), bytes);
    return file;
  }

  /** Whether it has its variants, and all of it is on the disk. */
  async function isWhole({ name, variants, isCurrent }: StoredFile): Promise<boolean> {
    if (!isCurrent) return false;
    const found = await Promise.all([name, ...variants].map((each) => disk.exists(storageKey(each))));
    return !found.includes(false);
  }

  async function probeVideo(body: Buffer, hash: string): Promise<MediaProbe> {
    const decoded = await decoder.decode("video", body);
    if ("reason" in decoded) return refused(decoded, body.length, decoded.isOpen ? null : hash);
    const { format, width, height } = decoded;
    return found({ ...nothing, sourceHash: hash, format, width, height, bytes: body.length });
  }

  /** Whether the last probe's result can be reused: its bytes were checked, and its picture is whole. */
  async function isAtHand({ status, sourceHash, file }: MediaLease): Promise<boolean> {
    if (status === "pending" || sourceHash === null) return false;
    if (file === null) return true;
    const stored = await readFile(database, file);
    return stored !== undefined && (await isWhole(stored));
  }

  return async (lease: MediaLease, signal?: AbortSignal): Promise<MediaProbe> => {
    const { kind, url } = lease;
    const atHand = await isAtHand(lease);
    const answer = await fetchMedia({
      ...requestFor(kind, url),
      ifNoneMatch: atHand ? (lease.etag ?? undefined) : undefined,
      signal,
    });
    if (answer.kind === "unread") return answer;
    const isShown = kind === "image" && lease.status === "accepted" && atHand;
    if (answer.kind === "too_large") {
      const lost = isShown && answer.start ? checkLost(answer.start) : undefined;
      return lost ?? refused(tooLarge(kind), null, null);
    }
    const leadsTo = redirectedTo(lease, answer.url);
    // For verified content nobody was asked, so it may still lead where it did.
    if (answer.isUnchanged) return { kind: "same", leadsTo: answer.verified ? lease.leadsTo : leadsTo };
    const { body, contentType } = answer;
    metrics.fetched(kind, body.length);
    if (isPage(kind)) {
      const refusal = checkAnimation(body, contentType);
      return refusal
        ? refused(refusal, body.length, null)
        : found({ ...nothing, bytes: body.length, leadsTo });
    }
    const hash = hashOf(body);
    if (atHand && lease.sourceHash === hash) return { kind: "same", etag: answer.etag, leadsTo };
    const lost = isShown ? checkLost(body) : undefined;
    if (lost) return lost;
    const probe = await (kind === "image" ? probeImage(lease, body, hash) : probeVideo(body, hash));
    return probe.kind === "found"
      ? { ...probe, finding: { ...probe.finding, etag: answer.etag ?? null, leadsTo } }
      : probe;
  };
}

export type ProbeMedia = ReturnType<typeof createProbe>;

const nothing: MediaFinding = {
  status: "accepted",
  reason: null,
  sourceHash: null,
  etag: null,
  file: null,
  format: null,
  width: null,
  height: null,
  bytes: null,
  leadsTo: null,
};

const found = (finding: MediaFinding): MediaProbe => ({ kind: "found", finding, refusal: undefined });

const accepted = (body: Buffer, sourceHash: string, { name, format, width, height }: MediaFile): MediaProbe =>
  found({ ...nothing, sourceHash, file: name, format, width, height, bytes: body.length });

/** Of an image whose picture is at hand: what hosts send in place of a file that is gone counts as no content. */
function checkLost(start: Buffer): Unread | undefined {
  const refusal = isNoFile(start) ? checkContent(start) : undefined;
  if (!refusal || !("reason" in refusal)) return undefined;
  return { kind: "unread", reason: "image_wrong_format", message: refusal.message, transient: false };
}

/** The new content decides, whatever was shown before: the owner has changed it. */
const refused = (refusal: Refusal, bytes: number | null, sourceHash: string | null): MediaProbe => ({
  kind: "found",
  finding: { ...nothing, status: "rejected", reason: explainFailure(refusal), sourceHash, bytes },
  refusal,
});
