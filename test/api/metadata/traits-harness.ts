/** One collection whose tokens have attributes, recorded and approved as the service does it. */

import type { Database, Queryable } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import type { DisplayType, Trait } from "../../../src/api/metadata/document/traits.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createTraitApproval } from "../../../src/api/metadata/traits/trait-approval.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import type { TestDatabase } from "../../support/database/database.ts";
import { countWaiting } from "../../support/database/keep-locked.ts";
import { eventually } from "../../support/eventually.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  failed,
  found,
  recordOne,
  ref,
} from "../../support/refresh/refresh.ts";

export const collectionRef = { chainId: CHAIN_ID, collection: COLLECTION };
const configured = { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 };
export const OPERATOR_CONTACT = "ops@vitrine.example";

export const hero = (attributes: readonly object[]) =>
  found({ name: "Hero", image: "https://img.example/1.png", attributes });

export const text = (trait_type: string, value: string) => ({ trait_type, value });
export const number = (trait_type: string, value: number, more: object = {}) => ({
  trait_type,
  display_type: "number",
  value,
  ...more,
});

export function createTraitsHarness({ database: shared, tables, setHead }: TestDatabase) {
  const metadata = createMetadata({
    resolve: createFakeResolve(() => failed("timeout")).resolve,
    tables,
    operatorContact: OPERATOR_CONTACT,
  });
  const search = createSearch({ database: shared, tables, logger: silentLogger });
  const recordIn = (tx: Queryable, tokenId: string, attributes: readonly object[]) =>
    recordOne(metadata, tx, ref(tokenId), "rest", hero(attributes));
  return {
    recordIn,
    record: (tokenId: string, attributes: readonly object[], database: Database = shared) =>
      database.transaction((tx) => recordIn(tx, tokenId, attributes)),

    /** Records a version, and begins `meanwhile` before the commit, which follows once that waits for a lock. */
    async recordDuring(tokenId: string, attributes: readonly object[], meanwhile: () => Promise<unknown>) {
      let waiting: Promise<unknown> = Promise.resolve();
      await shared.transaction(async (tx) => {
        await recordIn(tx, tokenId, attributes);
        waiting = meanwhile();
        await eventually(
          () => countWaiting(shared),
          (count) => count > 0,
        );
      });
      await waiting;
    },

    /** As when a reorg reverts the token's mint. */
    async forget(tokenId: string, database: Database = shared) {
      await setHead({ chainId: CHAIN_ID, block: 1 });
      return database.transaction((tx) =>
        recordOne(metadata, tx, ref(tokenId), "reorg", failed("token_reverted")),
      );
    },

    approve: (traitType: string, displayType: DisplayType, database: Database = shared) =>
      createTraitApproval(database).approve(collectionRef, traitType, displayType, async () => undefined),

    /** The pending changes, as `trait type: known -> requested` with the number of tokens. */
    async pending(): Promise<Record<string, number>> {
      const rows = await createTraitApproval(shared).pending([collectionRef], 100);
      return Object.fromEntries(rows.map((row) => [pendingName(row), row.tokens]));
    },

    served: async (tokenId: string) =>
      (await metadata.readServed(shared, CHAIN_ID, COLLECTION, [tokenId])).get(tokenId),
    count: (traits: readonly Trait[]) => search.countTraits(configured, traits),

    /** The highest value of a number trait, as a token without `max_value` shows it. */
    async highest(trait_type: string): Promise<number | undefined> {
      const trait: Trait = { trait_type, display_type: "number", value: 0 };
      return (await search.countTraits(configured, [trait])).highest.get(trait_type);
    },
  };
}

export const pendingName = (row: { traitType: string; known: string; proposed: string }): string =>
  `${row.traitType}: ${row.known} -> ${row.proposed}`;
