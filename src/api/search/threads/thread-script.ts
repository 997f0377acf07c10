/** The search thread's script as one text: a worker thread can't load TypeScript by itself. */

import { fileURLToPath } from "node:url";

const ENTRY = fileURLToPath(new URL("./search-thread.ts", import.meta.url));

let bundled: Promise<string> | undefined;

/** Bundled from our own sources on first use; packages stay where they are. A failure is not kept. */
export function threadScript(): Promise<string> {
  bundled ??= bundle().catch((error: unknown) => {
    bundled = undefined;
    throw error;
  });
  return bundled;
}

async function bundle(): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    packages: "external",
    write: false,
    format: "cjs",
    platform: "node",
    target: "node20",
    logLevel: "silent",
  });
  // A script that is not a file would look for packages in the current folder.
  return `(function (require) {${outputFiles[0]?.text ?? ""}})(require("node:module").createRequire(${JSON.stringify(ENTRY)}))`;
}
