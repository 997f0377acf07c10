import { defineConfig } from "vitest/config";
import { globalFolder } from "./vitest.config.ts";

/** `npm run test:browser`: pages in a real Chromium, before the application and before the whole service. */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: [
      globalFolder,
      "test/support/setup/global-postgres.ts",
      "test/support/setup/global-bundle.ts",
    ],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // Most files run a chain, a database, the service and a browser; together, two leave none of two cores idle.
    maxWorkers: 2,
  },
});
