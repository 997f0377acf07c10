/** Starts worker threads that run our TypeScript. */

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import type { Plugin } from "esbuild";
import { createPromiseCache } from "../async/promise-cache.ts";
import { withOwnYoungGeneration } from "./young-generation.ts";

export type ThreadOptions = Pick<WorkerOptions, "resourceLimits" | "name" | "workerData">;

/**
 * By program, of which there are three, as one text: a thread can't load TypeScript by itself, and a loader in each takes
 * longer and more memory.
 */
const bundled = createPromiseCache<string, string>({ max: 10 });

/** `program` is the URL of a module, which finds `workerData` and the parent's messages as in any worker thread. */
export async function startThread(program: URL, options: ThreadOptions = {}): Promise<Worker> {
  const script = await threadScript(program);
  // Loaders of this process don't work in a thread.
  const start = (): Worker => new Worker(script, { ...options, eval: true, execArgv: [] });
  return options.resourceLimits?.maxYoungGenerationSizeMb === undefined
    ? start()
    : withOwnYoungGeneration(start);
}

/** The program as one text, with what it imports of ours; packages stay imports. A failure is not kept. */
export const threadScript = ({ href }: URL): Promise<string> =>
  bundled.get(href, () => bundle(fileURLToPath(href)));

/** Our modules do nothing when they are loaded, so what a thread doesn't call of them, with its packages, is left out. */
const onlyUsed: Plugin = {
  name: "only what is used",
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path),
      sideEffects: false,
    }));
  },
};

/** Bundles our own sources; packages stay where they are. */
async function bundle(file: string): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    packages: "external",
    write: false,
    format: "cjs",
    platform: "node",
    target: "node22",
    // Each becomes a `require`, which finds packages as below.
    supported: { "dynamic-import": false },
    logLevel: "silent",
    plugins: [onlyUsed],
  });
  // A script that is not a file would look for packages in the current folder.
  return `(function (require) {${outputFiles[0]?.text ?? ""}})(require("node:module").createRequire(${JSON.stringify(file)}))`;
}
