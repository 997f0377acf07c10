/** Puts the doors together: gateway APIs behind keys, the operator's API, GraphQL, and one answer for the rest. */

import { randomUUID } from "node:crypto";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { requireOperator } from "../access/operator.ts";
import { keyRoutes } from "../access/routes.ts";
import type { AccessService } from "../access/service.ts";
import type { Collections } from "../catalog/collections.ts";
import { reportRoutes, validateLimit } from "../catalog/report-routes.ts";
import type { Reports } from "../catalog/reports.ts";
import { catalogRoutes } from "../catalog/routes.ts";
import type { Catalog } from "../catalog/service.ts";
import { ApiError } from "../contract/errors.ts";
import { type ApiName, requireKey } from "../contract/key.ts";
import type { Logger } from "../contract/logger.ts";
import { type ApiEnv, answerError, createRouter, requireAcceptsJson } from "../contract/router.ts";
import type { Allowlist } from "../media/allowlist.ts";
import { allowlistRoutes } from "../media/routes.ts";
import type { TraitApproval } from "../metadata/trait-approval.ts";
import { traitRoutes } from "../metadata/trait-routes.ts";
import { refreshRoutes } from "../refresh/routes.ts";
import type { RefreshService } from "../refresh/service.ts";
import type { Database } from "../store/database.ts";
import { createRateLimiter } from "../store/rate-limiter.ts";
import type { Reconcile } from "../trading/reconcile.ts";
import { lockRoutes } from "../trading/routes.ts";
import { type HealthDeps, healthRoutes } from "./health.ts";
import { describeApi } from "./openapi.ts";

export interface AppServices {
  readonly database: Database;
  readonly access: AccessService;
  readonly allowlist: Allowlist;
  readonly catalog: Catalog;
  readonly collections: Collections;
  readonly reconcile: Reconcile;
  readonly refresh: RefreshService;
  readonly reports: Reports;
  readonly traitApproval: TraitApproval;
  /** The POST /graphql door, which answers in GraphQL's own shape. */
  readonly graphql: OpenAPIHono<ApiEnv>;
  readonly health: HealthDeps;
  readonly operatorToken: string | undefined;
  readonly baseUrl: string;
  readonly logger: Logger;
}

/** The whole HTTP application; Ponder mounts it beside its own /health, /ready, /status and /metrics. */
export function createApp(services: AppServices): OpenAPIHono<ApiEnv> {
  const { access, database, logger, operatorToken } = services;
  const findCollection = services.collections.find;
  const app = createRouter();
  // Ponder's own handler would answer with the message and file path of whatever was thrown.
  app.onError((error, c) => answerError(error, c, logger));
  app.use(assignRequestId);

  const gateway = (api: ApiName, ...doors: readonly OpenAPIHono<ApiEnv>[]): void => {
    app.use(`/${api}/*`, requireKey(access, api), requireAcceptsJson);
    for (const routes of doors) app.route(`/${api}`, routes);
  };
  const limiter = createRateLimiter(database, validateLimit);
  gateway(
    "market-partner",
    refreshRoutes({ refresh: services.refresh, findCollection }),
    reportRoutes({ reports: services.reports, findCollection, limiter }),
  );
  gateway("market", catalogRoutes(services));

  app.use("/admin/*", withoutCors, requireOperator(operatorToken));
  app.route("/admin", keyRoutes({ access, findCollection }));
  app.route("/admin", allowlistRoutes({ ...services, audit: access.audit, findCollection }));
  app.route("/admin", lockRoutes({ ...services, audit: access.audit }));
  app.route("/admin", traitRoutes({ ...services, audit: access.audit }));

  app.route("/", services.graphql);
  app.route("/", healthRoutes(services.health));
  describeApi(app, services.baseUrl);
  app.all("*", () => {
    throw new ApiError("NOT_FOUND");
  });
  return app;
}

const assignRequestId = createMiddleware<ApiEnv>(async (c, next) => {
  const id = randomUUID();
  c.set("requestId", id);
  c.header("X-Request-Id", id);
  await next();
});

/** Ponder allows every origin on every path; the operator's API is for no browser page. */
const withoutCors = createMiddleware(async (c, next) => {
  await next();
  c.res.headers.delete("Access-Control-Allow-Origin");
});
