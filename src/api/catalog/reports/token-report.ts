/** The response shape of a token report: what is served and why, and the outcomes of its fetches. */

import { z } from "@hono/zod-openapi";
import type { Version } from "../../metadata/records/report-store.ts";
import { tokenIssueSchema } from "../tokens/token-issues.ts";
import { displaySchema, tokenSchema, tokenTraitSchema } from "../tokens/token-view.ts";
import { mediaReportSchema } from "./media-report.ts";
import type { TokenHistory } from "./reports.ts";

const versionSchema = z
  .object({
    number: z.number(),
    trigger: z.string().openapi({
      description:
        "The trigger of the fetch; renormalise: nothing was fetched, new rules read the stored document.",
      example: "rest",
    }),
    outcome: z.enum(["updated", "rejected", "failed"]).openapi({
      description:
        "updated: served since then. rejected: read, but less complete than the served document. failed: not read.",
    }),
    reason: z.string().nullable(),
    uri: z.string().nullable(),
    read_block: z.number().nullable().openapi({ description: "The block at which the URI was read." }),
    content_hash: z.string().nullable(),
    normaliser: z.number().openapi({ description: "The version of the rules that last read the document." }),
    duration_ms: z.number(),
    fetched_at: z.string(),
    confirmed_at: z
      .string()
      .nullable()
      .openapi({ description: "The last fetch that found the same document again." }),
    confirmations: z.number(),
    issues: z.array(tokenIssueSchema),
  })
  .openapi("MetadataVersion");

export const tokenReportSchema = z
  .object({
    chain_id: z.number(),
    collection_address: z.string(),
    token_id: z.string(),
    metadata: tokenSchema.shape.metadata.omit({ issues: true }).extend({
      uri: z.string().nullable().openapi({ description: "The source of the served document." }),
    }),
    issues: z.array(tokenIssueSchema).openapi({ description: "Of the served document and its media." }),
    media: mediaReportSchema.openapi({ description: "What the last checks found." }),
    traits: z.array(tokenTraitSchema),
    display: displaySchema,
    versions: z.array(versionSchema).openapi({ description: "Newest first." }),
    next_cursor: z.string().nullable(),
  })
  .openapi("TokenReport");

export function viewTokenReport(report: TokenHistory): z.infer<typeof tokenReportSchema> {
  const { chain_id, collection_address, token_id, metadata, traits, display } = report.token;
  const { issues, ...served } = metadata;
  return {
    chain_id,
    collection_address,
    token_id,
    metadata: { ...served, uri: report.servedUri },
    issues,
    media: { ...report.media },
    traits,
    display,
    versions: report.versions.map(viewVersion),
    next_cursor: report.next === undefined ? null : String(report.next),
  };
}

const viewVersion = (version: Version): z.infer<typeof versionSchema> => ({
  number: version.number,
  trigger: version.trigger,
  outcome: version.outcome,
  reason: version.reason,
  uri: version.uri,
  read_block: version.readBlock,
  content_hash: version.contentHash,
  normaliser: version.normaliser,
  duration_ms: version.durationMs,
  fetched_at: version.fetchedAt.toISOString(),
  confirmed_at: version.confirmedAt?.toISOString() ?? null,
  confirmations: version.confirmations,
  issues: [...version.issues],
});
