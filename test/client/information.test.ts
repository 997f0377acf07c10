/** The client's methods for a collection's information against the service's own routes, over HTTP. */

import { describe, expect, it } from "vitest";
import { CHAIN_ID, COLLECTION } from "../support/refresh/refresh.ts";
import { clientOfOwnService } from "./own-service.ts";
import { hangUp, json, startScriptedService } from "./scripted-service.ts";

const vitrine = await clientOfOwnService();

const call = { chainId: CHAIN_ID };

it("reads and replaces the information of a collection", async () => {
  expect(await vitrine.information(COLLECTION, call)).toMatchObject({
    collection_address: COLLECTION,
    information: null,
    etag: expect.stringMatching(/^W\/".+"$/),
  });

  await vitrine.replaceInformation(COLLECTION, { name: "Heroes", description: "Of old" }, call);
  await vitrine.replaceInformation(COLLECTION, { name: "Heroes", slug: "heroes" }, call);

  const { information } = await vitrine.information("heroes");
  expect(information).toMatchObject({ name: "Heroes", slug: "heroes", description: null });
});

it("replaces only the state that ifMatch names", async () => {
  const seen = await vitrine.information(COLLECTION, call);
  const { etag: ifMatch } = seen;
  await vitrine.replaceInformation(COLLECTION, { ...seen.information, name: "First" }, { ...call, ifMatch });

  const late = vitrine.replaceInformation(COLLECTION, { name: "Second" }, { ...call, ifMatch });
  await expect(late).rejects.toMatchObject({ status: 412, code: "PRECONDITION_FAILED" });
  expect((await vitrine.information(COLLECTION, call)).information?.name).toBe("First");
});

describe("a replacement whose answer is lost", () => {
  const answered = json(200, { information: null, notices: [] });

  it("is sent again", async () => {
    const service = await startScriptedService(hangUp, answered);
    await service.client().replaceInformation(COLLECTION, { name: "Heroes" });
    expect(service.requests).toHaveLength(2);
    service.close();
  });

  it("is not sent again with ifMatch, which would refuse its own change", async () => {
    const service = await startScriptedService(hangUp, answered);
    const replaced = service
      .client()
      .replaceInformation(COLLECTION, { name: "Heroes" }, { ifMatch: 'W/"a"' });
    await expect(replaced).rejects.toMatchObject({ code: "NETWORK" });
    expect(service.requests).toHaveLength(1);
    expect(service.headers[0]?.["if-match"]).toBe('W/"a"');
    service.close();
  });
});
