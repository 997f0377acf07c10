/** A few tokens of both standards with holders, transfers and traits, for tests of the SDK's documents. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MetadataService } from "../../../src/api/metadata/service.ts";
import type { TestDatabase } from "../../support/database/database.ts";
import { FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, found, recordOne } from "../../support/refresh/refresh.ts";

export const ALICE = "0x00000000000000000000000000000000000000a1";
export const BOB = "0x00000000000000000000000000000000000000b2";

const FOLDER = join(import.meta.dirname, "../../fixtures/sdk");

/** A document as the SDK sends it. */
export const sdkDocument = (name: string): string => readFileSync(join(FOLDER, `${name}.graphql`), "utf8");

const heroes = { chainId: CHAIN_ID, collectionAddress: COLLECTION };
const potions = { chainId: FAR_CHAIN_ID, collectionAddress: FAR_COLLECTION };

/** Heroes 1 to 3 (ERC-721): Alice owns 1 and 2, Bob the locked 3. Potion 7 (ERC-1155): Alice has 5 of 7, Bob 2. */
export async function createSdkWorld(test: TestDatabase, metadata: MetadataService): Promise<void> {
  const { database } = test;
  for (const chainId of [CHAIN_ID, FAR_CHAIN_ID]) await test.setHead({ chainId, block: 100 });
  await test.insert("collectionState", { ...heroes, standard: "erc721", items: 3, owners: 2 });
  await test.insert("collectionState", { ...potions, standard: "erc1155", items: 1, owners: 2 });

  async function record(place: typeof heroes, tokenId: string, block: number, document: object) {
    const { chainId, collectionAddress: collection } = place;
    await metadata.addKnownTokens(database, chainId, collection, new Map([[tokenId, block]]));
    const resolution = found({ image: `https://img.example/${tokenId}.png`, ...document });
    await database.transaction((tx) =>
      recordOne(metadata, tx, { chainId, collection, tokenId }, "rest", resolution),
    );
  }
  const hero = (name: string, type: string, level: number, description: string) => ({
    name,
    description,
    attributes: [
      { trait_type: "Class", value: type },
      { trait_type: "Level", display_type: "number", value: level },
    ],
  });
  await record(heroes, "1", 1, hero("Zoe the brave", "Mage", 10, "Knows adam"));
  await record(heroes, "2", 2, hero("Adam", "Rogue", 0, "Silent"));
  await record(heroes, "3", 3, hero("Bea", "Mage", 3, "Loud"));
  await record(potions, "7", 4, { name: "Elixir", attributes: [{ trait_type: "Taste", value: "Sour" }] });

  const state = { standard: "erc721", burned: false, lockCount: 0 };
  await test.insert("tokenState", { ...heroes, ...state, tokenId: 1n, owner: ALICE });
  await test.insert("tokenState", { ...heroes, ...state, tokenId: 2n, owner: ALICE });
  await test.insert("tokenState", {
    ...heroes,
    ...state,
    tokenId: 3n,
    owner: BOB,
    lockCount: 1,
    lockedSinceBlock: 9n,
  });
  await test.insert("tokenState", { ...potions, ...state, tokenId: 7n, standard: "erc1155", supply: 7n });
  for (const [holder, balance] of [
    [ALICE, 5n],
    [BOB, 2n],
    ["0x00000000000000000000000000000000000000c3", 0n],
  ])
    await test.insert("tokenBalance", { ...potions, tokenId: 7n, holder, balance });

  for (const [place, holder, tokens] of [
    [heroes, ALICE, 2],
    [heroes, BOB, 1],
    [potions, ALICE, 1],
    [potions, BOB, 1],
  ] as const)
    await test.insert("collectionHolder", { ...place, holder, tokens });

  const moves = [
    { ...heroes, tokenId: 1n, from: "0x0", to: BOB, quantity: 1n },
    { ...heroes, tokenId: 1n, from: BOB, to: ALICE, quantity: 1n },
    { ...heroes, tokenId: 1n, from: ALICE, to: ALICE, quantity: 1n },
    { ...heroes, tokenId: 2n, from: "0x0", to: ALICE, quantity: 1n },
    { ...potions, tokenId: 7n, from: "0x0", to: ALICE, quantity: 2n ** 128n },
  ];
  for (const [index, move] of moves.entries())
    await test.insert("tokenTransfer", {
      ...move,
      id: `${index}`,
      blockNumber: BigInt(index),
      blockTimestamp: 1_700_000_000n + BigInt(index),
      transactionHash: `0xt${index}`,
      logIndex: 0,
    });
}
