/** The key and the initial row of a token without any transfer so far. */

import type { Context } from "ponder:registry";
import type { tokenState } from "ponder:schema";
import { noLocks } from "../domain/lock-state.ts";
import { type ChainEvent, collectionKey } from "./event-row.ts";

export const tokenKey = (event: ChainEvent, context: Context, tokenId: bigint) => ({
  ...collectionKey(event, context),
  tokenId,
});

export const initialToken = {
  standard: null,
  owner: null,
  supply: null,
  mintedBlock: null,
  mintedLog: null,
  burned: false,
  burnedBlock: null,
  burnedLog: null,
  ...noLocks,
  lastLockChangeBlock: null,
} satisfies Partial<typeof tokenState.$inferInsert>;
