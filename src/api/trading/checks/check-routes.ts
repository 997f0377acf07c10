/** Route for trade checks: may these tokens be listed, transferred or traded now (spec.md "States and transitions")? */

import { createRoute, z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../../config.ts";
import { shown } from "../../../invalid-value.ts";
import { errorResponses } from "../../http/error-responses.ts";
import { ApiError, type ErrorDetail } from "../../http/errors.ts";
import { addressField, chainIdField, tokenIdField } from "../../http/fields.ts";
import { jsonAnswer, jsonBody } from "../../http/json-content.ts";
import { perApp } from "../../http/limits/count-requests.ts";
import { createInFlightLimiter } from "../../http/limits/in-flight-limiter.ts";
import { rateLimit } from "../../http/limits/rate-limit.ts";
import { createRouter, limitBody, requireJson } from "../../http/router.ts";
import { tokenList } from "../../http/token-list.ts";
import type { TradeCheck, TradeChecks } from "./checks.ts";
import { refusals } from "./guard.ts";
import { VERIFY_MS } from "./transfer-verifier.ts";

const ITEMS_MAX = 100;
// Per app; each may take a hundred calls to the operator's node.
const VERIFICATIONS_AT_ONCE = 4;
// A hundred items of 200 bytes, plus white space.
const BODY_BYTES_MAX = 64 * 1024;

const itemsField = tokenList(z.strictObject({ collection_address: addressField, token_id: tokenIdField }), {
  max: ITEMS_MAX,
  one: "token",
  many: "tokens",
});

const checkBody = z
  .strictObject({
    action: z.enum(["list", "transfer", "trade"]).openapi({
      description: "What is about to happen. A lock refuses all three alike.",
    }),
    items: itemsField,
    wallet: addressField
      .optional()
      .openapi({ description: "Who is about to do it: an owner of each token, or a delegate of one." }),
    verify: z
      .literal("chain", { error: ({ input }) => `must be "chain" or left out; it is ${shown(input)}` })
      .optional()
      .openapi({
        description:
          "`chain` also tries the transfer of each token that the events have nothing against, at the head of the chain's node. Without it only events count: a paused contract, a name that has expired or a transfer policy is not seen.",
      }),
  })
  .openapi("TradeCheckRequest");

const checkSchema = z
  .object({
    chain_id: z.number(),
    collection_address: z.string(),
    token_id: z.string(),
    allowed: z.boolean(),
    reason: z.enum(refusals).nullable().openapi({ description: "null when it is allowed" }),
    detail: z.string().nullable().openapi({
      description:
        "More on the reason, for people, at most 250 characters on one line; null where there is no more to say. Of `transfer_reverts` it is what the contract says, which is a stranger's text.",
      example: "EnforcedPause()",
    }),
    lock_count: z.number(),
    as_of_block: z
      .number()
      .nullable()
      .openapi({ description: "The newest indexed block of the chain; null before there is any." }),
    verified_at_block: z.number().nullable().openapi({
      description:
        "The block at which the transfer was tried, never older than `as_of_block`; null where it was not.",
    }),
  })
  .openapi("TradeCheck");

const checkRoute = createRoute({
  method: "post",
  path: "/trade_checks",
  operationId: "checkTrades",
  tags: ["market"],
  summary: "Whether up to 100 tokens may be listed, transferred or traded now",
  description: `\`allowed\` is true only while the chain index is ready, fresh and not behind what was seen of it before; else the reason is \`index_stale\`. Without \`verify\` only events count: a paused contract, a name that has expired or a transfer policy is not seen. With \`"verify": "chain"\` the owner's transfer of each token is tried as well, and the answer takes up to ${VERIFY_MS / 1_000} seconds; a transfer that reverts is \`transfer_reverts\`, and one that the node did not answer for in time is \`not_verified\`. An app may have ${VERIFICATIONS_AT_ONCE} such requests at once in each process.`,
  security: [{ ApiKeyAuth: [] }],
  middleware: [requireJson, limitBody(BODY_BYTES_MAX)],
  request: {
    query: z.object({ chain_id: chainIdField }),
    body: jsonBody(checkBody),
  },
  responses: {
    200: jsonAnswer(
      "One answer per item, in their order, all as of one moment",
      z.object({ items: z.array(checkSchema) }),
    ),
    ...errorResponses(
      "INVALID_REQUEST",
      "TOO_MANY_TOKENS",
      "KEY_MISSING",
      "KEY_INVALID",
      "NOT_ALLOWED",
      "COLLECTION_NOT_FOUND",
      "BODY_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
      "RATE_LIMITED",
      "UNAVAILABLE",
    ),
  },
});

export interface CheckRouteDeps {
  readonly tradeChecks: TradeChecks;
  readonly collections: { find(address: string, chainId?: number): CollectionConfig };
}

export function checkRoutes({ tradeChecks, collections }: CheckRouteDeps) {
  const inFlight = createInFlightLimiter({ requests: VERIFICATIONS_AT_ONCE, retrySeconds: 1 });
  const limitVerifications = rateLimit(perApp(inFlight));
  return createRouter().openapi(checkRoute, async (c) => {
    const { items, wallet, verify } = c.req.valid("json");
    const { chain_id } = c.req.valid("query");
    const tokens = findTokens(items, (address) => collections.find(address, chain_id));
    let checks: readonly TradeCheck[] = [];
    const check = async (): Promise<void> => {
      const party = c.get("app").id;
      checks = await tradeChecks.check(tokens, { wallet, verify: verify === "chain", party });
    };
    // Limited here because only the body shows whether a request uses the operator's node.
    await (verify ? limitVerifications(c, check) : check());
    return c.json({ items: checks.map(viewCheck) }, 200);
  });
}

/** Throws COLLECTION_NOT_FOUND, naming every item of a collection that is not served here. */
function findTokens(
  items: readonly { readonly collection_address: string; readonly token_id: string }[],
  find: (address: string) => CollectionConfig,
) {
  const missing: ErrorDetail[] = [];
  const tokens = items.flatMap(({ collection_address, token_id }, index) => {
    try {
      const { chainId, address } = find(collection_address);
      return { chainId, collection: address, tokenId: token_id };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "COLLECTION_NOT_FOUND") throw error;
      const message = `${collection_address} is not a collection served here`;
      missing.push({ path: `items[${index}].collection_address`, message });
      return [];
    }
  });
  if (missing.length > 0) throw new ApiError("COLLECTION_NOT_FOUND", missing);
  return tokens;
}

const viewCheck = (check: TradeCheck) => ({
  chain_id: check.chainId,
  collection_address: check.collection,
  token_id: check.tokenId,
  allowed: check.allowed,
  reason: check.reason,
  detail: check.detail,
  lock_count: check.lockCount,
  as_of_block: check.asOfBlock,
  verified_at_block: check.verifiedAtBlock,
});
