/** Search, facets, collections and reports over GraphQL: the REST answers with camelCase keys. */

import { z } from "@hono/zod-openapi";
import type { TokenRef } from "../../../domain/token-ref.ts";
import type { Collections } from "../../catalog/collections.ts";
import {
  type CatalogModule,
  refsOf,
  soughtSchema,
  viewCollections,
  viewCompleted,
  viewFound,
  viewTokenReport,
} from "../../catalog/module.ts";
import { groups, ownersSchema, sortSchema, toFilter, traitNameSchema } from "../../catalog/rules.ts";
import type { Search } from "../../search/service.ts";
import type { Caller } from "../routes.ts";
import {
  chainIdArgument,
  collectionArguments,
  conditionArguments,
  intArgument,
  limitArgument,
  readArguments,
  textArgument,
  tokenArguments,
} from "./arguments.ts";
import { camelKeys } from "./camel-keys.ts";

const traitsArguments = z.object({
  ...collectionArguments,
  ...conditionArguments,
  text: textArgument,
  owners: ownersSchema.nullish(),
  includeDelegated: z.boolean().nullish(),
  locked: z.boolean().nullish(),
});
const searchArguments = traitsArguments.extend({
  sort: sortSchema,
  group: z.enum(groups).nullish(),
  limit: limitArgument,
  cursor: z.string().nullish(),
});
const valuesArguments = z.object({
  ...collectionArguments,
  name: traitNameSchema,
  prefix: textArgument,
  limit: limitArgument,
});
const acrossArguments = z.object({
  text: soughtSchema,
  chainId: chainIdArgument,
  limit: limitArgument,
});
const readFilter = (conditions: Parameters<typeof toFilter>[0]) =>
  toFilter(conditions, { owner: "owner or owners", includeDelegated: "includeDelegated" });
const chainOnly = z.object({ chainId: chainIdArgument });
const collectionOnly = z.object(collectionArguments);
const reportArguments = tokenArguments.extend({ limit: limitArgument, before: intArgument(1).nullish() });

export interface SearchFieldDeps extends CatalogModule {
  readonly collections: Collections;
  readonly search: Pick<Search, "facets" | "completeValues">;
}

export function createSearchFields(deps: SearchFieldDeps) {
  const { across, catalog, collections, reports, search } = deps;
  return {
    async searchTokens(args: z.input<typeof searchArguments>, caller: Caller) {
      const { tokenAddress, chainId, sort, group, limit, cursor, ...conditions } = readArguments(
        searchArguments,
        args,
      );
      const collection = await collections.findNamed(tokenAddress, chainId);
      const query = {
        filter: readFilter(conditions),
        sort,
        group: group ?? undefined,
        limit,
        cursor: cursor ?? undefined,
      };
      const page = await catalog.findPage(collection, query);
      const { tokenIds } = page;
      let fitting: Promise<typeof page> | undefined;
      /** The page with as many tokens as fit beside those of the request's other fields. */
      async function cut(): Promise<typeof page> {
        const count = await catalog.fitList(caller, refsOf(collection, tokenIds));
        return count === tokenIds.length ? page : catalog.findPage(collection, { ...query, limit: count });
      }
      // Each computed only if it is selected.
      return {
        async items() {
          fitting ??= cut();
          return (await catalog.listPage(collection, await fitting)).map(camelKeys);
        },
        async nextCursor() {
          fitting ??= cut();
          return (await fitting).nextCursor;
        },
        total: page.total,
      };
    },

    async traits(args: z.input<typeof traitsArguments>) {
      const { tokenAddress, chainId, ...conditions } = readArguments(traitsArguments, args);
      return camelKeys(
        await search.facets(await collections.findNamed(tokenAddress, chainId), readFilter(conditions)),
      );
    },

    async traitValues(args: z.input<typeof valuesArguments>) {
      const { tokenAddress, chainId, name, prefix, limit } = readArguments(valuesArguments, args);
      const collection = await collections.findNamed(tokenAddress, chainId);
      const asked = { name, prefix: prefix ?? "", limit };
      return camelKeys(viewCompleted(name, await search.completeValues(collection, asked)));
    },

    async searchAll(args: z.input<typeof acrossArguments>, caller: Caller) {
      const { text, ...query } = readArguments(acrossArguments, args);
      const countReadable = (tokens: readonly TokenRef[]) => catalog.fitList(caller, tokens);
      return camelKeys(viewFound(await across.find(text, { ...query, countReadable })));
    },

    async collections(args: z.input<typeof chainOnly>) {
      const { chainId } = readArguments(chainOnly, args);
      return camelKeys(await viewCollections(deps, await collections.among(undefined, chainId)));
    },

    async collection(args: z.input<typeof collectionOnly>) {
      const { tokenAddress, chainId } = readArguments(collectionOnly, args);
      const [view] = await viewCollections(deps, [await collections.findNamed(tokenAddress, chainId)]);
      return camelKeys(view);
    },

    async tokenReport(args: z.input<typeof reportArguments>, caller: Caller) {
      const { tokenAddress, tokenId, chainId, limit, before } = readArguments(reportArguments, args);
      const collection = await collections.findNamed(tokenAddress, chainId);
      await catalog.requireFit(caller, refsOf(collection, [tokenId]));
      const report = await reports.ofToken(collection, tokenId, { limit, before: before ?? undefined });
      if (!report) return null;
      const view = camelKeys(viewTokenReport(report)) as object;
      return { ...view, next: report.next ?? null };
    },
  };
}
