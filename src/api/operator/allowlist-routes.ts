/** Operator routes for the host allowlist. */

import { createRoute, z } from "@hono/zod-openapi";
import { clip } from "../../domain/printable.ts";
import { collectionKey, parseAddress } from "../../domain/token-ref.ts";
import type { Collections } from "../catalog/collections.ts";
import { ApiError } from "../http/errors.ts";
import { collectionRefField, type NamedCollection } from "../http/fields.ts";
import { jsonAnswer, jsonBody } from "../http/json-content.ts";
import { createRouter, requireJson } from "../http/router.ts";
import type { Allowlist } from "../media/display/allowlist.ts";
import { hostPatternProblem, PORT_RULE, parseHostPattern } from "../media/module.ts";
import { OPERATOR, type OperatorActions } from "./actions.ts";
import { refuseCollection } from "./check-collections.ts";
import { bodyErrors, operatorErrors, operatorRoute } from "./route-docs.ts";

const entryBody = z
  .strictObject({
    pattern: z
      .string()
      .transform((text, context) => {
        const pattern = parseHostPattern(text);
        if (pattern) return pattern;
        context.addIssue({ code: "custom", message: `"${clip(text)}" ${hostPatternProblem(text)}` });
        return z.NEVER;
      })
      .openapi({
        type: "string",
        description: `host, host:port, or *.host for its subdomains. ${PORT_RULE}`,
        example: "cdn.example.com",
      }),
    collection: collectionRefField
      .nullable()
      .default(null)
      .openapi({ type: ["string", "null"], description: "Null for all collections." }),
  })
  .openapi("AllowedHostEntry");

const listed = z.object({
  hosts: z.array(
    z.object({
      pattern: z.string().openapi({ description: PORT_RULE }),
      collection: z.string().nullable(),
      added_by: z.string(),
      added_at: z.string(),
    }),
  ),
});

const body = jsonBody(entryBody);
const list = jsonAnswer("The current list", listed);

const listRoute = createRoute({
  ...operatorRoute,
  method: "get",
  path: "/allowlist",
  operationId: "listAllowedHosts",
  summary: "Hosts that video and animation_url may be shown from",
  responses: { 200: list, ...operatorErrors() },
});

const addRoute = createRoute({
  ...operatorRoute,
  method: "post",
  path: "/allowlist",
  operationId: "allowHost",
  summary: "Allow a host, for one collection or for all",
  middleware: [requireJson],
  request: { body },
  responses: {
    200: list,
    ...operatorErrors(...bodyErrors),
  },
});

const removeRoute = createRoute({
  ...operatorRoute,
  method: "delete",
  path: "/allowlist",
  operationId: "disallowHost",
  summary: "Remove a host from the list",
  middleware: [requireJson],
  request: { body },
  responses: {
    200: list,
    ...operatorErrors(...bodyErrors),
  },
});

export interface AllowlistRouteDeps {
  readonly collections: Pick<Collections, "findRef">;
  readonly allowlist: Allowlist;
  readonly actions: OperatorActions;
}

export function allowlistRoutes({ actions, allowlist, collections }: AllowlistRouteDeps) {
  const keyOf = async (named: NamedCollection | null): Promise<string | null> =>
    named && collectionKey(await collections.findRef(named, "collection"));
  return createRouter()
    .openapi(listRoute, async (c) => c.json({ hosts: await allowlist.list() }, 200))
    .openapi(
      addRoute,
      async (c) => {
        const { pattern, collection } = c.req.valid("json");
        await actions.allowHost(OPERATOR, pattern, await keyOf(collection));
        return c.json({ hosts: await allowlist.list() }, 200);
      },
      refuseCollection(collections),
    )
    .openapi(removeRoute, async (c) => {
      const { pattern, collection } = c.req.valid("json");
      // A collection that is no longer served may still be on the list.
      const key = collection && (wholeKey(collection) ?? (await keyOf(collection)));
      if (!(await actions.disallowHost(OPERATOR, pattern, key)))
        throw new ApiError("NOT_FOUND", [{ path: "pattern", message: `${pattern} is not on the list` }]);
      return c.json({ hosts: await allowlist.list() }, 200);
    });
}

/** Its key, if both chain and address are named. */
const wholeKey = ({ name, chainId }: NamedCollection): string | undefined =>
  chainId !== undefined && parseAddress(name) ? collectionKey({ chainId, address: name }) : undefined;
