/** Trade checks: many tokens at once, for a wallet if one is named. */

import type { ChainTables } from "../chain/tables.ts";
import type { Database } from "../store/database.ts";
import { type CheckedToken, readCheckFacts } from "./check-store.ts";
import { type Refusal, refusalFor } from "./guard.ts";

export interface TradeCheck extends CheckedToken {
  readonly allowed: boolean;
  readonly reason: Refusal | null;
  /** More on the reason, for people; null where there is no more to say. */
  readonly detail: string | null;
  readonly lockCount: number;
  /** The newest block of the chain that the index has; null before it has any. */
  readonly asOfBlock: number | null;
}

export function createTradeChecks(deps: {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly maxAgeSeconds: number;
}) {
  const { database, tables, maxAgeSeconds } = deps;
  return {
    /**
     * One answer per token, in their order, all as of one moment. A wallet is entitled to what it holds, and to what a
     * holder has delegated to it without limits: the whole wallet, the contract or the token.
     */
    async check(tokens: readonly CheckedToken[], wallet?: string): Promise<TradeCheck[]> {
      const facts = await readCheckFacts(database, tables, { tokens, wallet, maxAgeSeconds });
      return tokens.flatMap((token, index) => {
        const found = facts[index];
        if (!found) return [];
        const reason = refusalFor(found);
        return {
          ...token,
          allowed: reason === null,
          reason,
          detail: reason === "not_open_yet" ? opening(found.opensAt) : null,
          lockCount: found.lockCount,
          asOfBlock: found.block,
        };
      });
    },
  };
}

export type TradeChecks = ReturnType<typeof createTradeChecks>;

const opening = (at: Date | null): string | null =>
  at && `trade of the collection opens at ${at.toISOString()}`;
