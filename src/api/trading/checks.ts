/** Trade checks: many tokens at once, for a wallet if one is named. */

import type { HeadWitness } from "../chain/head-witness.ts";
import type { ChainTables } from "../chain/tables.ts";
import type { Database } from "../store/database.ts";
import { type CheckedToken, readCheckFacts } from "./check-store.ts";
import { confirmHeads, type Refusal, refusalFor } from "./guard.ts";

export interface TradeCheck extends CheckedToken {
  readonly allowed: boolean;
  readonly reason: Refusal | null;
  readonly lockCount: number;
  /** The newest block of the chain that the index has; null before it has any. */
  readonly asOfBlock: number | null;
}

export function createTradeChecks(deps: {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly witness: HeadWitness;
  readonly maxAgeSeconds: number;
}) {
  const { database, tables, witness, maxAgeSeconds } = deps;
  return {
    /**
     * One answer per token, in their order, all as of one moment. A wallet is entitled to what it holds, and to what a
     * holder has delegated to it without limits: the whole wallet, the contract or the token.
     */
    async check(tokens: readonly CheckedToken[], wallet?: string): Promise<TradeCheck[]> {
      const facts = await readCheckFacts(database, tables, { tokens, wallet, maxAgeSeconds });
      // After the rows were read: what the node says now is no older than what they say.
      const confirmed = await confirmHeads(
        witness,
        tokens.map(({ chainId }, index) => ({ chainId, ...facts[index] })),
        0,
      );
      return tokens.flatMap((token, index) => {
        const found = facts[index];
        if (!found) return [];
        const reason = refusalFor({ ...found, fresh: found.fresh && confirmed.has(token.chainId) });
        return {
          ...token,
          allowed: reason === null,
          reason,
          lockCount: found.lockCount,
          asOfBlock: found.indexed?.block ?? null,
        };
      });
    },
  };
}

export type TradeChecks = ReturnType<typeof createTradeChecks>;
