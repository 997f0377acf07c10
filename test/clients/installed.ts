/** Fails unless the packages of this folder are installed: what doesn't run must not pass. */

import { existsSync } from "node:fs";
import { join } from "node:path";

export default function requirePackages(): void {
  if (!existsSync(join(import.meta.dirname, "node_modules/graphql-http")))
    throw new Error("the clients are not installed: run npm ci --prefix test/clients");
}
