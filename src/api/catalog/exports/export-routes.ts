/** Route to export a whole collection as a stream. */

import { pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { clip } from "../../../domain/printable.ts";
import { parseAddress } from "../../../domain/token-ref.ts";
import { BROTLI_QUALITY, encodingOf, GZIP_LEVEL } from "../../http/compression.ts";
import { errorResponses } from "../../http/error-responses.ts";
import { ApiError } from "../../http/errors.ts";
import { chainIdField, collectionNameField, tokenIdField } from "../../http/fields.ts";
import { createAppLimit } from "../../http/limits/in-flight-limiter.ts";
import type { InFlightLimit } from "../../http/limits/rate-limit.ts";
import { createRouter, requireAccepts } from "../../http/router.ts";
import { cut, untilClosed } from "../../http/server/cut.ts";
import type { Collections } from "../collections.ts";
import { blockField } from "../holders/owner-routes.ts";
import { mediaTypes } from "./export-formats.ts";
import { exportSubjects } from "./export-run.ts";
import type { Exports } from "./exports.ts";
import { exportFormats } from "./format-names.ts";

const appExports: InFlightLimit = { requests: 2, retrySeconds: 30, unit: "exports" };
const allExports: InFlightLimit = { ...appExports, requests: 4 };

const oneOf = <Name extends string>(names: readonly [Name, ...Name[]]) =>
  z
    .enum(names, {
      error: ({ input }) =>
        `must be ${names.join(", ").replace(/, (?=[^,]*$)/, " or ")}; it is "${clip(String(input))}"`,
    })
    .default(names[0]);

const querySchema = z.object({
  chain_id: chainIdField,
  format: oneOf(exportFormats),
  what: oneOf(exportSubjects),
  after: z.string().optional().openapi({
    description: "Only rows after this token id, or owner: the last one received resumes an export.",
    example: "41",
  }),
  from_token_id: tokenIdField.optional().openapi({ description: "For tokens: the first id." }),
  to_token_id: tokenIdField.optional().openapi({ description: "For tokens: the last id." }),
  at_block: blockField.openapi({
    type: "integer",
    minimum: 0,
    description: "For owners: those at the end of this block, which must be indexed.",
  }),
});

/** The rules between parameters. Throws INVALID_REQUEST; returns `after` in the form that rows have. */
function readAfter(query: z.output<typeof querySchema>): string | undefined {
  const isOwners = query.what === "owners";
  const refuse = (path: string, message: string): never => {
    throw new ApiError("INVALID_REQUEST", [{ path, message }]);
  };
  for (const name of ["from_token_id", "to_token_id"] as const)
    if (isOwners && query[name] !== undefined) refuse(name, "is for what=tokens; it is what=owners");
  if (!isOwners && query.at_block !== undefined) refuse("at_block", "is for what=owners; it is what=tokens");
  if (query.after === undefined) return undefined;
  const after = isOwners ? parseAddress(query.after) : tokenIdField.safeParse(query.after).data;
  const expected = isOwners ? "an owner's address" : "a token id";
  return after ?? refuse("after", `must be ${expected}; it is "${clip(query.after)}"`);
}

const exportRoute = createRoute({
  method: "get",
  path: "/collections/{collection_address}/export",
  operationId: "exportCollection",
  tags: ["market"],
  security: [{ ApiKeyAuth: [] }],
  summary: "A whole collection as a stream: its listed tokens, or its owners",
  description:
    "Everything is of one moment, the block in `X-As-Of-Block`. Rows are ordered by token id, as a number, or by owner. A body that ends early is cut: its connection ends without the last chunk. docs/exports.md describes the columns.",
  request: { params: z.object({ collection_address: collectionNameField }), query: querySchema },
  responses: {
    200: {
      description: "The stream",
      headers: {
        "X-As-Of-Block": {
          description: "The newest indexed block, or `at_block`.",
          schema: { type: "integer" },
        },
        "Content-Disposition": { description: "A file name.", schema: { type: "string" } },
      },
      content: Object.fromEntries(
        Object.values(mediaTypes).map((type) => [type.replace(/;.*/, ""), { schema: z.string() }]),
      ),
    },
    ...errorResponses(
      "INVALID_REQUEST",
      "KEY_MISSING",
      "KEY_INVALID",
      "NOT_ALLOWED",
      "COLLECTION_NOT_FOUND",
      "NOT_ACCEPTABLE",
      "RATE_LIMITED",
      "UNAVAILABLE",
    ),
  },
});

export interface ExportRouteDeps {
  readonly collections: Pick<Collections, "findNamed">;
  readonly exports: Exports;
}

/** Needs `requireKey` before it. */
export function exportRoutes({ collections, exports }: ExportRouteDeps) {
  const takeExport = createAppLimit(appExports, allExports);

  return createRouter().openapi(exportRoute, async (c) => {
    const asked = c.req.valid("query");
    const { chain_id, format, what, at_block: atBlock, from_token_id, to_token_id } = asked;
    const after = readAfter(asked);
    const collection = await collections.findNamed(c.req.valid("param").collection_address, chain_id);
    const type = mediaTypes[format];
    requireAccepts(c.req.header("accept"), type);
    const onEnd = takeExport(c.get("app").id);
    const query = { format, what, after, from: from_token_id, to: to_token_id, atBlock };
    const describe = (asOfBlock: number | null): void => {
      c.header("Content-Type", type);
      if (asOfBlock !== null) c.header("X-As-Of-Block", String(asOfBlock));
      const { chainId, slug, address } = collection;
      const name = [chainId, slug ?? address, what, asOfBlock ?? "none"].join("-");
      c.header("Content-Disposition", `attachment; filename="${name}.${format}"`);
      c.header("Cache-Control", "private, no-store");
      // Proxies that buffer a response would hold all of it.
      c.header("X-Accel-Buffering", "no");
    };
    // A HEAD reads no body, so the export would never end.
    if (c.req.method === "HEAD") {
      onEnd();
      describe(await exports.findBlock(collection, query));
      if (format !== "parquet") chooseEncoding(c);
      return c.body(null, 200);
    }
    const { stream, asOfBlock } = await exports
      .open(collection, query, { onEnd, onStall: () => cut(c) })
      .catch((error: Error) => {
        onEnd();
        throw error;
      });
    describe(asOfBlock);
    const body = format === "parquet" ? stream : compressed(c, stream);
    return c.body(untilClosed(c, body), 200);
  });
}

/** Names the encoding of an export that the client asks for. */
function chooseEncoding(c: Context): ReturnType<typeof encodingOf> {
  c.header("Vary", "Accept-Encoding", { append: true });
  const encoding = encodingOf(c.req.header("accept-encoding"));
  if (encoding !== undefined) c.header("Content-Encoding", encoding);
  return encoding;
}

/** As http/compression.ts does for whole texts, while the export grows. */
function compressed(c: Context, stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const encoding = chooseEncoding(c);
  if (encoding === undefined) return stream;
  const packer =
    encoding === "gzip"
      ? createGzip({ level: GZIP_LEVEL })
      : createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
  // Ends both when either ends; what reads the compressed stream hears of the error.
  pipeline(Readable.fromWeb(stream as unknown as NodeReadableStream<Uint8Array>), packer, () => undefined);
  return Readable.toWeb(packer) as unknown as ReadableStream<Uint8Array>;
}
