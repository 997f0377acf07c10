/** Load it with `node --import`: Ponder then uses the published drizzle-orm, without our patch (patches/). */

import { registerHooks } from "node:module";

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    nextResolve(specifier.replace(/^drizzle-orm(?=\/|$)/, "drizzle-orm-published"), context),
});
