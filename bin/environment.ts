/** The variables of a working folder. */

import { existsSync } from "node:fs";

/** Adds .env.local and .env of the working folder to this process's environment; existing variables win. */
export function loadEnvironment(): void {
  for (const file of [".env.local", ".env"]) if (existsSync(file)) process.loadEnvFile(file);
}
