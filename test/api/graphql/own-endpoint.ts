/** Our half of the endpoint over a test app, and a client that parses its answers. */

import { buildSchema, graphql } from "graphql";
import { createGraphqlEndpoint } from "../../../src/api/graphql/gateway/endpoint.ts";
import { ownSdl } from "../../../src/api/graphql/own/own.graphql.ts";
import { createResolvers } from "../../../src/api/graphql/own/resolvers.ts";
import { type Caller, redactError } from "../../../src/api/graphql/routes.ts";
import type { createTestApp } from "../../support/processes/app.ts";

/** An app that may refresh over REST. */
export const PARTNER: Caller = { requestId: "0c5ab1de-6f0e-4d7e-8f4c-7f8f3a3f1c22", client: undefined };
const ANYBODY: Caller = { requestId: "7f3e0b52-33a8-4b0e-9d6f-0a4f6f1f1c11", client: "127.0.0.1" };

// Ponder's half is tested elsewhere; here it has no tables.
const base = buildSchema("scalar JSON type Query { _meta: JSON }");

export async function createOwnEndpoint({
  catalogModule,
  collections,
  search,
  refresh,
}: Pick<ReturnType<typeof createTestApp>, "catalogModule" | "collections" | "search" | "refresh">) {
  const endpoint = await createGraphqlEndpoint<Caller>({
    ponder: async (request) => {
      const { query: source } = (await request.json()) as { query: string };
      return Response.json(await graphql({ schema: base, source }));
    },
    ownSdl,
    rootValue: createResolvers({ ...catalogModule, collections, search, refresh }),
    collectionCount: collections.all.length,
    redactError,
    onError: (error) => {
      throw error;
    },
  });
  const answer = async (body: object, caller = ANYBODY): Promise<string> =>
    (await endpoint.handle({ body, text: JSON.stringify(body), context: { ...caller } })).json;
  return {
    endpoint,
    answer,
    async ask(query: string, variables: Record<string, unknown> = {}, caller?: Caller) {
      const { data, errors } = JSON.parse(await answer({ query, variables }, caller));
      return { data, error: errors?.[0] };
    },
  };
}
