/** Token ids that a double can't hold: each is taken exactly, or refused under the number that was sent. */

import { beforeAll, describe, expect, it } from "vitest";
import { graphqlRoutes } from "../../../src/api/graphql/routes.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { createOwnEndpoint } from "./own-endpoint.ts";
import { createSdkWorld } from "./sdk-world.ts";

const test = await createTestDatabase();
const services = createTestApp(test);
const { endpoint } = await createOwnEndpoint(services);
const api = createTestApp(test, { graphql: graphqlRoutes(endpoint, services.rateLimits) });

const BELOW_2_53 = String(2n ** 53n - 1n);
const PAST_2_53 = String(2n ** 53n + 1n);
const MAX_ID = String(2n ** 256n - 1n);
const ids = [BELOW_2_53, String(2n ** 53n), PAST_2_53, MAX_ID];

beforeAll(async () => {
  await createSdkWorld(test, services.metadata);
  const place = { chainId: FAR_CHAIN_ID, collectionAddress: FAR_COLLECTION };
  await services.metadata.addKnownTokens(
    test.database,
    FAR_CHAIN_ID,
    FAR_COLLECTION,
    new Map(ids.map((id) => [id, 5])),
  );
  for (const id of ids) {
    const state = { standard: "erc1155", burned: false, lockCount: 0, supply: 1n };
    await test.insert("tokenState", { ...place, ...state, tokenId: BigInt(id) });
  }
});

const ask = async (body: object | string) => (await api.call("/graphql", { body })).body;
const withId = (id: string) =>
  `{ erc1155Token(tokenAddress: "${FAR_COLLECTION}", tokenId: ${id}) { tokenId } }`;
const byVariable = `query ($id: BigDecimal!) {
  erc1155Token(tokenAddress: "${FAR_COLLECTION}", tokenId: $id) { tokenId }
}`;

describe("a number in the document", () => {
  it.each(ids)("is taken exactly: %s", async (id) => {
    expect(await ask({ query: withId(id) })).toEqual({ data: { erc1155Token: { tokenId: id } } });
  });

  it("is taken exactly as the default of a variable", async () => {
    const query = byVariable.replace("BigDecimal!", `BigDecimal! = ${PAST_2_53}`);

    expect(await ask({ query })).toEqual({ data: { erc1155Token: { tokenId: PAST_2_53 } } });
  });

  it.each(["7", "7.0", "70e-1"])("is the same number in another notation: %s", async (id) => {
    expect(await ask({ query: withId(id) })).toEqual({ data: { erc1155Token: { tokenId: "7" } } });
  });

  it.each([String(2n ** 256n), "1.5", "7.0000000000000000001", "-9007199254740993"])(
    "that is no token id is refused under its own name: %s",
    async (id) => {
      const { errors } = await ask({ query: withId(id) });

      expect(errors).toHaveLength(1);
      expect(errors[0].message).toMatch(/is not a token id: a decimal number from 0 to 2\^256-1$/);
      expect(errors[0].message).toContain(id);
      expect(errors[0].extensions.code).toBe("INVALID_REQUEST");
    },
  );
});

describe("a number in the variables", () => {
  const send = (id: string) => ask(`{"query": ${JSON.stringify(byVariable)}, "variables": {"id": ${id}}}`);

  it.each(["7", "7.0", '"7"'])("below 2^53 is taken, as text is: %s", async (id) => {
    expect(await send(id)).toEqual({ data: { erc1155Token: { tokenId: "7" } } });
  });

  it("is taken up to 2^53 - 1", async () => {
    expect(await send(BELOW_2_53)).toEqual({ data: { erc1155Token: { tokenId: BELOW_2_53 } } });
  });

  it.each(ids)("is taken exactly as text: %s", async (id) => {
    expect(await send(`"${id}"`)).toEqual({ data: { erc1155Token: { tokenId: id } } });
  });

  it.each([
    ["9007199254740992", "9007199254740992"],
    ["9007199254740993", "9007199254740992"],
    ["-9007199254740993", "-9007199254740992"],
    ["1e300", "1e+300"],
    ["1e999", "a number too large to hold"],
  ])("from 2^53 up is refused, since JSON's readers round it: %s", async (id, read) => {
    const { data, errors } = await send(id);

    expect(data).toBeUndefined();
    expect(errors).toHaveLength(1);
    expect(errors[0].message).toContain(`it was read as ${read}; send it as a string`);
    expect(errors[0].message).toContain("$id");
    expect(errors[0].extensions.code).toBe("INVALID_REQUEST");
  });
});
