import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/setup/test-order.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export const resolve = {
  // Ponder's virtual modules exist only inside Ponder; handlers are captured by this registry instead.
  alias: {
    "ponder:registry": here("./test/support/setup/ponder-registry.ts"),
    "ponder:schema": here("./ponder.schema.ts"),
  },
};

/** The parts' tests; `whole` has those of all parts together. */
export const parts = {
  include: ["test/**/*.test.ts"],
  exclude: [
    "test/e2e/**",
    "test/faults/**",
    "test/browser/**",
    "test/fuzz/**",
    "test/soak/**",
    "test/answers/**",
    "test/clients/**",
    "test/topology/**",
    "test/helm/**",
  ],
};

export const whole = {
  include: ["test/e2e/**/*.test.ts"],
  // What starts a service takes seconds of a core, several times where an index is built beside another.
  testTimeout: 300_000,
  hookTimeout: 300_000,
};

/** Of each project, and first: all others put their files into its folder. */
export const globalFolder = "test/support/setup/global-folder.ts";

export const globalSetup = [
  "test/support/setup/global-postgres.ts",
  "test/support/setup/global-contracts.ts",
  "test/support/setup/global-bundle.ts",
];

export const setupFiles = ["test/support/setup/end-file.ts"];

export default defineConfig({
  resolve,
  test: {
    globalSetup: [globalFolder],
    setupFiles,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          ...parts,
          maxWorkers: 2,
          // Loading the service's modules anew for each file takes longer than its tests.
          isolate: false,
          globalSetup,
        },
      },
      {
        extends: true,
        test: {
          name: "whole",
          ...whole,
          // Each file runs a chain, a database and the service. Half of it is waiting: three at a time.
          maxWorkers: 3,
          isolate: false,
          globalSetup,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "faults",
          include: ["test/faults/**/*.test.ts"],
          globalSetup: ["test/support/setup/global-postgres.ts"],
          // They wait for services that are killed, starved and started again; `npm run test:faults` runs them.
          testTimeout: 600_000,
          hookTimeout: 300_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: "fuzz",
          include: ["test/fuzz/**/*.test.ts"],
          globalSetup: ["test/support/setup/global-postgres.ts"],
          // As long as FUZZ_SECONDS and FUZZ_REQUESTS say.
          testTimeout: 3_600_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: "answers",
          include: ["test/answers/**/*.test.ts"],
          // One service for all of them, whose first documents are read twice before anything is asked.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 5 },
        },
      },
      {
        extends: true,
        test: {
          name: "helm",
          include: ["test/helm/*.test.ts"],
          globalSetup: ["test/helm/installed.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "clients",
          include: ["test/clients/*.test.ts"],
          // One service for all of them, beside generators and compilers.
          globalSetup: ["test/clients/installed.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 1,
          sequence: { groupOrder: 6 },
        },
      },
      {
        extends: true,
        test: {
          name: "topology",
          include: ["test/topology/**/*.test.ts"],
          // Several services, a database and a load balancer each.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 1,
          sequence: { groupOrder: 7 },
        },
      },
      {
        extends: true,
        test: {
          name: "soak",
          include: ["test/soak/**/*.test.ts"],
          globalSetup: ["test/support/setup/global-postgres.ts"],
          // The test itself takes as long as SOAK_MINUTES says.
          hookTimeout: 300_000,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
