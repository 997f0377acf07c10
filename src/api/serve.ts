/** Boot of the serving half. */

import { fileURLToPath } from "node:url";
import { loadIndexConfig } from "../config.ts";
import { createApp } from "./app/app.ts";
import { startBackground } from "./background.ts";
import { prepareDatabase, stopOnBootError } from "./boot.ts";
import { chainTables } from "./chain/module.ts";
import { loadServingConfig, redacted } from "./config.ts";
import { createDatabase } from "./db/database.ts";
import { isDatabaseUnavailable, refusesConnections } from "./db/database-away.ts";
import { migrate } from "./db/migrate.ts";
import { createGraphqlModule, createPonderHandler, type PonderQueries } from "./graphql/module.ts";
import { redactSecrets } from "./logging/redact.ts";
import { misspelt } from "./misspelt.ts";
import { ponderRuntime } from "./ponder-runtime.ts";
import { databaseUrl } from "./postgres/database-url.ts";
import { createServices } from "./services.ts";
import { nameRequests } from "./tracing/logged-request.ts";
import { startTracing } from "./tracing/start-tracing.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** Starts everything that serves, and returns its routes. `queries` creates Ponder's GraphQL. Called once in a process. */
export async function serve(queries: PonderQueries) {
  const runtime = ponderRuntime();
  const { metrics } = runtime;
  const logger = nameRequests(redactSecrets(runtime.logger));
  runtime.letSigtermUnlockTheSchema();
  runtime.stopWithSupervisor();

  const { config, index, connectionString } = await stopOnBootError(async () => ({
    config: loadServingConfig(process.env),
    index: loadIndexConfig(process.env),
    connectionString: await databaseUrl(process.env),
  }));
  logger.info({ msg: "Vitrine configuration", ...redacted(config) });
  for (const each of misspelt(process.env))
    logger.warn({ msg: "An unknown variable is ignored; its name is close to a known one", ...each });
  const tracing = await stopOnBootError(() => startTracing(process.env, logger));
  runtime.guardServer(config.trustedProxies, logger);
  runtime.drainBeforeStop(config.drainSeconds, logger);
  const target = { connectionString, schema: runtime.schema };
  await prepareDatabase(target, async () => void (await migrate(connectionString)));

  const tables = chainTables(runtime.schema, index.collections);
  const database = createDatabase(connectionString, logger);
  const services = createServices({ database, connectionString, tables, index, config, logger, metrics });
  // Each of these statements is short: one that ran into its time limit says something about the moment only.
  const prepare = <T>(work: () => Promise<T>) => prepareDatabase(target, work, isDatabaseUnavailable);
  if (runtime.command === "start") await prepare(() => services.chain.takeIndex(PROJECT));

  const storeFault = await stopOnBootError(() => services.disk.check());
  if (storeFault !== undefined) logger.warn({ msg: "The image store is unavailable", reason: storeFault });

  const graphqlRoutes = await createGraphqlModule({
    ponder: createPonderHandler(queries),
    services: { ...services, ...services.catalogModule },
    rateLimits: services.rateLimits,
    logger,
  });

  const background = await prepare(() =>
    startBackground({
      services,
      config,
      index,
      connectionString,
      metrics,
      isIndexed: !(runtime.command === "serve" && runtime.supervisorServes),
      onStall: (reason) => {
        // A replica that only serves can't index on, and asks nobody to.
        const isAsked = runtime.command === "start" && runtime.askForRestart(reason);
        logger.error({ msg: reason, restart: isAsked ? "asked for" : "restart the indexer" });
      },
    }),
  );
  runtime.onStop(async () => {
    await background.stop();
    await database.close();
    await tracing.stop();
  });

  const app = createApp({
    ...services,
    graphql: graphqlRoutes,
    health: { ...services.health, stalled: background.stalled, isIndexer: runtime.command !== "serve" },
  });
  runtime.answerWith(app, () => refusesConnections(database));
  return app;
}
