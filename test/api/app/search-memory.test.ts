/** The least SEARCH_MEMORY_MB is a limit on search indexes, not on the threads that hold them. */

import { expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { createTraitsHarness, text } from "../metadata/traits-harness.ts";

const test = await createTestDatabase();
const { record } = createTraitsHarness(test);

it("of 1 MB, searches, facets and tokens are answered", async () => {
  await emptyTables(test.database);
  for (let id = 1; id <= 20; id++) await record(String(id), [text("Class", id % 2 ? "Mage" : "Bard")]);
  const api = createTestApp(test, { connectionString: test.url, config: { searchMemoryMb: 1 } });
  const key = await api.createKey();
  const criteria = encodeURIComponent(JSON.stringify([{ name: "Class", values: ["Mage"] }]));

  for (let nth = 0; nth < 5; nth++) {
    const at = `/market/collections/${COLLECTION}`;
    expect(await api.call(`${at}/tokens?criteria=${criteria}`, { key })).toMatchObject({
      status: 200,
      body: { total: 10 },
    });
    expect((await api.call(`${at}/traits`, { key })).status).toBe(200);
    expect((await api.call(`${at}/tokens/${nth + 1}`, { key })).status).toBe(200);
  }
});
