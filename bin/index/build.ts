/** The build of this tree and configuration as Ponder would make it: its id, and whether it can be made at all. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), "build-process.ts");

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Ten hex digits that Ponder compares with those of the index it finds. Runs Ponder's own build in a process
 * that has neither a database nor a port, in about three seconds; an RPC endpoint that is away is no matter.
 * Throws what the build said when the configuration or the code does not stand.
 */
export async function readBuildId(root: string, environment: Environment): Promise<string> {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const build = spawn(process.execPath, ["--import", tsx, SCRIPT], {
    cwd: resolve(root),
    env: {
      ...environment,
      // Both would be made where they are missing, and neither is part of the build.
      DATABASE_URL: "postgresql://127.0.0.1/unused",
      VITRINE_OPERATOR_TOKEN: environment.VITRINE_OPERATOR_TOKEN || "unused-by-the-build",
      PONDER_TELEMETRY_DISABLED: "1",
      PONDER_LOG_LEVEL: "error",
      NO_COLOR: "1",
      FORCE_COLOR: undefined,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let said = "";
  for (const output of [build.stdout, build.stderr]) {
    output?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  let buildId: string | undefined;
  build.on("message", (message) => {
    buildId = (message as { readonly buildId: string }).buildId;
  });

  const [code, signal] = await once(build, "close");
  if (buildId) return buildId;
  throw new Error(said.trim().replace(/^vitrine: /gm, "") || `the build ended with ${code ?? signal}`);
}
