/** A collection in a real database, and its pages, read as text. */

import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, type Sent } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, found, recordOne, ref } from "../../support/refresh/refresh.ts";

export const ALICE = "0x00000000000000000000000000000000000000a1";
export const BOB = "0x00000000000000000000000000000000000000b2";
export const LOCKER = "0x00000000000000000000000000000000000000c1";
export const HEROES = `/collections/${CHAIN_ID}/${COLLECTION}`;
/** 1 May 2024, in Unix seconds. */
export const MAY_SECONDS = 1_714_521_600;
export const LOCKED_BLOCK = 5;

export async function createPagesWorld(options: Parameters<typeof createTestApp>[1] = {}) {
  const test = await createTestDatabase();
  const { database } = test;
  const api = createTestApp(test, options);
  await test.setHead({ chainId: CHAIN_ID, block: 100 });

  return {
    test,
    api,
    /** The same in a process that has just started. */
    another: () => createTestApp(test),
    get: (path: string, sent?: Sent) => api.browse(path, sent),

    async mint(tokenId: string, chain: Record<string, unknown> = {}): Promise<void> {
      await test.insert("tokenState", {
        chainId: CHAIN_ID,
        collectionAddress: COLLECTION,
        tokenId: BigInt(tokenId),
        standard: "erc721",
        owner: ALICE,
        burned: false,
        lockCount: 0,
        ...chain,
      });
      await api.metadata.addKnownTokens(database, CHAIN_ID, COLLECTION, new Map([[tokenId, 1]]));
    },

    async describe(tokenId: string, document: Record<string, unknown>): Promise<void> {
      const whole = { name: `Hero ${tokenId}`, image: `https://img.example/${tokenId}.png`, ...document };
      await database.transaction((tx) =>
        recordOne(
          api.metadata,
          tx,
          ref(tokenId),
          "rest",
          found(whole, { uri: `https://meta.example/${tokenId}` }),
        ),
      );
    },

    /** The state after the probe of a token's image. */
    async cacheImage(tokenId: string, file: string): Promise<void> {
      const url = `https://img.example/${tokenId}.png`;
      await database.query(
        `insert into vitrine.media (kind, url_hash, url, host, status, file)
         values ('image', sha256(convert_to($1, 'UTF8')), $1, 'img.example', 'accepted', $2)`,
        [url, file],
      );
    },

    async lock(tokenId: string): Promise<void> {
      await test.insert("lockEvent", {
        id: `lock-${tokenId}`,
        chainId: CHAIN_ID,
        collectionAddress: COLLECTION,
        tokenId: BigInt(tokenId),
        standard: "erc721x",
        direction: "lock",
        approvedContract: LOCKER,
        countAfter: 1,
        flagCountAfter: 1,
        followsDefault: true,
        anomaly: false,
        blockNumber: BigInt(LOCKED_BLOCK),
        blockTimestamp: BigInt(MAY_SECONDS),
        transactionHash: `0x${"1".repeat(64)}`,
        logIndex: 0,
      });
    },

    async move(tokenId: string, from: string, to: string, nth: number): Promise<void> {
      await test.insert("tokenTransfer", {
        id: `${tokenId}-${String(nth).padStart(4, "0")}`,
        chainId: CHAIN_ID,
        collectionAddress: COLLECTION,
        tokenId: BigInt(tokenId),
        from,
        to,
        quantity: 1n,
        blockNumber: BigInt(nth),
        blockTimestamp: BigInt(MAY_SECONDS + nth),
        transactionHash: `0x${String(nth).padStart(64, "0")}`,
        logIndex: 0,
      });
    },
  };
}

/** What a reader sees: no markup, whitespace collapsed. */
export const seen = (html: string): string =>
  html
    .replace(/<(script|style|noscript)\b.*?<\/\1>/gs, "")
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ");

/** The ids of a page's tokens, in order. */
export const idsOf = (html: string): string[] =>
  [...html.matchAll(/<a class="token" href="[^"]*\/([^"/]+)"/g)].map((match) => match[1] ?? "");
