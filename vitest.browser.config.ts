import { defineConfig } from "vitest/config";

/** `npm run test:browser`: pages in a real Chromium, before the whole service. */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Each file runs a chain, a database, the service and a browser.
    fileParallelism: false,
  },
});
