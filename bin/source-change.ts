/** What the change of a source file asks of a running Ponder. */

import { basename } from "node:path";

// What editors write beside a file while they save it has none of these endings or starts with a dot.
const SOURCE = /^[^.].*\.(tsx?|json|css|graphql|svg)$/;

export type ChangeEffect = "none" | "restart" | "rebuild";

/**
 * The serving half asks for a restart only. Ponder takes everything else under src/ for the index's
 * definition, as it does its configuration, its schema, the ABIs and the collections.
 */
export function effectOfChange(path: string, collectionsFile: string): ChangeEffect {
  if (path === collectionsFile) return "rebuild";
  if (!SOURCE.test(basename(path))) return "none";
  if (path.startsWith("src/api/")) return "restart";
  const isIndex = /^(src|abis)\//.test(path) || ["ponder.config.ts", "ponder.schema.ts"].includes(path);
  return isIndex ? "rebuild" : "none";
}
