/** `npm run bench [-- name …]`: measures both sides of a ratio in the same run; one JSON line per measurement. */

import { benchCatalog } from "./catalog.ts";
import { benchGateway } from "./gateway.ts";
import { benchGraphql } from "./graphql.ts";
import { benchIndexing } from "./indexing.ts";
import { benchMedia } from "./media.ts";
import { benchMediaCache } from "./media-cache.ts";
import { benchPages } from "./pages.ts";
import { benchReads } from "./reads.ts";
import { benchRefresh } from "./refresh.ts";
import { benchResolve } from "./resolve.ts";

const benches: Record<string, () => Promise<object>> = {
  indexing: benchIndexing,
  resolve: benchResolve,
  refresh: benchRefresh,
  media: benchMedia,
  "media-cache": benchMediaCache,
  gateway: benchGateway,
  graphql: benchGraphql,
  reads: benchReads,
  catalog: benchCatalog,
  pages: benchPages,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in benches));
if (unknown.length > 0) {
  process.stderr.write(`no such bench: ${unknown.join(", ")}; there is ${Object.keys(benches).join(", ")}\n`);
  process.exit(1);
}
for (const [name, bench] of Object.entries(benches)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stdout.write(`${JSON.stringify({ bench: name, ...(await bench()) })}\n`);
}
process.exit(0);
