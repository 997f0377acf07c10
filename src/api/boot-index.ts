/** Boot of the indexing half, for ponder.config.ts. */

import { fileURLToPath } from "node:url";
import { BootError } from "../boot-error.ts";
import { loadIndexConfig } from "../config.ts";
import { prepareDatabase, requireFreePort, stopOnBootError, TRY_AGAIN_CODE } from "./boot.ts";
import { readIndexAtStart } from "./chain/index/index-at-start.ts";
import { requireNodes } from "./chain/index/require-nodes.ts";
import { requireSameChain } from "./chain/index/require-same-chain.ts";
import { lockSchemaForProcess } from "./chain/index/schema-lock.ts";
import { requireSchemaName } from "./chain/index/schema-name.ts";
import { ponderTransport } from "./chain/rpc/ponder-transport.ts";
import { verifyChainIds } from "./chain/rpc/verify-chain-ids.ts";
import { loadServingConfig } from "./config.ts";
import { requireDatabase } from "./db/require-database.ts";
import { say } from "./logging/say.ts";
import { ponderRuntime } from "./ponder-runtime.ts";
import { databaseUrl } from "./postgres/database-url.ts";

const IN_PLACE_TIMEOUT_MS = 1_000;
const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Checks everything that can prevent a start before Ponder locks its schema, and takes the schema for this process. Ends
 * the process with one sentence if it can't start. Returns what is to be indexed and how Ponder reaches it.
 */
export const bootIndex = () =>
  stopOnBootError(async () => {
    const config = loadIndexConfig(process.env);
    const { searchThreads } = loadServingConfig(process.env);
    const { command, port, hostname, schema, supervisorServes } = ponderRuntime();
    requireSchemaName(schema);
    // Else a replica would serve what is no longer indexed: the argument, perhaps in a unit's file, comes first.
    const named = process.env.DATABASE_SCHEMA;
    if (command === "serve" && !supervisorServes && named && named !== schema) {
      throw new BootError(
        `--schema is "${schema}" and DATABASE_SCHEMA is "${named}"; remove --schema, or give both the same name.`,
      );
    }
    if (command === "start" || command === "serve") await requireFreePort(port, hostname);
    // In the indexer's place, nobody waits for a node that hangs: it has just been waited for.
    const isInPlace = command === "serve" && supervisorServes;
    await verifyChainIds(config.chains, isInPlace ? IN_PLACE_TIMEOUT_MS : undefined);
    const connectionString = await databaseUrl(process.env);
    if (command === "start" || command === "serve")
      await requireDatabase(connectionString, say, searchThreads);
    if (command === "start")
      await prepareDatabase({ connectionString, schema }, async () => {
        await takeSchema(connectionString, schema);
        const index = await readIndexAtStart(connectionString, schema);
        await requireSameChain(index, config.chains);
        if (supervisorServes) await requireNodes(index, config, PROJECT);
      });
    return { ...config, connectionString, ponderTransport };
  });

const takeSchema = (connectionString: string, schema: string) =>
  lockSchemaForProcess({
    connectionString,
    schema,
    onLine: say,
    onTaken: () => {
      say(`vitrine: another process took schema "${schema}" while the connection was lost; exiting.`);
      // Skip Ponder's own shutdown: it would unlock the schema under its new owner.
      process.exit(TRY_AGAIN_CODE);
    },
  });
