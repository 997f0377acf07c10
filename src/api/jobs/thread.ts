/** Starts worker threads that run our TypeScript. */

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

// A thread has no loaders of its main thread, so it registers one before the program.
const BOOT = `
const { workerData } = require("node:worker_threads");
import(workerData.loader).then(({ register }) => {
  register();
  return import(workerData.program);
});
`;
const LOADER = "dist/esm/api/index.mjs";

/** `program` is the URL of a module; what it needs comes by messages. */
export function startThread(
  program: URL,
  options: Pick<WorkerOptions, "resourceLimits" | "name"> = {},
): Worker {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx/package.json"));
  const loader = new URL(LOADER, tsx).href;
  return new Worker(BOOT, { ...options, eval: true, workerData: { loader, program: program.href } });
}
