/** The media service: requests probes and returns their results. */

import type { Queryable } from "../db/database.ts";
import { explainFailure } from "../fetch/explain-failure.ts";
import {
  type CheckedFields,
  type CheckedMedia,
  checkedOf,
  refusedMedia,
  skipped,
} from "./checks/checked-media.ts";
import type { MediaReason } from "./checks/reasons.ts";
import type { Ends, FoundFaults, MediaFields } from "./display/display.ts";
import { asLoaded } from "./display/page-url.ts";
import {
  enqueue,
  type MediaKind,
  type MediaState,
  type MediaToProbe,
  type MediaUrl,
  noteSeen,
  readStates,
} from "./media-store.ts";
import { locateMedia } from "./probes/locate-media.ts";

export interface ShownImage {
  /** `none` for a document without an image. */
  readonly status: "cached" | "pending" | "rejected" | "none";
  /** The URL of the cached picture; for a pending image its own URL, if browsers can load it; null if there is none. */
  readonly url: string | null;
  /** Why the image is rejected, or why its last probe failed. */
  readonly reason: string | null;
  /** Of the source, in pixels, as displayed; null while unknown, as are its bytes and its format. */
  readonly width: number | null;
  readonly height: number | null;
  readonly bytes: number | null;
  /** Such as `PNG`, found in the content. */
  readonly format: string | null;
  /** Of the cached picture: a thumbhash in base64, to show until the picture has loaded. */
  readonly placeholder: string | null;
  /** The cached picture in fewer bytes, largest first; none where none is smaller. */
  readonly variants: readonly ShownVariant[];
}

export interface ShownVariant {
  /** The media type. */
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly url: string;
}

const noPicture = { placeholder: null, variants: [] };
const unknown = { width: null, height: null, bytes: null, format: null, ...noPicture };

/** `none`: the document names no image. */
export type ImageFate =
  | { readonly status: "none" }
  | { readonly status: "rejected"; readonly reason: string }
  | { readonly status: "pending"; readonly url: string };

/** The state of the media that a document names. */
export interface ShownMedia {
  /** As pages load them. */
  readonly loaded: MediaFields;
  readonly image: ShownImage;
  readonly checked: CheckedFields;
  readonly faults: FoundFaults;
  readonly ends: Ends;
}

export interface MediaDeps {
  readonly database: Queryable;
  readonly gateways: readonly string[];
  /** The base of /media, without a trailing slash. */
  readonly baseUrl: string;
}

const keyOf = ({ kind, url }: MediaUrl): string => `${kind} ${url}`;

export function createMedia({ database, gateways, baseUrl }: MediaDeps) {
  /** The media of a document that are probed: whatever a page could show. */
  const urlsOf = ({ image, video, animation_url }: MediaFields): MediaToProbe[] => {
    const named: readonly [MediaKind, string | null][] = [
      ["image", image],
      ["video", video],
      ["animation", animation_url],
    ];
    return named.flatMap(([kind, url]) => {
      if (url === null) return [];
      const located = locateMedia({ kind, url }, gateways);
      return located.kind === "located" ? { kind, url, host: located.host } : [];
    });
  };

  const urlOf = (name: string): string => `${baseUrl}/media/images/${name}`;

  function showImage(url: string | null, states: States): ShownImage {
    if (url === null) return { ...unknown, status: "none", url: null, reason: null };
    const located = locateMedia({ kind: "image", url }, gateways);
    if (located.kind === "refused")
      return { ...unknown, status: "rejected", url: null, reason: explainFailure(located) };
    const state = states.get(keyOf({ kind: "image", url }));
    if (!state || state.status === "pending")
      return { ...unknown, status: "pending", url: located.urls[0], reason: state?.reason ?? null };
    const { reason, width, height, bytes, format } = state;
    const source = { reason, width, height, bytes, format };
    if (state.status === "rejected" || state.file === null)
      return { ...source, ...noPicture, status: "rejected", url: null };
    const { placeholder } = state;
    const variants = state.variants.map(({ name, ...variant }) => ({ ...variant, url: urlOf(name) }));
    return { ...source, placeholder, variants, status: "cached", url: urlOf(state.file) };
  }

  function checkUrl(url: string | null, kind: MediaKind, states: States): CheckedMedia {
    if (url === null) return skipped();
    const located = locateMedia({ kind, url }, gateways);
    if (located.kind === "refused") return refusedMedia(explainFailure(located));
    return checkedOf(states.get(keyOf({ kind, url })));
  }

  return {
    /** The media of a document that have a state. */
    namedBy: (document: MediaFields): readonly MediaUrl[] => urlsOf(document),

    /**
     * Requests a probe of all media in these documents, new or known, as part of `tx`. Call it for every fetched
     * document, since a URL may have new content. Requests made before a probe starts share it.
     */
    enqueue: (tx: Queryable, documents: readonly MediaFields[]): Promise<void> =>
      enqueue(tx, documents.flatMap(urlsOf)),

    /** What becomes of a document's image: a pending one is decided by the probe that `enqueue` requests. */
    fateOf(image: string | null): ImageFate {
      if (image === null) return { status: "none" };
      const located = locateMedia({ kind: "image", url: image }, gateways);
      if (located.kind === "refused") return { status: "rejected", reason: explainFailure(located) };
      return { status: "pending", url: image };
    },

    /** The pictures that are shown for these image URLs, by URL. */
    async readFiles(db: Queryable, images: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const states = await readStates(
        db,
        images.map((url) => ({ kind: "image", url })),
      );
      return new Map(
        states.flatMap(({ url, status, file }) => (status === "accepted" && file ? [[url, file]] : [])),
      );
    },

    /** Records that these documents are served. Only media that were never requested are probed. */
    noteSeen: (db: Queryable, documents: readonly MediaFields[]): Promise<void> =>
      noteSeen(db, documents.flatMap(urlsOf)),

    /** The state of the media in each of these documents, in their order, with one read for all. */
    async readAll(documents: readonly MediaFields[], db: Queryable = database): Promise<ShownMedia[]> {
      const found = await readStates(db, documents.flatMap(urlsOf));
      const states = new Map(found.map((state) => [keyOf(state), state]));
      return documents.map(({ image, video, animation_url }) => ({
        loaded: asLoaded({ image, video, animation_url }, gateways),
        image: showImage(image, states),
        checked: {
          image: checkUrl(image, "image", states),
          video: checkUrl(video, "video", states),
          animation_url: checkUrl(animation_url, "animation", states),
        },
        faults: {
          animation: faultOf(animation_url, "animation", states),
          video: faultOf(video, "video", states),
        },
        ends: { animation: endOf(animation_url, "animation", states), video: endOf(video, "video", states) },
      }));
    },
  };
}

export type MediaService = ReturnType<typeof createMedia>;

type States = ReadonlyMap<string, MediaState>;

const stateOf = (url: string | null, kind: MediaKind, states: States): MediaState | undefined =>
  url === null ? undefined : states.get(keyOf({ kind, url }));

const endOf = (url: string | null, kind: MediaKind, states: States): string | undefined =>
  stateOf(url, kind, states)?.leadsTo ?? undefined;

function faultOf(url: string | null, kind: MediaKind, states: States): FoundFaults["video"] {
  const state = stateOf(url, kind, states);
  if (state?.status !== "rejected" || state.reason === null) return undefined;
  const [reason = "", ...message] = state.reason.split(": ");
  return { reason: reason as MediaReason, message: message.join(": ") };
}
