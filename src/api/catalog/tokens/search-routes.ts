/** Routes to search a collection's tokens and to read their trait distribution. */

import { createRoute, z } from "@hono/zod-openapi";
import { errorResponses } from "../../http/error-responses.ts";
import { withoutSizesOfWrongKinds } from "../../http/errors.ts";
import { booleanField, chainIdField, collectionNameField, limitField } from "../../http/fields.ts";
import { jsonAnswer } from "../../http/json-content.ts";
import { createRouter } from "../../http/router.ts";
import { CURSOR_LENGTH_MAX } from "../../search/rules.ts";
import type { Search } from "../../search/service.ts";
import type { Collections } from "../collections.ts";
import type { Catalog } from "../service.ts";
import { completedSchema, facetsSchema, viewCompleted, viewFacets } from "./facets-view.ts";
import {
  criteriaSchema,
  ownersParameter,
  type ReadConditions,
  rangeCriteriaSchema,
  TEXT_CHARACTERS_MAX,
  textSchema,
  toFilter,
  traitNameSchema,
} from "./token-filter.ts";
import { defaultSort, groups, sortSchema } from "./token-sort.ts";
import { listedSchema } from "./token-view.ts";

/** A parameter with a JSON value; an error inside it is reported by its path, such as `criteria[0].values`. */
const jsonParameter = <Output>(schema: z.ZodType<Output>) =>
  z.string().transform((text, context): Output => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      // The message quotes one UTF-16 unit of the text, which may be half of a character.
      const reason = (error as Error).message.toWellFormed();
      context.addIssue({ code: "custom", message: `must be JSON: ${reason}` });
      return z.NEVER;
    }
    const read = schema.safeParse(value);
    if (read.success) return read.data;
    for (const { path, message } of withoutSizesOfWrongKinds(read.error.issues))
      context.addIssue({ code: "custom", path: [...path], message });
    return z.NEVER;
  });

const conditions = {
  chain_id: chainIdField,
  criteria: jsonParameter(criteriaSchema).optional().openapi({
    type: "string",
    example: '[{"name":"Class","values":["Mage","Rogue"]}]',
    description:
      "JSON. A token matches a criterion if it has one of its values, and must match all criteria. Values are compared as JSON text, strings as they are.",
  }),
  range_criteria: jsonParameter(rangeCriteriaSchema).optional().openapi({
    type: "string",
    example: '[{"name":"Level","range":{"from":"10","to":"20"}}]',
    description:
      "JSON. For number and date traits (in Unix seconds). Both ends are included; one may be left out.",
  }),
  q: textSchema.optional().openapi({
    maxLength: TEXT_CHARACTERS_MAX,
    description: "Searches names, descriptions and trait values, ignoring case.",
  }),
  owner: ownersParameter.optional().openapi({
    type: "string",
    pattern: "^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40})*$",
    description:
      "Wallets, any of which holds the token: up to 20, separated by commas or in repeated parameters.",
  }),
  include_delegated: booleanField.openapi({
    description:
      "With `owner`: also tokens that their holders delegated to it without limits on rights, in the delegate registries that are indexed here. Trade checks accept the wallet for the same tokens.",
  }),
  locked: booleanField,
};

const shared = { tags: ["market"], security: [{ ApiKeyAuth: [] }] };
const refusals = errorResponses(
  "INVALID_REQUEST",
  "KEY_MISSING",
  "KEY_INVALID",
  "NOT_ALLOWED",
  "COLLECTION_NOT_FOUND",
);
const params = z.object({ collection_address: collectionNameField });

const pageSchema = z
  .object({
    items: z.array(listedSchema).openapi({
      description:
        "A page may have fewer tokens than the limit: tokens that were just burned are left out, and documents of more than 8 MiB together come on several pages.",
    }),
    next_cursor: z.string().nullable().openapi({ description: "Null after the last page." }),
    total: z.number().openapi({
      description: "The number of matching tokens on all pages; with `group`, of their documents.",
    }),
  })
  .openapi("TokenPage");

const searchRoute = createRoute({
  ...shared,
  method: "get",
  path: "/collections/{collection_address}/tokens",
  operationId: "searchTokens",
  summary: "Tokens by traits, text, owner and lock state, sorted and paginated",
  description:
    "A page starts where the previous one ended, even if tokens were added or changed in between: no unchanged token is repeated or left out. Burned tokens are not listed.",
  request: {
    params,
    query: z.object({
      ...conditions,
      sort: sortSchema.optional(),
      group: z.enum(groups).optional().openapi({
        description:
          "`document`: of the matching tokens that serve the same document, byte for byte, only the first in the order, with their `count`. A token without a document is listed by itself.",
      }),
      limit: limitField,
      cursor: z
        .string()
        .max(CURSOR_LENGTH_MAX, { error: "must be the next_cursor of an earlier answer" })
        .optional(),
    }),
  },
  responses: {
    200: jsonAnswer("A page of tokens", pageSchema),
    ...refusals,
  },
});

const traitsRoute = createRoute({
  ...shared,
  method: "get",
  path: "/collections/{collection_address}/traits",
  operationId: "getTraits",
  summary: "The trait distribution of all tokens, or of those that match",
  request: { params, query: z.object(conditions) },
  responses: {
    200: jsonAnswer("The distribution", facetsSchema),
    ...refusals,
  },
});

const valuesRoute = createRoute({
  ...shared,
  method: "get",
  path: "/collections/{collection_address}/traits/{trait}/values",
  operationId: "getTraitValues",
  summary: "The values of a trait that begin with a text",
  description:
    "To complete what someone types, also where a trait has more values than the distribution lists. Values of listed tokens, most frequent first. A trait that no token has has no values.",
  request: {
    params: params.extend({
      trait: traitNameSchema.openapi({ description: "The name of the trait, as in `trait_type`." }),
    }),
    query: z.object({
      chain_id: chainIdField,
      prefix: textSchema.default("").openapi({
        maxLength: TEXT_CHARACTERS_MAX,
        description: "Compared with the value, or its JSON text, ignoring case. All values without it.",
      }),
      limit: limitField,
    }),
  },
  responses: {
    200: jsonAnswer("The values", completedSchema),
    ...refusals,
  },
});

export interface SearchRouteDeps {
  readonly collections: Pick<Collections, "findNamed">;
  readonly catalog: Pick<Catalog, "findPage" | "listPage">;
  readonly search: Pick<Search, "facets" | "completeValues">;
}

export function searchRoutes({ collections, catalog, search }: SearchRouteDeps) {
  return createRouter()
    .openapi(searchRoute, async (c) => {
      const { chain_id, sort = defaultSort, group, limit, cursor, ...asked } = c.req.valid("query");
      const collection = await collections.findNamed(c.req.valid("param").collection_address, chain_id);
      const page = await catalog.findPage(collection, {
        filter: readFilter(asked),
        sort,
        group,
        limit,
        cursor,
      });
      const items = await catalog.listPage(collection, page);
      return c.json({ items, next_cursor: page.nextCursor, total: page.total }, 200);
    })
    .openapi(traitsRoute, async (c) => {
      const { chain_id, ...asked } = c.req.valid("query");
      const collection = await collections.findNamed(c.req.valid("param").collection_address, chain_id);
      return c.json(viewFacets(await search.facets(collection, readFilter(asked))), 200);
    })
    .openapi(valuesRoute, async (c) => {
      const { collection_address, trait: name } = c.req.valid("param");
      const { chain_id, ...asked } = c.req.valid("query");
      const collection = await collections.findNamed(collection_address, chain_id);
      return c.json(viewCompleted(name, await search.completeValues(collection, { name, ...asked })), 200);
    });
}

const isTrue = (text: "true" | "false" | undefined): boolean | undefined =>
  text === undefined ? undefined : text === "true";

const readFilter = ({
  criteria,
  range_criteria,
  q,
  owner,
  include_delegated,
  locked,
}: Pick<ReadConditions, "criteria"> & {
  readonly range_criteria?: ReadConditions["rangeCriteria"];
  readonly q?: string | undefined;
  readonly owner?: readonly string[] | undefined;
  readonly include_delegated?: "true" | "false" | undefined;
  readonly locked?: "true" | "false" | undefined;
}) =>
  toFilter({
    criteria,
    rangeCriteria: range_criteria,
    text: q,
    owners: owner,
    includeDelegated: isTrue(include_delegated),
    locked: isTrue(locked),
  });
