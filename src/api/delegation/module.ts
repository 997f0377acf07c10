/** The delegation module: our own registry, and the one that is asked for wallets' delegations. */

import type { IndexConfig } from "../../config.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import type { Database } from "../db/database.ts";
import { createRateLimiter, type OnFault } from "../http/limits/rate-limiter.ts";
import { registryLimit } from "../http/limits/tiers.ts";
import { createChainChoice } from "./chain-choice.ts";
import { createRegistry } from "./registry/registry.ts";
import { createDelegations } from "./wallets/delegations.ts";
import { delegationBudget, remoteSource } from "./wallets/remote-source.ts";
import { ownSource } from "./wallets/source.ts";

export { registryRoutes } from "./registry/registry-routes.ts";
export { walletRoutes } from "./wallets/wallet-routes.ts";

export function createDelegationModule(deps: {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly index: Pick<IndexConfig, "chains" | "collections" | "registries">;
  /** DELEGATION_URL and DELEGATION_API_KEY; without the first, our own registry is asked. */
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly onFault?: OnFault;
}) {
  const { database, tables, index, url, key, onFault } = deps;
  const registry = createRegistry({ database, tables });
  const indexedChain = createChainChoice(
    index,
    index.registries.map(({ chainId }) => chainId),
  );
  const budget = createRateLimiter(database, delegationBudget, onFault);
  return {
    registry,
    registryChain: indexedChain,
    registryLimiter: createRateLimiter(database, registryLimit, onFault),
    delegations: createDelegations(
      url === undefined ? ownSource(registry) : remoteSource({ url, key, budget }),
    ),
    delegationChain: url === undefined ? indexedChain : createChainChoice(index),
  };
}
