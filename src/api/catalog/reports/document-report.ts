/** The report of one document: what was read, what each page would show, and every issue. */

import { z } from "@hono/zod-openapi";
import { reachableUrl } from "../../fetch/reachable-url.ts";
import type { CheckedMedia } from "../../media/checks/checked-media.ts";
import type { Found, MediaFields } from "../../media/display/display.ts";
import type { ExaminedMedia } from "../../media/probes/examine-media.ts";
import { asLoaded, chooseDisplay, codeOf, mediaReasons } from "../../media/rules.ts";
import type { Examined } from "../../metadata/document/examine.ts";
import type { Metadata } from "../../metadata/document/normalise.ts";
import { displayTypes, showVersion } from "../../metadata/rules.ts";
import type { DisplayTypes } from "../../metadata/traits/display-types.ts";
import { tokenIssueSchema, withMediaIssues } from "../tokens/token-issues.ts";
import { displaySchema, viewDisplay } from "../tokens/token-view.ts";
import { mediaReportSchema } from "./media-report.ts";

const text = z.string().nullable();

export const documentReportSchema = z
  .object({
    valid: z.boolean().openapi({ description: "A document was read, and no issue is an error." }),
    fetched: z
      .object({
        uri: z.string().nullable(),
        content_hash: z.string().nullable(),
        bytes: z.number().nullable(),
        duration_ms: z.number(),
      })
      .nullable()
      .openapi({ description: "The fetch; null for a document in the request." }),
    failure: z
      .object({ reason: z.string(), message: z.string() })
      .nullable()
      .openapi({ description: "Why no document could be read, with the reason that a refresh would give." }),
    issues: z.array(tokenIssueSchema),
    media: mediaReportSchema,
    name: text,
    description: text,
    image: text,
    video: text,
    animation_url: text,
    traits: z.array(
      z.object({
        trait_type: z.string(),
        display_type: z.enum(displayTypes),
        value: z.union([z.string(), z.number(), z.boolean()]),
        max_value: z.number().nullable(),
      }),
    ),
    display: displaySchema,
  })
  .openapi("DocumentReport");

export type DocumentReport = z.infer<typeof documentReportSchema>;

export interface Surroundings {
  readonly gateways: readonly string[];
  /** Whether the token page may show animations and videos from a host. */
  readonly isAllowed: (host: string) => boolean;
  /** The known display types of the collection; empty for a future collection. */
  readonly known: DisplayTypes;
  /** Contact for issues that only the operator can resolve. */
  readonly operatorContact?: string | undefined;
}

const emptyMetadata: Metadata = {
  name: null,
  description: null,
  image: null,
  video: null,
  animation_url: null,
  external_url: null,
  traits: [],
};

/** The media that the document names; none if there is no document. */
export const mediaOf = ({ metadata }: Examined): MediaFields => metadata ?? emptyMetadata;

/** Reports how a document would be shown with these settings, given what the checks of its media found. */
export function reportOn(
  examined: Examined,
  { checked, ends }: ExaminedMedia,
  surroundings: Surroundings,
): DocumentReport {
  const { gateways, isAllowed, known, operatorContact } = surroundings;
  const { fetch, failure } = examined;
  const read = { metadata: examined.metadata ?? emptyMetadata, issues: examined.issues };
  const shown = showVersion(read, known, operatorContact);
  const { metadata } = shown;
  const loaded = asLoaded(metadata, gateways);
  const issues = withMediaIssues(shown.issues, {
    fields: loaded,
    checked,
    ends,
    isAllowed,
    isTriedOften: false,
    operatorContact,
  });
  const { name, description, image, video, animation_url, traits } = metadata;
  const imageUrl = image === null ? null : reachableUrl(image, gateways);
  return {
    valid: failure === null && issues.every(({ level }) => level !== "error"),
    fetched: fetch && {
      uri: fetch.uri,
      content_hash: fetch.contentHash,
      bytes: fetch.bytes,
      duration_ms: fetch.durationMs,
    },
    failure: failure && { ...failure },
    issues,
    media: { ...checked },
    name,
    description,
    image,
    video,
    animation_url,
    traits: traits.map((trait) => ({ ...trait, max_value: trait.max_value ?? null })),
    display: viewDisplay(
      chooseDisplay(
        loaded,
        isShown(checked.image) ? imageUrl : null,
        isAllowed,
        { animation: faultOf(checked.animation_url), video: faultOf(checked.video) },
        ends,
      ),
    ),
  };
}

const isShown = ({ status }: CheckedMedia): boolean => status !== "rejected";

function faultOf({ status, reason }: CheckedMedia): Found | undefined {
  if (reason === null || status !== "rejected") return undefined;
  const code = mediaReasons.find((each) => each === codeOf(reason));
  return code && { reason: code, message: reason.slice(code.length + 2) };
}
