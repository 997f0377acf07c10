/** The operator's actions, and their REST routes under /admin. */

import type { OpenAPIHono } from "@hono/zod-openapi";
import { type ApiEnv, createRouter } from "../http/router.ts";
import { type AllowlistRouteDeps, allowlistRoutes } from "./allowlist-routes.ts";
import { type KeyRouteDeps, keyRoutes } from "./key-routes.ts";
import { type LockRouteDeps, lockRoutes } from "./lock-routes.ts";
import { type OperatorRefreshDeps, operatorRefreshRoutes } from "./refresh-routes.ts";
import { type RenormaliseRouteDeps, renormaliseRoutes } from "./renormalise-routes.ts";
import { type TraitRouteDeps, traitRoutes } from "./trait-routes.ts";

export { createOperatorActions } from "./actions.ts";

type Deps = AllowlistRouteDeps &
  KeyRouteDeps &
  LockRouteDeps &
  OperatorRefreshDeps &
  RenormaliseRouteDeps &
  TraitRouteDeps;

/** Mount it behind the check of the operator's token. */
export function operatorRoutes(deps: Deps): OpenAPIHono<ApiEnv> {
  const app = createRouter();
  for (const routes of [
    keyRoutes,
    allowlistRoutes,
    lockRoutes,
    traitRoutes,
    renormaliseRoutes,
    operatorRefreshRoutes,
  ])
    app.route("/", routes(deps));
  return app;
}
