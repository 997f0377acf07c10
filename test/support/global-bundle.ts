/** Bundles the serving half before the first test, so that every service of the run starts from one bundle. */

import { createServingBundle } from "../../bin/serving-bundle.ts";

export default async function setup(): Promise<void> {
  Object.assign(process.env, await createServingBundle().environment());
}
