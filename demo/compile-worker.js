/** Runs the Solidity compiler off the main thread: it blocks for two seconds, takes 100 MB and adds listeners. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";

const require = createRequire(import.meta.url);
const solc = require("solc");

const output = solc.compile(workerData, {
  import: (path) => ({ contents: readFileSync(require.resolve(path), "utf8") }),
});
parentPort?.postMessage(output);
