import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { fillImageKeys, imageKey } from "../../../src/api/metadata/records/image-key-store.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createFakeResolve, emptyTables, found, recordOne, ref } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const URL_OF_HERO = "https://img.example/ä.png";
const keys = () =>
  database.query<{ tokenId: string; key: string | null }>(
    `select token_id as "tokenId", image_key as key from vitrine.token order by token_id`,
  );

it("a token's image key is the start of its URL's hash, and a job fills in those that are missing", async () => {
  await emptyTables(database);
  const metadata = createMetadata({ resolve: createFakeResolve(() => found({})).resolve, tables });
  await recordOne(metadata, database, ref("1"), "rest", found({ name: "Hero", image: URL_OF_HERO }));
  await recordOne(metadata, database, ref("2"), "rest", found({ name: "Hero" }));
  const written = await keys();

  await database.query("update vitrine.token set image_key = null");
  expect(await fillImageKeys.run(database)).toBe(2);

  expect(await keys()).toEqual(written);
  expect(written).toEqual([
    { tokenId: "1", key: imageKey(URL_OF_HERO) },
    { tokenId: "2", key: "0" },
  ]);
  const [hash] = await database.query<{ hash: string }>(
    "select encode(sha256(convert_to($1, 'UTF8')), 'hex') as hash",
    [URL_OF_HERO],
  );
  expect(hash?.hash).toBe(createHash("sha256").update(URL_OF_HERO).digest("hex"));
  expect(await fillImageKeys.run(database)).toBe(0);
});
