/** Operator routes for locks. */

import { createRoute, z } from "@hono/zod-openapi";
import { isLocked } from "../../domain/lock-count.ts";
import { lockStandardNames } from "../../domain/lock-standards.ts";
import { collectionKey } from "../../domain/token-ref.ts";
import type { Collections } from "../catalog/collections.ts";
import { collectionRefField, tokenIdField } from "../http/fields.ts";
import { jsonAnswer, jsonBody } from "../http/json-content.ts";
import { createRouter, requireJson } from "../http/router.ts";
import type { LockDrift } from "../trading/reconcile/reconcile.ts";
import { driftCauses, lockViewNames } from "../trading/rules.ts";
import { OPERATOR, type OperatorActions } from "./actions.ts";
import { refuseCollection } from "./check-collections.ts";
import { bodyErrors, operatorErrors, operatorRoute } from "./route-docs.ts";

const PAGE_TOKENS_MAX = 500;

const pageBody = z
  .strictObject({
    collection: collectionRefField.optional().openapi({
      description:
        "Its address or slug, or either after its chain, as in `chainId:address`; without it, the first of the list.",
    }),
    after_token_id: tokenIdField.nullable().default(null),
    limit: z.int().min(1).max(PAGE_TOKENS_MAX).default(PAGE_TOKENS_MAX),
  })
  .openapi("LockReconciliationRequest");

const lockCountField = z.string().openapi({ pattern: "^[0-9]+$", example: "1" });

const driftSchema = z
  .object({
    token_id: z.string(),
    standard: z.enum(lockStandardNames),
    block: z.number().openapi({ description: "The block of both sides." }),
    indexed: z.object({ lock_count: lockCountField, locked: z.boolean() }),
    on_chain: z.object({
      lock_count: lockCountField
        .nullable()
        .openapi({ description: "null for a function that only returns whether the token is locked" }),
      locked: z.boolean(),
    }),
    likely_cause: z.enum(driftCauses),
    explanation: z.string(),
  })
  .openapi("LockDrift");

const pageSchema = z
  .object({
    collection: z.string(),
    block: z.number(),
    offers: z.enum(lockViewNames).nullable().openapi({
      description: "The first of the contract's functions used; null if it has none, and nothing is checked.",
    }),
    compared_with: z
      .array(z.object({ function: z.enum(lockViewNames), standards: z.array(z.enum(lockStandardNames)) }))
      .openapi({ description: "All of them, with the standards that each covers." }),
    checked: z.number(),
    unreadable: z
      .number()
      .openapi({ description: "Tokens without an answer from the contract, such as burned ones." }),
    drift: z.array(driftSchema),
    next_after: z
      .string()
      .nullable()
      .openapi({ description: "The after_token_id of the next page; null on the last one." }),
    next_collection: z.string().nullable().openapi({ description: "The next collection in the list." }),
  })
  .openapi("LockReconciliation");

const reconcileRoute = createRoute({
  method: "post",
  path: "/locks/reconcile",
  operationId: "reconcileLocks",
  tags: operatorRoute.tags,
  summary:
    "Compare the chain index's locks with the contract's own, one page of tokens at a time; changes nothing",
  security: operatorRoute.security,
  middleware: [requireJson],
  request: { body: jsonBody(pageBody) },
  responses: {
    200: jsonAnswer("The comparison and its differences", pageSchema),
    ...operatorErrors(...bodyErrors, "COLLECTION_NOT_FOUND", "UNAVAILABLE"),
  },
});

export interface LockRouteDeps {
  readonly actions: OperatorActions;
  readonly collections: Pick<Collections, "all" | "findRef">;
}

export function lockRoutes({ actions, collections }: LockRouteDeps) {
  return createRouter().openapi(
    reconcileRoute,
    async (c) => {
      const { collection: named, after_token_id, limit } = c.req.valid("json");
      const { all } = collections;
      const collection = named ? await collections.findRef(named, "collection") : all[0];
      if (!collection) throw new Error("there is no collection");
      const page = await actions.reconcileLocks(OPERATOR, collection, { after: after_token_id, limit });
      const name = collectionKey(collection);
      const { block, checked, unreadable, nextAfter } = page;
      const offers = page.offers[0]?.view.name ?? null;
      const compared_with = page.offers.map(({ view, standards }) => ({
        function: view.name,
        standards: [...standards],
      }));
      const drift = page.drift.map(viewDrift);
      const following = all[all.indexOf(collection) + 1];
      return c.json(
        {
          collection: name,
          block,
          offers,
          compared_with,
          checked,
          unreadable,
          drift,
          next_after: nextAfter,
          next_collection: following ? collectionKey(following) : null,
        },
        200,
      );
    },
    refuseCollection(collections),
  );
}

const viewDrift = ({ tokenId, standard, block, indexed, onChain, cause, explanation }: LockDrift) => ({
  token_id: tokenId,
  standard,
  block,
  indexed: { lock_count: String(indexed), locked: isLocked(indexed) },
  on_chain: { lock_count: onChain.lockCount?.toString() ?? null, locked: onChain.locked },
  likely_cause: cause,
  explanation,
});
