import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHarness, type Harness, rootValue } from "./endpoint-harness.ts";
import { createPonderEndpoint, type PonderEndpoint } from "./ponder-endpoint.ts";

let ponder: PonderEndpoint;
let harness: Harness;

beforeAll(async () => {
  ponder = await createPonderEndpoint();
  harness = await createHarness(ponder);
});

afterAll(() => ponder.close());

describe("the endpoint", () => {
  it("answers the standard introspection query with Ponder's types and ours", async () => {
    const { data } = await harness.ask(getIntrospectionQuery());

    const schema = buildClientSchema(data as unknown as IntrospectionQuery);
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(
      expect.arrayContaining(["tokens", "viewer"]),
    );
    expect(Object.keys(schema.getMutationType()?.getFields() ?? {})).toEqual(["touch"]);
  });

  it("does not start with a field that has no resolver, nor with a resolver that has no field", async () => {
    const { viewer: _viewer, ...others } = rootValue.Query;

    await expect(createHarness(ponder, { rootValue: { ...rootValue, Query: others } })).rejects.toThrow(
      "Query has no resolver for viewer",
    );
    await expect(
      createHarness(ponder, {
        rootValue: { ...rootValue, Mutation: { ...rootValue.Mutation, drop: () => true } },
      }),
    ).rejects.toThrow("Mutation has no field for the resolvers drop");
  });

  it("leaves no rejection unhandled when items of a list fail at once and later", async () => {
    const late = { label: () => new Promise((_, reject) => setTimeout(reject, 5, new Error("late"))) };
    const now = {
      label: () => {
        throw new Error("now");
      },
    };
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", listen);
    const lists = await createHarness(ponder, {
      ownSdl: "extend type Query { objects: [Row!]! values: [String!]! } type Row { label: String! }",
      rootValue: {
        Query: {
          objects: () => [late, now, late],
          values: () => [null, Promise.reject(new Error("soon")), late.label()],
        },
        Mutation: {},
      },
    });

    const answer = await lists.ask("{ objects { label } values }");
    await new Promise((resolve) => setTimeout(resolve, 30));

    process.off("unhandledRejection", listen);
    expect(answer.data).toBeNull();
    expect(unhandled).toEqual([]);
  });
});
