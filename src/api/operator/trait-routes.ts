/** Operator routes for trait types whose display type changed. */

import { createRoute, z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../config.ts";
import { clip } from "../../domain/printable.ts";
import { collectionKey } from "../../domain/token-ref.ts";
import { sized } from "../../invalid-value.ts";
import type { Collections } from "../catalog/collections.ts";
import { ApiError, type ErrorDetail } from "../http/errors.ts";
import { collectionRefField } from "../http/fields.ts";
import { jsonAnswer, jsonBody } from "../http/json-content.ts";
import { createRouter, requireJson } from "../http/router.ts";
import { COUNTED_MAX, displayTypes } from "../metadata/rules.ts";
import type { PendingType } from "../metadata/traits/approval-store.ts";
import type { Approval, TraitApproval } from "../metadata/traits/trait-approval.ts";
import { storable } from "../text/storable.ts";
import { OPERATOR, type OperatorActions } from "./actions.ts";
import { refuseCollection } from "./check-collections.ts";
import { bodyErrors, operatorErrors, operatorRoute } from "./route-docs.ts";

const PENDING_MAX = 100;

const displayTypeField = z.enum(displayTypes);

const pendingSchema = z
  .object({
    pending: z.array(
      z.object({
        collection: z.string(),
        trait_type: z.string(),
        known_display_type: displayTypeField,
        wanted_display_type: displayTypeField,
        tokens: z.number().openapi({
          description: `The tokens whose served version has at least one such entry, counted up to ${COUNTED_MAX}.`,
        }),
        more_tokens: z.boolean().openapi({
          description: "True when the count ended before the last token; otherwise `tokens` is exact.",
        }),
        first_seen_at: z.string(),
      }),
    ),
    more: z.boolean().openapi({ description: `True when only the first ${PENDING_MAX} are listed.` }),
  })
  .openapi("PendingDisplayTypes");

const pendingRoute = createRoute({
  ...operatorRoute,
  method: "get",
  path: "/traits/pending",
  operationId: "listPendingDisplayTypes",
  summary: "Trait types with entries of another display type than the known one, oldest conflict first",
  request: { query: z.object({ collection: collectionRefField.optional() }) },
  responses: {
    200: jsonAnswer("The hidden entries", pendingSchema),
    ...operatorErrors("INVALID_REQUEST", "COLLECTION_NOT_FOUND"),
  },
});

const approvalBody = z
  .strictObject({
    collection: collectionRefField,
    // Converted as it was when stored.
    trait_type: z.string().min(1, sized).transform(storable),
    display_type: displayTypeField,
  })
  .openapi("DisplayTypeApproval");

const approvedSchema = z.object({
  collection: z.string(),
  trait_type: z.string(),
  display_type: displayTypeField,
  previous_display_type: displayTypeField,
});

const approveRoute = createRoute({
  ...operatorRoute,
  method: "post",
  path: "/traits/approve",
  operationId: "approveDisplayType",
  summary: "Show the hidden entries of a display type, and hide those of the previous one",
  middleware: [requireJson],
  request: { body: jsonBody(approvalBody) },
  responses: {
    200: jsonAnswer("Approved; applies to every answer from now on", approvedSchema),
    ...operatorErrors(...bodyErrors, "COLLECTION_NOT_FOUND"),
  },
});

export interface TraitRouteDeps {
  readonly traitApproval: TraitApproval;
  readonly actions: OperatorActions;
  readonly collections: Pick<Collections, "all" | "findRef">;
}

export function traitRoutes({ actions, traitApproval, collections }: TraitRouteDeps) {
  return createRouter()
    .openapi(pendingRoute, async (c) => {
      const { collection: named } = c.req.valid("query");
      const asked = named ? [await collections.findRef(named, "collection")] : collections.all;
      const rows = await traitApproval.pending(asked.map(refOf), PENDING_MAX + 1);
      return c.json(
        { pending: rows.slice(0, PENDING_MAX).map(viewPending), more: rows.length > PENDING_MAX },
        200,
      );
    })
    .openapi(
      approveRoute,
      async (c) => {
        const { collection: named, trait_type, display_type } = c.req.valid("json");
        const collection = await collections.findRef(named, "collection");
        const approval = await actions.approveDisplayType(OPERATOR, collection, trait_type, display_type);
        if (approval.kind !== "approved")
          throw new ApiError("NOT_FOUND", [explain(approval, trait_type, display_type)]);
        const answer = { collection: collectionKey(collection), trait_type, display_type };
        return c.json({ ...answer, previous_display_type: approval.was }, 200);
      },
      refuseCollection(collections),
    );
}

const refOf = ({ chainId, address }: CollectionConfig) => ({ chainId, collection: address });

const viewPending = (row: PendingType) => ({
  collection: collectionKey(row),
  trait_type: row.traitType,
  known_display_type: row.known,
  wanted_display_type: row.proposed,
  tokens: row.tokens,
  more_tokens: row.hasMoreTokens,
  first_seen_at: row.firstSeenAt.toISOString(),
});

function explain(
  approval: Exclude<Approval, { kind: "approved" }>,
  traitType: string,
  displayType: string,
): ErrorDetail {
  const name = `"${clip(traitType)}"`;
  if (approval.kind === "unknown_trait_type")
    return { path: "trait_type", message: `no token of the collection ever had a trait of type ${name}` };
  const { known, conflicting } = approval;
  if (known === displayType) return { path: "display_type", message: `${name} is known as ${known} already` };
  const others =
    conflicting.length === 0 ? "nothing is hidden" : `hidden are entries of ${conflicting.join(", ")}`;
  return {
    path: "display_type",
    message: `no token has ${name} as ${displayType}; it is known as ${known}, and ${others}`,
  };
}
