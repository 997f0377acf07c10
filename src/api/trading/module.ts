/** Locks and trading: the chain's state of tokens, whether they may be traded now, and contracts compared with the index. */

import { createTradeChecks } from "./checks/checks.ts";
import { createReconcile, type ReconcileDeps } from "./reconcile/reconcile.ts";
import { createTrading } from "./service.ts";

export { checkRoutes } from "./checks/check-routes.ts";

type CheckDeps = Parameters<typeof createTradeChecks>[0];

export function createTradingModule(deps: CheckDeps & ReconcileDeps) {
  return {
    trading: createTrading({ ...deps, maxAgeSeconds: deps.tradeMaxAgeSeconds }),
    tradeChecks: createTradeChecks(deps),
    reconcile: createReconcile(deps),
  };
}
