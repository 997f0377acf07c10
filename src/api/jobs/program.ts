/** How Node runs our TypeScript in a process of its own. */

import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const API = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * The arguments with which Node runs the module at `path`: what bin/serving-bundle.ts has made of it, which is ready in
 * half the time, or else the source, through tsx.
 */
export function programArguments(path: string): readonly string[] {
  const bundled = bundledProgram(path);
  if (bundled !== undefined) return ["--enable-source-maps", bundled];
  return ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href, path];
}

/**
 * Undefined without a bundle, for a program that is not part of it, and once a cleaner of temporary files has taken it:
 * what another account has put there since is not run.
 */
function bundledProgram(path: string): string | undefined {
  const bundle = process.env.VITRINE_SERVING_BUNDLE;
  const place = relative(API, path);
  if (!bundle || place.startsWith("..")) return undefined;
  const file = fileURLToPath(new URL(place.replace(/\.ts$/, ".mjs"), bundle));
  return statSync(file, { throwIfNoEntry: false })?.uid === process.getuid?.() ? file : undefined;
}
