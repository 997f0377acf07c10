/** The chain state of tokens as answers show it. */

import { readStates } from "../../../src/api/catalog/tokens/state-store.ts";
import { createTrading, type TokenOnChain } from "../../../src/api/trading/service.ts";
import { CHAIN_ID, COLLECTION } from "../refresh/refresh.ts";

/** Reads tokens of the test's collection, by token id: those that the chain index knows. */
export async function tokensOnChain(
  deps: Parameters<typeof createTrading>[0],
  tokenIds: readonly string[],
): Promise<ReadonlyMap<string, TokenOnChain>> {
  const { tokens } = await readStates(deps.database, deps.tables, {
    chainId: CHAIN_ID,
    collection: COLLECTION,
    tokenIds,
    maxAgeSeconds: deps.maxAgeSeconds,
    since: undefined,
    media: [],
  });
  const states = [...tokens].flatMap(([tokenId, { chain }]) => (chain ? [[tokenId, chain] as const] : []));
  return createTrading(deps).completeTokens(CHAIN_ID, COLLECTION, new Map(states));
}
