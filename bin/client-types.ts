/** The types of `clients/typescript`, generated from the OpenAPI document and the tables of errors and events. */

import openapiTs, { astToString, type OpenAPI3 } from "openapi-typescript";
import { z } from "zod";
import { eventTypeTable, type noticeTable } from "../src/api/events/event-types.ts";
import { errorTable } from "../src/api/http/errors.ts";

const HEADER = "/** Generated from openapi.json by `npm run generate`. Don't edit. */\n\n";

const positions = z.int().nonnegative();
const everyEvent = {
  id: positions,
  chain_id: z.int(),
  collection_address: z.string(),
  token_id: z.string().nullable(),
  at: z.iso.datetime(),
};
const noticePayloads = {
  reverted: { ...everyEvent, reverts: positions, reverted_type: z.string() },
  reset: {
    reason: z.enum(["too_old", "unknown_id"]),
    last_event_id: positions,
    latest: positions,
  },
} satisfies Record<keyof typeof noticeTable, z.ZodRawShape>;

type SchemaObjects = NonNullable<NonNullable<OpenAPI3["components"]>["schemas"]>;

/** Every message of the stream by its type, as one schema: OpenAPI has no words for what an event stream sends. */
function eventSchema(): z.ZodType {
  const events = Object.entries(eventTypeTable).map(([type, { payload }]) =>
    z.object({ type: z.literal(type), ...everyEvent, ...payload.shape }),
  );
  const notices = Object.entries(noticePayloads).map(([type, shape]) =>
    z.object({ type: z.literal(type), ...shape }),
  );
  return z.union([...events, ...notices]);
}

/** TypeScript that describes the document, the error codes (`ErrorCode`) and the stream (`StreamEvent`). */
export async function printClientTypes(openApi: string): Promise<string> {
  const document = JSON.parse(openApi) as OpenAPI3;
  const { $schema: _, ...streamEvent } = z.toJSONSchema(eventSchema());
  const schemas = {
    ...document.components?.schemas,
    ErrorCode: { type: "string", enum: Object.keys(errorTable) },
    StreamEvent: streamEvent,
  };
  document.components = { ...document.components, schemas: schemas as SchemaObjects };
  const nodes = await openapiTs(document, { immutable: true, defaultNonNullable: false, silent: true });
  return HEADER + astToString(nodes);
}
