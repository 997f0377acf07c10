/** Collections whose trait values take more memory than a search thread has. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { ALL, collection } from "./search-harness.ts";

const test = await createTestDatabase();
const { database, tables, url } = test;
const TOKENS = 40;
const VALUES_EACH = 300;
const BYTES_PER_MB = 1_000_000;
const lost: unknown[] = [];
const logger = {
  ...silentLogger,
  warn: (entry: { readonly msg: string }) => {
    if (entry.msg.startsWith("Lost a search thread")) lost.push(entry);
  },
};
const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((search) => search.close())));

function start(memoryMb: number, heapMb: number) {
  const search = createSearch({
    ...{ database, tables, logger },
    memoryMax: memoryMb * BYTES_PER_MB,
    threads: { connectionString: url, count: 1, heapMb },
  });
  open.push(search);
  return search;
}

beforeAll(async () => {
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
  await database.query(
    `with type as (
       insert into vitrine.trait_type (chain_id, collection, key, trait_type, display_type) values ($1, $2, '=Lore', 'Lore', 'string')
       returning id),
     value as (
       insert into vitrine.trait_value (trait_type_id, display_type, key, value_text)
       select type.id, 'string', '#' || md5(t || ' ' || n), rpad(t || ' ' || n || ' ', 1000, '語')
         from type, generate_series(1, ${TOKENS}) t, generate_series(1, ${VALUES_EACH}) n
       returning id, split_part(value_text, ' ', 1)::int as token)
     insert into vitrine.token (chain_id, collection, token_id, name, traits)
     select $1, $2, token, 'Hero ' || token, array_agg(id order by id) from value group by token`,
    [CHAIN_ID, COLLECTION],
  );
});

it("are left to PostgreSQL by their estimate, and no thread is lost", async () => {
  // 24 MB of text in the thread's heap, and 36 MB beside it.
  const search = start(40, 48);

  expect(await search.facets(collection, ALL)).toMatchObject({ total: TOKENS });
  expect(lost).toEqual([]);
  expect(search.state.outside).toMatchObject([{ bytes: expect.any(Number) }]);
});

it("are left to PostgreSQL once a load has ended its thread twice, and others' searches leave them out until then", async () => {
  const search = start(1_000, 24);
  const across = () => search.findNamed([collection], { text: "Hero", limit: 5 });

  expect(await across()).toEqual({ found: [], unsearched: 1 });
  await eventually(across, ({ unsearched }) => unsearched === 0, 30_000);
  expect(lost).toHaveLength(2);
  expect((await across()).found).toHaveLength(5);
  expect(await search.facets(collection, ALL)).toMatchObject({ total: TOKENS });
});
