/** A replica that records versions of random tokens at a steady rate, until its parent ends it. */

import { setTimeout as sleep } from "node:timers/promises";
import { chainTables } from "../src/api/chain/index/tables.ts";
import { createDatabase } from "../src/api/db/database.ts";
import { silentLogger } from "../src/api/logging/logger.ts";
import { createMetadata } from "../src/api/metadata/service.ts";
import { readDocument } from "../src/api/metadata/uri/resolve.ts";
import { CHAIN_ID, NUMBER_TRAIT, traitName, valueAt, valuesOf } from "./catalog-data.ts";

const TOGETHER = 10;
// A hundred versions per second, as of a replica that refreshes at full speed from distant hosts.
const EVERY_MS = 100;

const [url = "", schema = "", collection = "", tokens = "0", numbers = "0"] = process.argv.slice(2);
const database = createDatabase(url, silentLogger);
const metadata = createMetadata({
  tables: chainTables(schema),
  resolve: async () => {
    throw new Error("a bench records documents of its own");
  },
});

const below = (limit: number): number => Math.floor(Math.random() * limit);

function documentOf(tokenId: string) {
  const attributes = valuesOf(Number(numbers)).map((values, trait) => {
    const isNumber = trait === NUMBER_TRAIT;
    const nth = Math.floor(Math.random() ** 2 * values);
    return {
      trait_type: traitName(trait),
      value: isNumber ? nth : valueAt(trait, nth),
      ...(isNumber && { display_type: "number" }),
    };
  });
  const json = {
    name: `Hero #${tokenId} anew ${below(1000)}`,
    image: "https://img.example/1.png",
    attributes,
  };
  const read = readDocument(Buffer.from(JSON.stringify(json)), tokenId);
  if (read.kind !== "document") throw new Error(read.message);
  return read.document;
}

for (let due = performance.now(); ; due += EVERY_MS) {
  await sleep(Math.max(0, due - performance.now()));
  const tokenIds = new Set(Array.from({ length: TOGETHER }, () => String(1 + below(Number(tokens)))));
  const ends = [...tokenIds].map((tokenId) => ({
    token: { chainId: CHAIN_ID, collection, tokenId },
    trigger: "rest",
    resolution: {
      kind: "document" as const,
      document: documentOf(tokenId),
      uri: `https://meta.example/${tokenId}`,
      block: 1,
      durationMs: 1,
    },
  }));
  await database.transaction((tx) => metadata.recordAll(tx, ends));
}
