/** Mounts all routes: gateway APIs behind keys, the operator's API, GraphQL, pages, and one answer for the rest. */

import { randomUUID } from "node:crypto";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { AccessService } from "../access/keys/service.ts";
import type { RateLimits } from "../access/limits/rate-limits.ts";
import { requireOperator } from "../access/operator.ts";
import { keyRoutes } from "../access/routes.ts";
import type { Sessions } from "../access/sign-in/sessions.ts";
import type { Collections } from "../catalog/collections.ts";
import { informationRoutes } from "../catalog/information/information-routes.ts";
import type { CatalogModule } from "../catalog/module.ts";
import { reportRoutes, validateLimit } from "../catalog/reports/report-routes.ts";
import { catalogRoutes } from "../catalog/routes.ts";
import { searchRoutes } from "../catalog/tokens/search-routes.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import type { ConsoleEnv } from "../console/env.ts";
import type { Database } from "../db/database.ts";
import type { DelegationModule } from "../delegation/module.ts";
import { registryRoutes } from "../delegation/registry/registry-routes.ts";
import { walletRoutes } from "../delegation/wallets/wallet-routes.ts";
import type { EventHub } from "../events/hub.ts";
import { eventRoutes, requireAcceptsStream } from "../events/routes.ts";
import { compose } from "../http/compose.ts";
import { ApiError } from "../http/errors.ts";
import { setHeader } from "../http/headers.ts";
import { type ApiName, type KeyCheck, requireKey } from "../http/key.ts";
import { perCaller, perClient, perTier } from "../http/limits/count-requests.ts";
import { rateLimit } from "../http/limits/rate-limit.ts";
import { createRateLimiter } from "../http/limits/rate-limiter.ts";
import type { Logger } from "../http/logger.ts";
import { type ApiEnv, answerError, createRouter, limitBody, requireAcceptsJson } from "../http/router.ts";
import type { Allowlist } from "../media/display/allowlist.ts";
import { allowlistRoutes } from "../media/display/allowlist-routes.ts";
import { type ImageRouteDeps, imageRoutes } from "../media/storage/image-routes.ts";
import { type RenormaliseRouteDeps, renormaliseRoutes } from "../metadata/renormalise/renormalise-routes.ts";
import type { TraitApproval } from "../metadata/traits/trait-approval.ts";
import { traitRoutes } from "../metadata/traits/trait-routes.ts";
import { createPages } from "../pages/routes.tsx";
import type { OperatorRequests } from "../refresh/operator/operator-requests.ts";
import { operatorRefreshRoutes } from "../refresh/operator/operator-routes.ts";
import { refreshRoutes } from "../refresh/routes.ts";
import type { RefreshService } from "../refresh/service.ts";
import type { Search } from "../search/service.ts";
import { checkRoutes } from "../trading/checks/check-routes.ts";
import type { TradeChecks } from "../trading/checks/checks.ts";
import type { Reconcile } from "../trading/reconcile/reconcile.ts";
import { lockRoutes } from "../trading/routes.ts";
import { pathsUnder } from "../ui/site.ts";
import { uiAssets } from "../ui/ui-assets.ts";
import { graphiqlPages } from "./explorer.tsx";
import { type HealthDeps, healthRoutes } from "./health.ts";
import { describeApi } from "./openapi.ts";
import { referencePages } from "./reference.tsx";

export interface AppServices {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly access: AccessService;
  readonly allowlist: Allowlist;
  readonly catalogModule: CatalogModule;
  readonly collections: Collections;
  readonly images: ImageRouteDeps;
  readonly operatorRequests: OperatorRequests;
  readonly reconcile: Reconcile;
  readonly refresh: RefreshService;
  readonly renormaliser: RenormaliseRouteDeps["renormaliser"];
  readonly search: Search;
  readonly traitApproval: TraitApproval;
  readonly tradeChecks: TradeChecks;
  readonly delegationModule: DelegationModule;
  readonly hub: EventHub;
  /** The POST /graphql endpoint, which answers in GraphQL's own shape. */
  readonly graphql: OpenAPIHono<ApiEnv>;
  readonly rateLimits: RateLimits;
  readonly sessions: Sessions;
  /** The pages under /console. */
  readonly console: Hono<ConsoleEnv>;
  readonly health: HealthDeps;
  readonly operatorToken: string | undefined;
  readonly baseUrl: string;
  readonly logger: Logger;
}

// The largest body of the operator's routes: a list of tokens to refresh.
const OPERATOR_BODY_BYTES_MAX = 1024 * 1024;

// Public, and rendered or read from the database and the nodes at each request.
const VISITED = ["/openapi.json", "/reference", "/freshness"];

/** The whole HTTP application; Ponder mounts it beside its own /health, /ready, /status and /metrics. */
export function createApp(services: AppServices): OpenAPIHono<ApiEnv> {
  const { access, database, rateLimits, logger, operatorToken } = services;
  const findCollection = services.collections.find;
  const app = createRouter();
  const keys: KeyCheck = {
    findApp: (key) => access.findApp(key),
    onWrongKey: (c) => rateLimits.wrongKeys.failed(c),
  };
  // Ponder's own handler would answer with the message and file path of whatever was thrown.
  app.onError((error, c) => answerError(error, c, logger));
  app.use(assignRequestId);

  const gateway = (api: ApiName, ...apps: readonly OpenAPIHono<ApiEnv>[]): void => {
    app.use(
      `/${api}/*`,
      compose(requireKey(keys, api), rateLimit(perTier(rateLimits, api)), requireAcceptsJson),
    );
    for (const routes of apps) app.route(`/${api}`, routes);
  };
  const limiter = createRateLimiter(database, validateLimit);
  gateway(
    "market-partner",
    refreshRoutes({ refresh: services.refresh, findCollection }),
    reportRoutes({ ...services.catalogModule, findCollection, limiter }),
    informationRoutes({ ...services.catalogModule, findCollection }),
  );
  // Before the rest of its API, which is JSON.
  const limitMarket = rateLimit(perTier(rateLimits, "market"));
  app.use("/market/events", requireKey(keys, "market"), limitMarket, requireAcceptsStream);
  app.route("/market", eventRoutes({ ...services, keys: access }));
  const catalog = { ...services.catalogModule, ...services };
  gateway(
    "market",
    catalogRoutes(catalog),
    searchRoutes(catalog),
    checkRoutes(services),
    walletRoutes(services.delegationModule),
  );

  const { registryLimiter, ...registry } = services.delegationModule;
  const { clientAddress } = rateLimits;
  app.route("/registry/v2", registryRoutes({ ...registry, keys, limiter: registryLimiter, clientAddress }));

  app.use(
    "/admin/*",
    withoutCors,
    requireOperator({ token: operatorToken, rateLimits }),
    limitBody(OPERATOR_BODY_BYTES_MAX),
  );
  app.route("/admin", keyRoutes({ ...services, findCollection }));
  app.route("/admin", allowlistRoutes({ ...services, audit: access.audit, findCollection }));
  app.route("/admin", lockRoutes({ ...services, audit: access.audit }));
  app.route("/admin", traitRoutes({ ...services, audit: access.audit }));
  app.route("/admin", renormaliseRoutes({ ...services, audit: access.audit }));
  app.route("/admin", operatorRefreshRoutes({ ...services, audit: access.audit, findCollection }));

  app.use("/media/*", rateLimit(perClient(rateLimits.media, clientAddress), { isCacheable: true }));
  app.route("/", imageRoutes(services.images));
  app.use("/console/*", withoutCors);
  app.route("/console", services.console);
  app.get("/", (c) => c.redirect(pathsUnder(services.baseUrl)("/collections"), 302));
  app.route("/collections", createPages({ ...services, heads: services.health.heads }));
  app.route("/assets", uiAssets());
  const anonymous = perClient(rateLimits.anonymousGraphql, clientAddress);
  for (const path of VISITED) app.use(path, rateLimit(anonymous));
  app.route("/", referencePages(services.baseUrl));
  app.route("/", graphiqlPages(services.baseUrl));
  app.on(
    "POST",
    "/graphql",
    rateLimit(perCaller(keys, { anonymous, keyed: perTier(rateLimits, "graphql") })),
  );
  app.route("/", services.graphql);
  app.route("/", healthRoutes(services.health));
  describeApi(app, services.baseUrl);
  app.all("*", () => {
    throw new ApiError("NOT_FOUND");
  });
  return app;
}

const assignRequestId = createMiddleware<ApiEnv>((c, next) => {
  const id = randomUUID();
  c.set("requestId", id);
  setHeader(c, "X-Request-Id", id);
  return next();
});

/** Ponder allows every origin on every path; the operator's API is for no browser page. */
const withoutCors = createMiddleware(async (c, next) => {
  await next();
  c.res.headers.delete("Access-Control-Allow-Origin");
});
