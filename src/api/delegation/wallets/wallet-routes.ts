/** A wallet's delegations for clients with a key, whichever registry answers. */

import { createRoute, z } from "@hono/zod-openapi";
import { errorResponses } from "../../http/error-responses.ts";
import { addressField, chainIdField } from "../../http/fields.ts";
import { jsonAnswer } from "../../http/json-content.ts";
import { createRouter } from "../../http/router.ts";
import type { ChainChoice } from "../chain-choice.ts";
import { foreignRecordSchema } from "../registry/record.ts";
import type { Delegations, Known } from "./delegations.ts";
import { unavailableReasons } from "./source.ts";

const stateFields = {
  status: z.enum(["ok", "stale", "unavailable"]).openapi({
    description: "stale: from as_of, since the registry does not answer now; unavailable: nothing is known",
  }),
  reason: z.enum(unavailableReasons).nullable(),
  message: z.string().nullable(),
  as_of: z.string().nullable(),
};
const records = z.array(foreignRecordSchema);
const unreadable = z.int().openapi({
  description:
    "How many records of the registry's answer could not be read, such as one of an unknown type or with a rounded id. They are in no list.",
});

const walletSchema = z
  .object({
    wallet: z.string(),
    chain_id: z.number(),
    registry: z.string().openapi({ description: "own, or the URL of the registry that is asked" }),
    ...stateFields,
    incoming: records
      .nullable()
      .openapi({ description: "The wallets that it may act for; null while unknown." }),
    outgoing: records
      .nullable()
      .openapi({ description: "The wallets that may act for it, as far as the registry reports them." }),
    truncated: z.boolean().openapi({
      description:
        "There are more than are listed: of our own registry, 1,000 of each direction, oldest first.",
    }),
    unreadable,
    granted: z
      .object({
        to: z.string(),
        ...stateFields,
        delegated: z.boolean().nullable().openapi({ description: "The whole wallet, without limits." }),
        delegations: records.nullable().openapi({
          description: "null also where the registry only answers yes or no",
        }),
        truncated: z.boolean(),
        unreadable,
      })
      .nullable()
      .openapi({ description: "What the wallet delegated to the one named by `to`." }),
  })
  .openapi("WalletDelegations");

const walletRoute = createRoute({
  method: "get",
  path: "/wallets/{address}/delegations",
  operationId: "getWalletDelegations",
  tags: ["market"],
  summary: "Incoming and outgoing delegations of a wallet",
  description: "Answers while the registry is down, too, and says so.",
  security: [{ ApiKeyAuth: [] }],
  request: {
    params: z.object({ address: addressField }),
    query: z.object({
      chain_id: chainIdField.openapi({
        description:
          "The chain; without it, the first in the order of collections.json, of our own registry the first whose registry is indexed.",
      }),
      to: addressField.optional().openapi({ description: "Also what the wallet delegated to this one." }),
    }),
  },
  responses: {
    200: jsonAnswer("What is known", walletSchema),
    ...errorResponses("INVALID_REQUEST", "KEY_MISSING", "KEY_INVALID", "NOT_ALLOWED", "UNAVAILABLE"),
  },
});

export interface WalletRouteDeps {
  readonly delegations: Delegations;
  readonly delegationChain: ChainChoice;
}

export function walletRoutes({ delegations, delegationChain }: WalletRouteDeps) {
  return createRouter().openapi(walletRoute, async (c) => {
    const { address: wallet } = c.req.valid("param");
    const { chain_id, to } = c.req.valid("query");
    const chainId = delegationChain(chain_id, "chain_id");
    const [known, grant] = await Promise.all([
      delegations.ofWallet(chainId, wallet),
      to === undefined ? null : delegations.between(chainId, wallet, to),
    ]);
    return c.json(
      {
        wallet,
        chain_id: chainId,
        registry: delegations.registry,
        ...viewState(known),
        incoming: listOf(known.value?.incoming),
        outgoing: listOf(known.value?.outgoing),
        truncated: known.value?.truncated ?? false,
        unreadable: known.value?.unreadable ?? 0,
        granted:
          to === undefined || grant === null
            ? null
            : {
                to,
                ...viewState(grant),
                delegated: grant.value?.delegated ?? null,
                delegations: listOf(grant.value?.delegations),
                truncated: grant.value?.truncated ?? false,
                unreadable: grant.value?.unreadable ?? 0,
              },
      },
      200,
    );
  });
}

const listOf = <Record>(list: readonly Record[] | null | undefined): Record[] | null =>
  list ? [...list] : null;

const viewState = (known: Known<unknown>) => ({
  status: known.status,
  reason: known.status === "ok" ? null : known.reason,
  message: known.status === "ok" ? null : known.message,
  as_of: known.asOf?.toISOString() ?? null,
});
