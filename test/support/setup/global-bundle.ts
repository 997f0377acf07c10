/** Bundles the serving half before the first test, so that every service of the run starts from one bundle. */

import type { TestProject } from "vitest/node";
import { createServingBundle } from "../../../bin/serving-bundle.ts";

export default async function setup(project: TestProject): Promise<void> {
  const bundle = createServingBundle();
  Object.assign(process.env, await bundle.environment());
  // In watch mode, a source may have changed; the bundle keeps its URL.
  project.onTestsRerun(async () => void (await bundle.current()));
}
