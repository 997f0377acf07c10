/** Runs our TypeScript in processes of their own. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const API = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * The arguments with which Node runs the module at `path`: what bin/serving-bundle.ts has made of it, which takes a third
 * of the time to load, or else the source, through tsx.
 */
export function programArguments(path: string): readonly string[] {
  const bundled = bundledProgram(path);
  if (bundled !== undefined) return [bundled];
  return ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href, path];
}

/** Undefined without a bundle, for a program that is not part of it, and once a cleaner of temporary files has taken it. */
function bundledProgram(path: string): string | undefined {
  const bundle = process.env.VITRINE_SERVING_BUNDLE;
  const place = relative(API, path);
  if (!bundle || place.startsWith("..")) return undefined;
  const file = fileURLToPath(new URL(place.replace(/\.ts$/, ".mjs"), bundle));
  return existsSync(file) ? file : undefined;
}
