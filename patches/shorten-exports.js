/**
 * Makes drizzle-orm's package.json short; `npm ci` runs this after patch-package. Node 24 parses a package's `exports` anew
 * for each module in it and for each import of it (`getPackageScopeConfig` in Node's package_json_reader.js), and
 * drizzle-orm lists 439 paths in 128 kB: a quarter of what it takes to load Ponder. All but 60 of them have the form of one
 * pattern, which takes their place.
 */

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("../node_modules/drizzle-orm/package.json", import.meta.url));

const ofPattern = (path) => ({
  import: { types: `${path}.d.ts`, default: `${path}.js` },
  require: { types: `${path}.d.cts`, default: `${path}.cjs` },
  types: `${path}.d.ts`,
  default: `${path}.js`,
});

const description = JSON.parse(readFileSync(FILE, "utf8"));
const others = Object.entries(description.exports).filter(
  ([path, target]) => JSON.stringify(target) !== JSON.stringify(ofPattern(path)),
);
description.exports = { ...Object.fromEntries(others), "./*": ofPattern("./*") };
// At once: half a file would stop every later `npm install`.
writeFileSync(`${FILE}.new`, `${JSON.stringify(description, null, 2)}\n`);
renameSync(`${FILE}.new`, FILE);
