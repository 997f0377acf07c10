/** Runs the command lines of the installed packages. */

import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");
const PACKAGES = join(import.meta.dirname, "node_modules");

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder with openapi.json, in which the packages resolve. */
export function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-clients-"));
  symlinkSync(PACKAGES, join(folder, "node_modules"));
  copyFileSync(join(ROOT, "openapi.json"), join(folder, "openapi.json"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return folder;
}

/** Runs a script with Node in a folder; `script` is a path below node_modules, or absolute. */
export function run(
  folder: string,
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const file = script.startsWith("/") ? script : join(PACKAGES, script);
  const options = {
    cwd: folder,
    maxBuffer: 64 << 20,
    // Neither reports usage nor looks for a newer release.
    env: {
      ...process.env,
      CI: "1",
      DO_NOT_TRACK: "1",
      REDOCLY_TELEMETRY: "off",
      REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
      ...env,
    },
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [file, ...args], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? 1, stdout, stderr }),
    );
  });
}
