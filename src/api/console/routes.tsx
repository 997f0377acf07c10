/** The developer console: pages rendered here, with as little script as wallets and copying need. */

import { readFile } from "node:fs/promises";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { prefersHtml } from "../http/accept.ts";
import { isRead } from "../http/headers.ts";
import { perClient } from "../http/limits/count-requests.ts";
import { rateLimit } from "../http/limits/rate-limit.ts";
import { answerUnrouted } from "../http/not-found.ts";
import { requireOwnOrigin } from "../http/own-origin.ts";
import { answerError, limitBody, toApiError } from "../http/router.ts";
import { assetRoutes } from "../ui/assets.ts";
import { Layout, page } from "../ui/layout.tsx";
import { Card, Title } from "../ui/parts.tsx";
import { ProblemDetails, problemOf, Retry } from "../ui/problem.tsx";
import { pageHeaders, pathsUnder, type To } from "../ui/site.ts";
import { words } from "../ui/visitor.ts";
import { appListPages } from "./app/apps.tsx";
import { collectionPages } from "./app/collections.tsx";
import { contentRequestPages } from "./app/content-requests.tsx";
import { healthPages } from "./app/health.tsx";
import { informationPages } from "./app/information.tsx";
import { limitPages } from "./app/limits.tsx";
import { permissionPages } from "./app/permissions.tsx";
import { requestPages } from "./app/requests.tsx";
import { webhookPages } from "./app/webhooks.tsx";
import {
  type ConsoleContext,
  type ConsoleDeps,
  type ConsoleEnv,
  notSignedIn,
  operatorOnly,
  type Site,
} from "./env.ts";
import { createCookies, loadSession } from "./guard.ts";
import { operatorAccessPages } from "./operator/operator-access.tsx";
import { operatorContentPages } from "./operator/operator-content.tsx";
import { operatorOverviewPages } from "./operator/operator-overview.tsx";
import { operatorQueuePages } from "./operator/operator-queue.tsx";
import { referenceViewer } from "./reference-viewer.ts";
import { HOME, nextPage, signInPages } from "./sign-in.tsx";

const BODY_BYTES_MAX = 64 * 1024;
const INFORMATION_FORM = /\/apps\/[^/]+\/collections\/[^/]+\/[^/]+$/;
// REST takes a record of 100 KiB, whose bytes a form writes with three characters each.
const INFORMATION_BYTES_MAX = 400 * 1024;
const SCRIPTS = [
  "sign-in.js",
  "wallet.js",
  "key-field.js",
  "prove.js",
  "live.js",
  "first-request.js",
  "groups.js",
  "demo-wallet.js",
  "texts.js",
];

const scripts = Object.fromEntries(
  SCRIPTS.map((name) => [
    name,
    { type: "text/javascript", load: () => readFile(new URL(`./client/${name}`, import.meta.url)) } as const,
  ]),
);

export function createConsole(deps: ConsoleDeps): Hono<ConsoleEnv> {
  const signInChainId = deps.collections.all[0]?.chainId;
  const site: Site = {
    ...deps,
    signInChainId,
    to: pathsUnder(deps.baseUrl),
    walletScripts: deps.demoWallet ? ["demo-wallet.js"] : [],
  };
  const cookies = createCookies(site);
  const routes = new Hono<ConsoleEnv>();
  const { console: changes, anonymousGraphql: pages, clientAddress } = site.rateLimits;
  const perChange = perClient(changes, clientAddress);
  const perPage = perClient(pages, clientAddress);

  routes.onError((error, c) => answerProblem(error, c, site));
  routes.route("/files", assetRoutes<ConsoleEnv>(scripts));
  routes.use(
    pageHeaders(deps),
    requireOwnOrigin(site.baseUrl, { what: "console" }),
    limitForm,
    // Every form adds rows, also before sign-in.
    rateLimit<ConsoleEnv>((c) => (c.req.method === "POST" ? perChange(c) : perPage(c))),
    loadSession(site, cookies),
  );
  routes.route("/", signInPages(site, cookies));
  routes.route("/", referenceViewer(site));
  routes.use(askToSignIn(site.to));
  routes.use("/operator/*", (c, next) => {
    operatorOnly(c);
    return next();
  });
  for (const pagesOf of [
    appListPages,
    informationPages,
    permissionPages,
    contentRequestPages,
    collectionPages,
    requestPages,
    limitPages,
    webhookPages,
    healthPages,
    operatorAccessPages,
    operatorContentPages,
    operatorQueuePages,
    operatorOverviewPages,
  ])
    routes.route("/", pagesOf(site));
  routes.all("*", answerUnrouted(routes));
  return routes;
}

const limitInformation = limitBody(INFORMATION_BYTES_MAX);
const limitOther = limitBody(BODY_BYTES_MAX);
const limitForm = createMiddleware<ConsoleEnv>((c, next) =>
  INFORMATION_FORM.test(c.req.path) ? limitInformation(c, next) : limitOther(c, next),
);

/** Sends people who aren't signed in to the sign-in page; scripts get KEY_MISSING. */
const askToSignIn = (to: To) =>
  createMiddleware<ConsoleEnv>(async (c, next) => {
    if (c.get("session")) return next();
    if (isRead(c.req)) {
      const { searchParams } = new URL(c.req.url);
      // What a form did is said once, and not after the sign-in again.
      searchParams.delete("done");
      const next = nextPage(searchParams.size > 0 ? `${c.req.path}?${searchParams}` : c.req.path);
      return c.redirect(
        to(`/console/sign-in${next === HOME ? "" : `?${new URLSearchParams({ next })}`}`),
        303,
      );
    }
    throw notSignedIn();
  });

/** A page for people, the API's error for scripts. */
function answerProblem(error: Error, c: ConsoleContext, site: Site): Response | Promise<Response> {
  // Logs unexpected errors, whoever the caller is.
  const answer = answerError(error, c, site.logger);
  if (!prefersHtml(c)) return answer;
  const { code, status, details } = toApiError(error);
  const { problems } = words().consoleFrame;
  const { title, text } = problemOf(problems, status);
  const isSignedOut = code === "KEY_MISSING";
  return c.html(
    page(
      <Layout title={title} to={site.to} nonce={c.get("secureHeadersNonce")} width="narrow">
        <Title>{title}</Title>
        <Card>
          {(isSignedOut || details.length === 0) && <p>{text}</p>}
          <ProblemDetails c={c} details={isSignedOut ? [] : details} />
          <p class="row">
            <Retry c={c} to={site.to} status={status} />
            {isSignedOut && (
              // In a tab of its own: a reload of this one sends the form again.
              <a class="button primary" href={site.to("/console/sign-in")} target="_blank" rel="noopener">
                {problems.signIn}
              </a>
            )}
            <a class="button" href={site.to("/console")}>
              {problems.back}
            </a>
          </p>
        </Card>
      </Layout>,
    ),
    status as ContentfulStatusCode,
  );
}
