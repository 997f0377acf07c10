/** Locks and trading: tokens' chain state, trade checks, and reconciliation with the contracts. */

import { createTradeChecks } from "./checks/checks.ts";
import { createReconcile, type ReconcileDeps } from "./reconcile/reconcile.ts";
import { createTrading } from "./service.ts";

export { checkRoutes } from "./checks/check-routes.ts";
export { createIndexedReader } from "./service.ts";
export { heads, stateColumns, toChainState } from "./store.ts";

type CheckDeps = Parameters<typeof createTradeChecks>[0];

export function createTradingModule(deps: CheckDeps & ReconcileDeps) {
  return {
    trading: createTrading({ ...deps, maxAgeSeconds: deps.tradeMaxAgeSeconds }),
    tradeChecks: createTradeChecks(deps),
    reconcile: createReconcile(deps),
  };
}
