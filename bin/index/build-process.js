/**
 * A process that runs the first half of `ponder start`, up to the build id, and sends the id to its parent. It is
 * JavaScript because a loader of TypeScript would read each of Ponder's thousand modules, which takes two seconds.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

// The package exports none of this; a test compares the result with what `ponder start` writes.
const PONDER = new URL("../../node_modules/ponder/", import.meta.url);
const load = (path) => import(new URL(`dist/esm/${path}`, PONDER).href);
// Ponder's own constants, which it does not export either.
const BUILD_ID_VERSION = "2";
const BUILD_ID_DIGITS = 10;

// Vite would keep this process alive after its parent has gone.
process.once("disconnect", () => process.exit(1));

const { version } = JSON.parse(readFileSync(new URL("package.json", PONDER), "utf8"));
// A command that neither listens nor indexes: the configuration then ignores the port.
const cliOptions = { command: "list", version, config: "ponder.config.ts", logFormat: "pretty" };

const [{ createBuild }, { buildOptions }, { createLogger }, { createShutdown }] = await Promise.all([
  load("build/index.js"),
  load("internal/options.js"),
  load("internal/logger.js"),
  load("internal/shutdown.js"),
]);

const options = buildOptions({ cliOptions });
const shutdown = createShutdown();
const common = {
  options,
  logger: createLogger({ level: options.logLevel, mode: options.logFormat }),
  shutdown,
  buildShutdown: shutdown,
  apiShutdown: shutdown,
};
const build = await createBuild({ common, cliOptions });
build.namespaceCompile();

const hash = createHash("sha256").update(BUILD_ID_VERSION);
for (const part of [build.executeConfig, build.executeSchema, build.executeIndexingFunctions]) {
  const outcome = await part();
  // Ponder has logged the reason.
  if (outcome.status === "error") process.exit(1);
  hash.update(outcome.result.contentHash);
}
process.send?.({ buildId: hash.digest("hex").slice(0, BUILD_ID_DIGITS) }, () => process.exit(0));
