/** The keyed route of a collection's health: counts by cause, the tokens of a cause, and their export. */

import { createRoute, z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../../config.ts";
import { clip } from "../../../domain/printable.ts";
import { parseTokenId } from "../../../domain/token-ref.ts";
import { errorResponses } from "../../http/error-responses.ts";
import { ApiError } from "../../http/errors.ts";
import { chainIdField, collectionNameField, limitField } from "../../http/fields.ts";
import { cursorField, pageCursor } from "../../http/page-cursor.ts";
import { createRouter, requireAccepts } from "../../http/router.ts";
import { untilClosed } from "../../http/server/cut.ts";
import type { Collections } from "../collections.ts";
import type { DocumentRead } from "../contract/contract-store.ts";
import type { HealthService } from "./health.ts";
import { healthExportFormats, healthExportOf, healthExportTypes } from "./health-export.ts";
import { causeKinds, type HealthCounts } from "./health-store.ts";

const kindField = z.enum(causeKinds).openapi({
  description:
    "document: an issue of the served document. image: the picture is rejected. read: the last fetch failed. stale_image: the last fetch of the picture failed, and the earlier one is still shown.",
});

const healthSchema = z
  .object({
    chain_id: z.number(),
    collection_address: z.string(),
    tokens: z.int().openapi({
      description:
        "Listed tokens, according to the chain index; those of ERC-1155 that were announced without a supply count too.",
    }),
    current: z.int().openapi({ description: "Tokens whose last fetch succeeded." }),
    failed: z.int().openapi({ description: "Tokens whose last fetch failed." }),
    unread: z.int().openapi({ description: "Tokens that were never read." }),
    rejected_images: z.int().openapi({
      description:
        "Tokens whose picture was asked for and rejected. One that can't be asked for has the issue `unusable_image` or `unusable_url` instead.",
    }),
    contract_document: z
      .object({
        uri: z
          .string()
          .nullable()
          .openapi({ description: "What `contractURI()` answered; null where it names no document." }),
        reason: z.string().nullable().openapi({
          description: "Why the document isn't used; null where it is. The fields of the last good one stay.",
        }),
        read_at: z.iso.datetime(),
      })
      .nullable()
      .openapi({
        description: "The last read of the document that the contract names; null before the first.",
      }),
    issues: z
      .array(
        z.object({
          code: z.string(),
          kind: kindField,
          count: z.int().openapi({ description: "Tokens with it." }),
          examples: z.array(z.string()).openapi({ description: "Its lowest and its highest token id." }),
        }),
      )
      .openapi({ description: "By cause, most frequent first; with `cause`, only that one." }),
    items: z
      .array(z.object({ token_id: z.string(), kind: kindField, reason: z.string() }))
      .optional()
      .openapi({ description: "With `cause`: the tokens with it, by id." }),
    next_cursor: z.string().nullable().optional().openapi({ description: "With `cause`." }),
  })
  .openapi("CollectionHealth");

const healthRoute = createRoute({
  tags: ["market-partner"],
  security: [{ ApiKeyAuth: [] }],
  method: "get",
  path: "/collections/{collection_address}/health",
  operationId: "getHealth",
  summary: "How many tokens of a collection have which problem, and which tokens they are",
  description:
    "The counts are up to ten seconds old. Problems of videos and animations are in the reports of tokens.",
  request: {
    params: z.object({ collection_address: collectionNameField }),
    query: z.object({
      chain_id: chainIdField,
      cause: z
        .string()
        .regex(/^[a-z][a-z0-9_]{0,63}$/, {
          error: (issue) => `must be the code of an issue; it is "${clip(String(issue.input))}"`,
        })
        .optional()
        .openapi({ description: "Lists the tokens with this code.", example: "missing_image" }),
      format: z
        .enum(["json", ...healthExportFormats])
        .default("json")
        .openapi({
          description: "`csv` and `ndjson` answer all tokens with the cause as a file, without pages.",
        }),
      limit: limitField,
      cursor: cursorField.openapi({ description: "The `next_cursor` of the previous page." }),
    }),
  },
  responses: {
    200: {
      description: "The health, or the file",
      content: {
        "application/json": { schema: healthSchema },
        "text/csv": { schema: z.string() },
        "application/x-ndjson": { schema: z.string() },
      },
    },
    ...errorResponses(
      "INVALID_REQUEST",
      "KEY_MISSING",
      "KEY_INVALID",
      "NOT_ALLOWED",
      "COLLECTION_NOT_FOUND",
      "NOT_ACCEPTABLE",
    ),
  },
});

const cursors = pageCursor(
  z.object({
    tokenId: z.string().refine((text) => parseTokenId(text) !== undefined),
    kind: z.enum(causeKinds),
  }),
);

export interface HealthRouteDeps {
  readonly collectionHealth: HealthService;
  readonly findCollection: Collections["findNamed"];
}

export function collectionHealthRoutes({ collectionHealth: health, findCollection }: HealthRouteDeps) {
  return createRouter().openapi(healthRoute, async (c) => {
    const { chain_id, cause, format, limit, cursor } = c.req.valid("query");
    requireAccepts(
      c.req.header("accept"),
      format === "json" ? "application/json" : healthExportTypes[format],
    );
    const collection = await findCollection(c.req.valid("param").collection_address, chain_id);
    if (cause === undefined) {
      if (format !== "json") throw needsCause("format");
      if (cursor !== undefined) throw needsCause("cursor");
      const [counts, document] = await Promise.all([
        health.read(collection),
        health.readContractDocument(collection),
      ]);
      return c.json(viewHealth(collection, counts, document), 200);
    }
    if (format !== "json") {
      const name = `health-${collection.chainId}-${collection.address}-${cause}.${format}`;
      const body = healthExportOf(format, cause, health.listAll(collection, cause));
      return c.body(untilClosed(c, body), 200, {
        "Content-Type": healthExportTypes[format],
        "Content-Disposition": `attachment; filename="${name}"`,
        "Cache-Control": "private, no-store",
      }) as never;
    }
    const list = ["health", collection.chainId, collection.address, cause];
    const after = cursors.read(list, cursor);
    const [counts, document, found] = await Promise.all([
      health.read(collection),
      health.readContractDocument(collection),
      health.list(collection, cause, after, limit + 1),
    ]);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    const view = viewHealth(collection, counts, document);
    return c.json(
      {
        ...view,
        issues: view.issues.filter(({ code }) => code === cause),
        items: items.map(({ tokenId, kind, reason }) => ({ token_id: tokenId, kind, reason })),
        next_cursor: last ? cursors.write(list, { tokenId: last.tokenId, kind: last.kind }) : null,
      },
      200,
    );
  });
}

const needsCause = (path: string): ApiError =>
  new ApiError("INVALID_REQUEST", [{ path, message: "is for the tokens of one cause; give `cause` too" }]);

function viewHealth(
  { chainId, address }: CollectionConfig,
  { tokens, unread, rejectedImages, causes }: HealthCounts,
  document: DocumentRead | undefined,
): z.infer<typeof healthSchema> {
  const failed = causes.filter(({ kind }) => kind === "read").reduce((sum, { count }) => sum + count, 0);
  return {
    chain_id: chainId,
    collection_address: address,
    tokens,
    // The two tables may be a moment apart.
    current: Math.max(0, tokens - failed - unread),
    failed,
    unread,
    rejected_images: rejectedImages,
    contract_document: document
      ? { uri: document.uri, reason: document.reason, read_at: document.readAt.toISOString() }
      : null,
    issues: causes.map(({ code, kind, count, examples }) => ({ code, kind, count, examples: [...examples] })),
  };
}
