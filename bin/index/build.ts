/** The build that Ponder would make of this tree and configuration: its id, and whether it is valid. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isLocal, SECRET_LENGTH_MIN } from "../../src/api/local-secrets.ts";
import { SERVING_BUNDLE } from "../serving-bundle.ts";

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), "build-process.js");

const UNUSED_SECRET = "unused-by-the-build".padEnd(SECRET_LENGTH_MIN, ".");

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Ten hex digits that Ponder compares with those of an existing chain index. Runs Ponder's own build in a process
 * without a database or a port, in about two seconds; it needs no RPC endpoint. Throws the build's own message when
 * the configuration or the code is invalid.
 */
export async function readBuildId(root: string, environment: Environment): Promise<string> {
  const build = spawn(process.execPath, [SCRIPT], {
    cwd: resolve(root),
    env: {
      ...environment,
      // All three would be created if missing, and none is part of the build.
      DATABASE_URL: "postgresql://127.0.0.1/unused",
      VITRINE_OPERATOR_TOKEN: environment.VITRINE_OPERATOR_TOKEN || "unused-by-the-build",
      VITRINE_SECRET: environment.VITRINE_SECRET || (isLocalService(environment) ? UNUSED_SECRET : undefined),
      PONDER_LOG_LEVEL: "error",
      // Of this tree's own sources, whatever the caller's bundle was made of.
      [SERVING_BUNDLE]: undefined,
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

/** One that creates its secret; any other is refused without one. */
const isLocalService = ({ BASE_URL: url }: Environment): boolean =>
  !url || (URL.canParse(url) && isLocal(url));
