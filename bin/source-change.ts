/** What a changed source file requires of a running Ponder. */

import { basename } from "node:path";

// Temporary files that editors write while saving have other endings or start with a dot.
const SOURCE = /^[^.].*\.(tsx?|json|css|graphql|svg)$/;

export type ChangeEffect = "none" | "restart" | "rebuild";

/**
 * The serving half only requires a restart. Ponder treats everything else under src/ as part of the chain index's
 * definition, like its configuration, its schema, the ABIs and the collections.
 */
export function effectOfChange(path: string, collectionsFile: string): ChangeEffect {
  if (path === collectionsFile) return "rebuild";
  if (!SOURCE.test(basename(path))) return "none";
  if (path.startsWith("src/api/")) return "restart";
  const isIndex = /^(src|abis)\//.test(path) || ["ponder.config.ts", "ponder.schema.ts"].includes(path);
  return isIndex ? "rebuild" : "none";
}
