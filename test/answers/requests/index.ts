/** All that is asked, surface by surface. Later ones see what earlier ones changed. */

import type { Request } from "../request.ts";
import { chain } from "./chain.ts";
import { cli, cliOffline } from "./cli.ts";
import { console } from "./console.ts";
import { consoleOperator, queue } from "./console-operator.ts";
import { errors, metrics } from "./errors.ts";
import { graphqlOwn, mutations } from "./graphql.ts";
import { graphqlPonder } from "./graphql-ponder.ts";
import { market } from "./market.ts";
import { operator } from "./operator.ts";
import { pages, pagesAfter } from "./pages.ts";
import { partner } from "./partner.ts";
import { registry } from "./registry.ts";
import { site } from "./site.ts";

export const surfaces: Readonly<Record<string, readonly Request[]>> = {
  "cli-offline": cliOffline,
  site,
  market,
  registry,
  graphql: graphqlOwn,
  "graphql-ponder": graphqlPonder,
  pages,
  partner,
  operator,
  "graphql-mutations": mutations,
  chain,
  "pages-after": pagesAfter,
  console,
  "console-operator": consoleOperator,
  cli,
  errors,
  "console-queue": queue,
  metrics,
};
