/** A collection's slug stands wherever its address may: in every path, GraphQL field and page. */

import {
  type GraphQLArgument,
  type GraphQLField,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { beforeAll, describe, expect, it } from "vitest";
import { graphqlRoutes } from "../../../src/api/graphql/routes.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "../graphql/own-endpoint.ts";
import { ALICE, createSdkWorld } from "../graphql/sdk-world.ts";

const test = await createTestDatabase();
const inner = createTestApp(test);
const { endpoint } = await createOwnEndpoint(inner);
const api = createTestApp(test, { graphql: graphqlRoutes(endpoint, inner.rateLimits) });
const key = await api.createKey();

/** Of collections.json, and of a collection's maker. */
const HEROES = "heroes";
const POTIONS = "elixirs_of-2020";
const UUID = "00000000-0000-4000-8000-000000000000";

const submit = (slug: string | null, address: string, chainId: number) =>
  api.call(`/market-partner/collections/${address}/information?chain_id=${chainId}`, {
    method: "PUT",
    key,
    body: { name: "Any", slug },
  });

beforeAll(async () => {
  await emptyTables(test.database);
  await createSdkWorld(test, inner.metadata);
  expect((await submit(POTIONS, FAR_COLLECTION, FAR_CHAIN_ID)).status).toBe(200);
});

interface Operation {
  readonly method: string;
  readonly path: string;
}
const { body: openapi } = await api.call("/openapi.json");
const operations: Operation[] = Object.entries(openapi.paths as Record<string, object>)
  .filter(([path]) => path.includes("{collection_address}"))
  .flatMap(([path, item]) =>
    ["get", "put", "post", "patch", "delete"].flatMap((method) => (method in item ? [{ method, path }] : [])),
  );
const bodies: Readonly<Record<string, unknown>> = {
  information: { name: "Any", slug: POTIONS },
  refresh_metadata: { token_ids: ["7"] },
  batch: { token_ids: ["7"] },
  refresh_collection: {},
};

async function call({ method, path }: Operation, name: string) {
  const filled = path
    .replace("{collection_address}", name)
    .replace("{token_id}", "7")
    .replace("{refresh_id}", UUID);
  const body = method === "get" || method === "delete" ? undefined : bodies[path.split("/").at(-1) ?? ""];
  const answer = await api.call(filled, {
    method: method.toUpperCase(),
    key,
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, code: answer.body?.code as string | undefined };
}

describe("in the path of every REST route", () => {
  it("there are routes to try", () => expect(operations.length).toBeGreaterThan(14));

  it.each(operations)("$method $path", async (operation) => {
    const byAddress = await call(operation, FAR_COLLECTION);
    const bySlug = await call(operation, POTIONS);
    const byConfigured = await call(operation, HEROES);

    // A second whole-collection refresh is refused while the first one runs.
    if (!operation.path.endsWith("/refresh_collection")) expect(bySlug).toEqual(byAddress);
    for (const { status, code } of [bySlug, byConfigured]) {
      expect(status).toBeLessThan(500);
      expect(code).not.toBe("COLLECTION_NOT_FOUND");
    }
    expect(bySlug.code).not.toBe("INVALID_REQUEST");
    expect(await call(operation, "nobodys")).toEqual({ status: 404, code: "COLLECTION_NOT_FOUND" });
    for (const wrong of ["No-slug", "0x12"])
      expect(await call(operation, wrong)).toEqual({ status: 400, code: "INVALID_REQUEST" });
  });

  it("is documented", () => {
    for (const { path, method } of operations) {
      const { parameters } = openapi.paths[path][method];
      const name = parameters.find((each: { name: string }) => each.name === "collection_address");
      expect(name.description ?? name.schema.description).toContain("slug");
      expect(name.schema.pattern).toBeUndefined();
    }
  });
});

it("answers are those of the address", async () => {
  for (const rest of ["", "/tokens", "/tokens/7", "/owners", "/traits"]) {
    const bySlug = await api.call(`/market/collections/${POTIONS}${rest}`, { key });
    const byAddress = await api.call(`/market/collections/${FAR_COLLECTION}${rest}`, { key });
    expect([bySlug.status, bySlug.body]).toEqual([200, byAddress.body]);
  }
  const { body } = await api.call(`/market/wallets/${ALICE}/tokens?collection_address=${POTIONS}`, { key });
  const other = await api.call(`/market/wallets/${ALICE}/tokens?collection_address=${FAR_COLLECTION}`, {
    key,
  });
  expect(body).toEqual(other.body);
});

const sample: Readonly<Record<string, string>> = {
  tokenId: '"7"',
  tokenIds: '["7"]',
  tokenAddresses: "[]",
  address: `"${ALICE}"`,
  from: "0",
  size: "1",
  name: '"Class"',
};
const argumentText = ({ name, type }: GraphQLArgument, slug: string): string[] => {
  if (name === "tokenAddress") return [`tokenAddress: "${slug}"`];
  return isNonNullType(type) ? [`${name}: ${sample[name]}`] : [];
};
type Field = GraphQLField<unknown, unknown>;
const fieldsOf = (kind: "query" | "mutation"): [string, Field][] => {
  const type = kind === "query" ? endpoint.schema.getQueryType() : endpoint.schema.getMutationType();
  const fields = Object.values(type?.getFields() ?? {});
  return fields
    .filter(({ args }) => args.some(({ name }) => name === "tokenAddress"))
    .map((field) => [`${kind} ${field.name}`, field]);
};

describe("in every GraphQL field with a tokenAddress:", () => {
  it.each([...fieldsOf("query"), ...fieldsOf("mutation")])("%s", async (title, field) => {
    const ask = async (name: string) => {
      const args = field.args.flatMap((each) => argumentText(each, name)).join(", ");
      const type = "ofType" in field.type ? field.type.ofType : field.type;
      const set = isObjectType(type) || isInputObjectType(type) ? " { __typename }" : "";
      const { body } = await api.call("/graphql", {
        body: { query: `${title.split(" ")[0]} { it: ${field.name}(${args})${set} }` },
      });
      return body as { errors?: { extensions: { code: string } }[] };
    };

    const codes = async (name: string) => (await ask(name)).errors?.map(({ extensions }) => extensions.code);
    // A token that was just read is refused, and a collection of the other standard holds nothing.
    const fine = [undefined, ["TOKEN_NOT_FOUND"], ["INVALID_REQUEST"]];
    expect(await codes("nobodys")).toEqual(["COLLECTION_NOT_FOUND"]);
    expect(await codes(POTIONS)).toEqual(await codes(FAR_COLLECTION));
    expect(fine).toContainEqual(await codes(POTIONS));
  });

  it("answers are those of the address, also for lists of addresses", async () => {
    const { body } = await api.call("/graphql", {
      body: {
        query: `{ collection(tokenAddress: "${POTIONS}") { chainId collectionAddress }
          tokens(owner: "${ALICE}", from: 0, size: 5, tokenAddresses: ["${POTIONS}", "${FAR_COLLECTION}"]) { total } }`,
      },
    });
    expect(body.data).toEqual({
      collection: { chainId: FAR_CHAIN_ID, collectionAddress: FAR_COLLECTION },
      tokens: { total: 1 },
    });
  });
});

describe("in the path of every page", () => {
  const page = async (path: string) => (await api.call(path, { headers: { accept: "text/html" } })).status;

  it.each(["", "/7"])("/collections/{chain_id}/{slug}%s", async (rest) => {
    expect(await page(`/collections/${FAR_CHAIN_ID}/${POTIONS}${rest}`)).toBe(200);
    expect(await page(`/collections/${CHAIN_ID}/${POTIONS}${rest}`)).toBe(404);
    expect(await page(`/collections/${CHAIN_ID}/nobodys${rest}`)).toBe(404);
    expect(await page(`/collections/7777/${HEROES}${rest}`)).toBe(404);
  });

  it("/collections/{chain_id}/{slug} of collections.json", async () => {
    expect(await page(`/collections/${CHAIN_ID}/${HEROES}`)).toBe(200);
  });
});

describe("a slug that collections of two chains use", () => {
  const path = `/market/collections/${HEROES}`;

  it("is that of the named chain, and without one an error that names both", async () => {
    // The operator added his own collection's slug after a maker had chosen it.
    await test.database.query(
      `insert into vitrine.collection_information (chain_id, collection, body, slug, updated_by)
       values ($1, $2, '{"name":"Far","slug":"heroes","trait_groups":[]}', 'heroes', 'tests')`,
      [FAR_CHAIN_ID, COLLECTION],
    );

    for (const chainId of [CHAIN_ID, FAR_CHAIN_ID]) {
      const { status, body } = await api.call(`${path}?chain_id=${chainId}`, { key });
      expect([status, body.chain_id, body.collection_address]).toEqual([200, chainId, COLLECTION]);
    }
    const { status, body } = await api.call(path, { key });
    expect([status, body.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(body.details[0].path).toBe("chain_id");
    expect(body.details[0].message).toMatch(new RegExp(`${FAR_CHAIN_ID}`));
    expect(body.details[0].message).toMatch(new RegExp(`${CHAIN_ID}`));
  });

  it("an unserved chain is an error of the chain", async () => {
    const { body } = await api.call(`${path}?chain_id=9`, { key });
    expect([body.code, body.details[0].path]).toEqual(["INVALID_REQUEST", "chain_id"]);
  });
});
