/** Real hosts' bodies that are not documents: a failure with a reason, and never metadata. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { bodies, readFixture } from "./fixtures.ts";
import { type ResolveHarness, startResolveHarness } from "./resolve-harness.ts";

let harness: ResolveHarness;
beforeAll(async () => {
  harness = await startResolveHarness();
});
afterAll(() => harness.close());

it.each(bodies)("$file of type $contentType fails as its index says", async (row) => {
  harness.answers[0] = (response) =>
    response.writeHead(200, { "content-type": row.contentType }).end(readFixture(`bodies/${row.file}`));

  for (const uri of [harness.urlOf(0), "ipfs/QmXoypizjW3WknFiJnKLwHCnL72vedxjQkDDP1mXWo6uco"]) {
    expect(await harness.resolveUri(uri)).toMatchObject({
      kind: "failed",
      reason: row.expect.failure,
      transient: false,
    });
  }
});
