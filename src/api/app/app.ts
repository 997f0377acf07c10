/** Mounts every route: the gateway APIs behind keys, the operator's API, GraphQL, and the not-found answer. */

import { randomUUID } from "node:crypto";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { recordRequests, requireOperator } from "../access/module.ts";
import {
  acrossRoutes,
  activityRoutes,
  batchRoutes,
  catalogRoutes,
  collectionHealthRoutes,
  exportRoutes,
  informationRoutes,
  ownerRoutes,
  reportRoutes,
  searchRoutes,
  validateLimit,
  walletTokenRoutes,
} from "../catalog/module.ts";
import { createConsole } from "../console/module.ts";
import { registryRoutes, walletRoutes } from "../delegation/module.ts";
import { eventRoutes, requireAcceptsStream } from "../events/module.ts";
import type { ApiName } from "../http/api-names.ts";
import { compose } from "../http/compose.ts";
import { compressAnswers } from "../http/compression.ts";
import {
  allowOrigins,
  answerPreflights,
  keepHeadersOfHead,
  setHeader,
  storeNothing,
} from "../http/headers.ts";
import { type KeyCheck, requireKey } from "../http/key.ts";
import { limitEach, perCaller, perClient, perTier } from "../http/limits/count-requests.ts";
import { type RateLimit, rateLimit } from "../http/limits/rate-limit.ts";
import { createRateLimiter } from "../http/limits/rate-limiter.ts";
import { answerUnrouted } from "../http/not-found.ts";
import { revalidateJson } from "../http/revalidation.ts";
import {
  type ApiEnv,
  answerError,
  createRouter,
  limitBody,
  requireAcceptsType,
  toApiError,
} from "../http/router.ts";
import { imageRoutes } from "../media/module.ts";
import { createOperatorActions, operatorRoutes } from "../operator/module.ts";
import { createLostPage, createOtherPages, createPages } from "../pages/module.ts";
import { collectionRefreshRoutes, refreshRoutes } from "../refresh/module.ts";
import type { Services } from "../services.ts";
import { traceRequests } from "../tracing/trace-requests.ts";
import { checkRoutes } from "../trading/module.ts";
import { iconAssets, uiAssets } from "../ui/ui-assets.ts";
import { webhookLimit, webhookRoutes } from "../webhooks/module.ts";
import { graphiqlPages } from "./explorer.tsx";
import { createFreshness, type HealthDeps, healthRoutes } from "./health.ts";
import { describeApi } from "./openapi.ts";
import { referencePages } from "./reference.tsx";

export interface AppServices extends Omit<Services, "chain" | "fetching" | "readUri" | "health"> {
  /** POST and GET /graphql, whose errors have GraphQL's own shape. */
  readonly graphql: OpenAPIHono<ApiEnv>;
  readonly health: HealthDeps;
}

// The largest body of an operator's route is a list of tokens to refresh.
const OPERATOR_BODY_BYTES_MAX = 1024 * 1024;

// Public routes that are rendered, or read from the database and the nodes, on each request.
const VISITED = ["/openapi.json", "/reference", "/freshness"];

/** The whole HTTP application, beside Ponder's own /health, /ready, /status and /metrics. */
export function createApp(services: AppServices): OpenAPIHono<ApiEnv> {
  const { access, database, rateLimits, logger, operatorToken } = services;
  const { findNamed } = services.collections;
  const actions = createOperatorActions(services);
  const freshness = createFreshness(services.health);
  const app = createRouter();
  const keys: KeyCheck = {
    findApp: (key) => access.findApp(key),
    onWrongKey: (c) => rateLimits.wrongKeys.failed(c),
    onUse: (caller) => services.usage.keyUse.used(caller),
    onSuccess: (caller) => services.usage.keyUse.succeeded(caller),
    permissionsPage: rateLimits.permissionsPage,
  };
  // Hono's own handler would print a stack trace, and answer without a code.
  app.onError((error, c) => {
    services.countError?.(toApiError(error).code);
    return answerError(error, c, logger);
  });
  app.use(
    compose(
      keepHeadersOfHead,
      storeNothing,
      assignRequestId,
      services.measureRequests ?? passOn,
      traceRequests(services.isTrustedCaller),
      recordRequests((request) => services.usage.requestLog.record(request)),
      allowOrigins(hasSecrets),
      compressAnswers(hasSecrets),
    ),
  );
  app.options("*", answerPreflights(hasSecrets));

  const gateway = (api: ApiName, ...apps: readonly OpenAPIHono<ApiEnv>[]): void => {
    app.use(
      `/${api}/*`,
      compose(
        requireKey(keys, api),
        rateLimit(perTier(rateLimits, api)),
        requireAcceptsAnswer,
        revalidateJson,
      ),
    );
    for (const routes of apps) app.route(`/${api}`, routes);
  };
  const limiterOf = (limit: RateLimit) => createRateLimiter(database, limit);
  gateway(
    "market-partner",
    refreshRoutes({ ...services, findCollection: findNamed }),
    collectionRefreshRoutes({
      ...services,
      findCollection: findNamed,
      permissionsPage: keys.permissionsPage,
    }),
    reportRoutes({ ...services.catalogModule, findCollection: findNamed, limiter: limiterOf(validateLimit) }),
    informationRoutes({
      ...services.catalogModule,
      findCollection: findNamed,
      permissionsPage: keys.permissionsPage,
    }),
    webhookRoutes({ ...services, limiter: limiterOf(webhookLimit) }),
    collectionHealthRoutes({ ...services.catalogModule, findCollection: findNamed }),
  );
  // Registered before the rest of its API, whose answers are JSON, and which counts requests of any other method.
  const limitMarket = rateLimit(perTier(rateLimits, "market"));
  app.on("GET", "/market/events", requireKey(keys, "market"), limitMarket, requireAcceptsStream);
  app.route("/market", eventRoutes({ ...services, keys: access }));
  const catalog = { ...services.catalogModule, ...services };
  const exportPath = "/market/collections/:collection_address/export";
  app.on("GET", exportPath, requireKey(keys, "market"), limitMarket);
  app.route("/market", exportRoutes(catalog));
  gateway(
    "market",
    catalogRoutes(catalog),
    searchRoutes(catalog),
    acrossRoutes(catalog),
    batchRoutes(catalog),
    activityRoutes(catalog),
    ownerRoutes(catalog),
    walletTokenRoutes(catalog),
    checkRoutes(services),
    walletRoutes(services.delegationModule),
  );

  const { registryLimiter, ...registry } = services.delegationModule;
  const { clientAddress } = rateLimits;
  app.route(
    "/registry/v2",
    registryRoutes({ ...services, ...registry, keys, limiter: registryLimiter, clientAddress }),
  );

  app.use(
    "/admin/*",
    requireOperator({ token: operatorToken, rateLimits }),
    limitBody(OPERATOR_BODY_BYTES_MAX),
  );
  app.route("/admin", operatorRoutes({ ...services, actions }));

  app.use("/media/*", rateLimit(perClient(rateLimits.media, clientAddress), { isCacheable: true }));
  app.route("/", imageRoutes(services.images));
  app.route("/console", createConsole({ ...services, ...services.catalogModule, actions, freshness }));
  const pages = { ...services, heads: services.health.heads };
  app.route("/", createOtherPages(pages));
  app.route("/collections", createPages(pages));
  app.route("/assets", uiAssets());
  app.route("/", iconAssets());
  const anonymous = perClient(rateLimits.anonymousGraphql, clientAddress);
  for (const path of VISITED) app.use(path, rateLimit(anonymous));
  app.route("/", referencePages(services.baseUrl));
  app.route("/", graphiqlPages(services.baseUrl, services.collections.all, rateLimit(anonymous)));
  const perOperation = perCaller(keys, { anonymous, keyed: perTier(rateLimits, "graphql") });
  app.on(["GET", "POST"], "/graphql", limitEach(perOperation));
  app.route("/", services.graphql);
  app.route("/", healthRoutes(services.health, freshness));
  describeApi(app, services.baseUrl, services.collections.all);
  app.all("*", answerUnrouted(app, createLostPage(pages)));
  return app;
}

const passOn: MiddlewareHandler = (_c, next) => next();

const assignRequestId = createMiddleware<ApiEnv>((c, next) => {
  const id = randomUUID();
  c.set("requestId", id);
  setHeader(c, "X-Request-Id", id);
  return next();
});

// Its route compares `Accept` with the type of the file that is asked for.
const HEALTH_PATH = /^\/market-partner\/collections\/[^/]+\/health$/;

const requireAcceptsJson = requireAcceptsType("application/json");
const requireAcceptsAnswer: MiddlewareHandler<ApiEnv> = (c, next) =>
  HEALTH_PATH.test(c.req.path) ? next() : requireAcceptsJson(c, next);

/** Pages and answers that show keys and form tokens beside text that others wrote. */
const hasSecrets = (path: string): boolean => path.startsWith("/console") || path.startsWith("/admin");
