/** Bundles the serving half before the first test, so that every service of the run starts from one bundle. */

import { createServingBundle, SERVING_BUNDLE } from "../../bin/serving-bundle.ts";

export default async function setup(): Promise<void> {
  process.env[SERVING_BUNDLE] = await createServingBundle().current();
}
