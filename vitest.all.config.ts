import { defineConfig } from "vitest/config";
import { Interleaved } from "./test/support/setup/test-order.ts";
import { globalFolder, globalSetup, parts, resolve, setupFiles, whole } from "./vitest.config.ts";

/**
 * `npm test`: the projects `parts` and `whole` as one. Vitest runs projects one after the other, and each of the two
 * waits for a good part of its time: for time limits to pass, and for services to start.
 */
export default defineConfig({
  resolve,
  test: {
    ...parts,
    include: [...parts.include, ...whole.include],
    exclude: parts.exclude.filter((path) => path !== "test/e2e/**"),
    testTimeout: whole.testTimeout,
    hookTimeout: whole.hookTimeout,
    globalSetup: [globalFolder, ...globalSetup],
    setupFiles,
    // Two of them run a service, which takes a core while it starts; the others wait as much as they compute.
    maxWorkers: 4,
    // With Node's default of 16 MiB, garbage collection takes a seventh of a worker's time. Its helper threads take cores
    // from the other workers: without them, a run is 1.09 times as fast.
    execArgv: ["--max-semi-space-size=64", "--single-threaded-gc"],
    isolate: false,
    sequence: { sequencer: Interleaved },
  },
});
