/** The delegation registry itself (spec.md "Delegations of a wallet"). */

import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { errorResponses } from "../../http/error-responses.ts";
import { addressField } from "../../http/fields.ts";
import { jsonAnswer } from "../../http/json-content.ts";
import { KEY_PARAMETER, type KeyCheck } from "../../http/key.ts";
import { perCaller, perClient } from "../../http/limits/count-requests.ts";
import { type RateLimiter, rateLimit } from "../../http/limits/rate-limit.ts";
import { type ApiEnv, createRouter } from "../../http/router.ts";
import { pathsUnder, type To } from "../../ui/site.ts";
import type { ChainChoice } from "../chain-choice.ts";
import { recordSchema } from "./record.ts";
import type { RecordPage, Registry } from "./registry.ts";
import {
  betweenQuery,
  contractCheckQuery,
  cursorOf,
  namedParties,
  tokenCheckQuery,
  walletQuery,
} from "./registry-fields.ts";

// The key is optional: it lifts the limit.
const security: Record<string, string[]>[] = [{}, { ApiKeyAuth: [] }];
const shared = { method: "get" as const, tags: ["registry"], security };
const errors = errorResponses("INVALID_REQUEST", "KEY_INVALID", "RATE_LIMITED", "UNAVAILABLE");

const answer = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  200: jsonAnswer(description, schema),
  ...errors,
});
/** The array is the whole body, as clients expect it, so the next page is in a Link header (RFC 8288). */
const page = () => {
  const { 200: found, ...refused } = answer("Oldest first", z.array(recordSchema));
  const description = 'The next page, as `<…>; rel="next"`; absent on the last one.';
  return {
    200: { ...found, headers: { Link: { description, schema: { type: "string" as const } } } },
    ...refused,
  };
};
const granted = z.boolean();
const amount = z.string().openapi({ pattern: "^[0-9]+$", example: "0" });

const checkAllRoute = createRoute({
  ...shared,
  path: "/check/all",
  operationId: "listDelegationsBetween",
  summary: "Delegations of any type from one wallet to another",
  request: { query: betweenQuery },
  responses: page(),
});

const checkContractRoute = createRoute({
  ...shared,
  path: "/check/contract",
  operationId: "checkDelegateForContract",
  summary: "Whether `to` may act for `from` on a contract",
  request: { query: contractCheckQuery },
  responses: answer("As checkDelegateForContract answers", granted),
});

const checkErc721Route = createRoute({
  ...shared,
  path: "/check/erc721",
  operationId: "checkDelegateForERC721",
  summary: "Whether `to` may act for `from` on a token",
  request: { query: tokenCheckQuery },
  responses: answer("As checkDelegateForERC721 answers", granted),
});

const checkErc20Route = createRoute({
  ...shared,
  path: "/check/erc20",
  operationId: "checkDelegateForERC20",
  summary: "How much of a coin of `from` `to` may act on",
  request: { query: contractCheckQuery },
  responses: answer("As checkDelegateForERC20 answers; 2^256-1 is everything, 0 nothing", amount),
});

const checkErc1155Route = createRoute({
  ...shared,
  path: "/check/erc1155",
  operationId: "checkDelegateForERC1155",
  summary: "How much of a token of `from` `to` may act on",
  request: { query: tokenCheckQuery },
  responses: answer("As checkDelegateForERC1155 answers; 2^256-1 is everything, 0 nothing", amount),
});

const walletRoute = createRoute({
  ...shared,
  path: "/{address}",
  operationId: "listDelegations",
  summary: "Delegations of a wallet",
  request: { params: z.object({ address: addressField }), query: walletQuery },
  responses: page(),
});

export interface RegistryRouteDeps {
  readonly registry: Registry;
  readonly registryChain: ChainChoice;
  readonly keys: KeyCheck;
  readonly limiter: RateLimiter;
  readonly clientAddress: (c: Context) => string;
  readonly baseUrl: string;
}

export function registryRoutes(deps: RegistryRouteDeps) {
  const { registry, registryChain, keys, limiter, clientAddress, baseUrl } = deps;
  const to = pathsUnder(baseUrl);
  const chainOf = (chainId: number | undefined): number => registryChain(chainId, "chainId");
  const router = createRouter();
  // spec.md "Authentication": any valid key lifts the limit, whatever its app may do.
  router.use(rateLimit(perCaller(keys, { anonymous: perClient(limiter, clientAddress) })));
  return router
    .openapi(checkAllRoute, async (c) => {
      const { chainId, cursor: after, ...query } = namedParties(c.req.valid("query"));
      const page = await registry.between({ ...query, after, chainId: chainOf(chainId) });
      return c.json(withNext(c, page, to), 200);
    })
    .openapi(checkContractRoute, async (c) => {
      const { chainId, ...query } = namedParties(c.req.valid("query"));
      const check = await registry.check({ ...query, scope: "CONTRACT", chainId: chainOf(chainId) });
      return c.json(check.granted, 200);
    })
    .openapi(checkErc721Route, async (c) => {
      const { chainId, ...query } = namedParties(c.req.valid("query"));
      const check = await registry.check({ ...query, scope: "ERC721", chainId: chainOf(chainId) });
      return c.json(check.granted, 200);
    })
    .openapi(checkErc20Route, async (c) => {
      const { chainId, ...query } = namedParties(c.req.valid("query"));
      const check = await registry.check({ ...query, scope: "ERC20", chainId: chainOf(chainId) });
      return c.json(check.amount, 200);
    })
    .openapi(checkErc1155Route, async (c) => {
      const { chainId, ...query } = namedParties(c.req.valid("query"));
      const check = await registry.check({ ...query, scope: "ERC1155", chainId: chainOf(chainId) });
      return c.json(check.amount, 200);
    })
    .openapi(walletRoute, async (c) => {
      const { address: wallet } = c.req.valid("param");
      const { chainId, cursor: after, ...query } = c.req.valid("query");
      const page = await registry.ofWallet({ ...query, after, wallet, chainId: chainOf(chainId) });
      return c.json(withNext(c, page, to), 200);
    });
}

function withNext(c: Context<ApiEnv>, { records: page, next }: RecordPage, to: To) {
  if (next) {
    const query = new URLSearchParams(c.req.query());
    query.delete(KEY_PARAMETER);
    query.set("cursor", cursorOf(next));
    c.header("Link", `<${to(c.req.path)}?${query}>; rel="next"`);
  }
  return [...page];
}
