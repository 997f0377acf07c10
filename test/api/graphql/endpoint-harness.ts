/** An endpoint over Ponder's real middleware with a small schema of ours, and a client that parses its answers. */

import type { GraphqlResult } from "../../../src/api/graphql/errors.ts";
import {
  createGraphqlEndpoint,
  type EndpointDependencies,
} from "../../../src/api/graphql/gateway/endpoint.ts";
import type { PonderEndpoint } from "./ponder-endpoint.ts";

export interface Caller {
  readonly name: string;
}

/** An error that callers may see. */
export class KnownError extends Error {}

export const ownSdl = `
  extend type Query {
    "Who is asking."
    viewer: String
    item(id: Int!): Item
    pair: [Either!]!
    total(from: Int = 3): Int
    broken(with: String): String
    required: String!
    wrong: Either
  }
  type Item { id: Int!, label: String! }
  type Note { text: String! }
  union Either = Item | Note
  type Mutation { touch(id: Int!): Boolean! }
  extend schema { mutation: Mutation }
`;

export const rootValue = {
  Query: {
    viewer: (_args: object, caller: Caller) => caller.name,
    item: ({ id }: { id: number }) => ({ id, label: () => `item ${id}` }),
    pair: async () => [
      { __typename: "Item", id: 1, label: "one" },
      { __typename: "Note", text: "two" },
    ],
    total: ({ from }: { from: number }) => from + 1,
    broken: ({ with: text }: { with?: string }) => {
      throw text === undefined ? new Error("password is hunter2") : new KnownError(text);
    },
    required: (): string => {
      throw new KnownError("nothing here");
    },
    wrong: () => ({ no: "typename" }),
  },
  Mutation: { touch: async ({ id }: { id: number }, _caller: Caller) => id > 0 },
};

export interface Call {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Record<string, unknown> | null;
}

export interface Harness {
  /** Sends one request and returns the parsed answer, after checking that its status is 200. */
  ask(call: Call | string): Promise<GraphqlResult>;
  /** The same, as the response text. */
  askForText(call: Call | string): Promise<string>;
  readonly endpoint: Awaited<ReturnType<typeof createGraphqlEndpoint<Caller>>>;
  readonly reported: unknown[];
}

export async function createHarness(
  ponder: Pick<PonderEndpoint, "handle">,
  overrides: Partial<EndpointDependencies<Caller>> = {},
): Promise<Harness> {
  const reported: unknown[] = [];
  const endpoint = await createGraphqlEndpoint<Caller>({
    ponder: ponder.handle,
    ownSdl,
    rootValue,
    redactError: (error) =>
      error instanceof KnownError
        ? { message: error.message, code: "TOKEN_NOT_FOUND" }
        : { message: "Internal server error", code: "INTERNAL" },
    onError: (error) => reported.push(error),
    ...overrides,
  });

  const askForText = async (call: Call | string): Promise<string> => {
    const body = typeof call === "string" ? { query: call } : call;
    const answer = await endpoint.handle({ body, text: JSON.stringify(body), context: { name: "Ann" } });
    if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.json}`);
    return answer.json;
  };

  return {
    endpoint,
    reported,
    askForText,
    ask: async (call) => JSON.parse(await askForText(call)) as GraphqlResult,
  };
}
