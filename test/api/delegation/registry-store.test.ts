/** How much of the registry's index a page of it reads. */

import { zeroHash } from "viem";
import { beforeAll, expect, it } from "vitest";
import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import { type Direction, readOfWallet } from "../../../src/api/delegation/registry/store.ts";
import { CHAIN_SCHEMA, countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables, url } = test;
const WALLET = `0x${"a".repeat(40)}`;
const OTHERS = 3_000;

beforeAll(async () => {
  await createServingIndexes(url, CHAIN_SCHEMA);
  // Each of the others delegates to the wallet, and the wallet to each; half of them have ended.
  await database.query(
    `insert into ${tables.delegation} (chain_id, hash, type, "from", "to", rights, enabled, block_number, block_timestamp,
                                       transaction_hash, log_index)
     select $1, '0x' || way || nth, 'ALL', case way when 'in' then other else $2 end, case way when 'in' then $2 else other end,
            $3, nth % 2 = 0, nth, nth, '0x', case way when 'in' then 0 else 1 end
       from generate_series(1, ${OTHERS}) nth
      cross join (values ('in'), ('out')) as ways(way)
      cross join lateral (select '0x' || lpad(nth::text, 40, '0') as other) o`,
    [CHAIN_ID, WALLET, zeroHash],
  );
  // To oneself it is both, and is one delegation.
  await database.query(
    `insert into ${tables.delegation} (chain_id, hash, type, "from", "to", rights, enabled, block_number, block_timestamp,
                                       transaction_hash, log_index)
     values ($1, '0xself', 'ALL', $2, $2, $3, true, 3, 3, '0x', 0)`,
    [CHAIN_ID, WALLET, zeroHash],
  );
  await database.query(`analyze ${tables.delegation}`);
});

const other = (nth: number): string => `0x${String(nth).padStart(40, "0")}`;

it.each<[Direction, readonly string[]]>([
  ["incoming", [other(2), WALLET, other(4)]],
  ["outgoing", [other(2), WALLET, other(4)]],
  ["all", [other(2), other(2), WALLET]],
])(
  "a page of a wallet's delegations reads about as many as it has, of thousands: %s",
  async (direction, wallets) => {
    const found: string[] = [];
    const rows = await database.transaction(
      (tx) =>
        countRowsRead(tx, [CHAIN_SCHEMA], async () => {
          const page = await readOfWallet(
            { database: tx, tables },
            { chainId: CHAIN_ID, wallet: WALLET, direction, limit: 3, after: undefined },
          );
          found.push(...page.records.map(({ from, to }) => (from === WALLET ? to : from)));
        }),
      "byKey",
    );

    expect(found).toEqual(wallets);
    expect(rows).toBeLessThan(30);
  },
);

it("pages follow each other without gaps or repetitions", async () => {
  const found: string[] = [];
  let after: { readonly block: number; readonly log: number } | undefined;
  do {
    const page = await readOfWallet(
      { database, tables },
      { chainId: CHAIN_ID, wallet: WALLET, direction: "all", limit: 701, after },
    );
    found.push(...page.records.map(({ from, to }) => `${from} ${to}`));
    after = page.next ?? undefined;
  } while (after);

  expect(found).toHaveLength(OTHERS + 1);
  expect(new Set(found).size).toBe(OTHERS + 1);
});
