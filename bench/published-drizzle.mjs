/**
 * `node --import` this file: Ponder then uses drizzle-orm as it is published, without the patch that makes its inserts
 * faster here (patches/).
 */

import { registerHooks } from "node:module";

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    nextResolve(specifier.replace(/^drizzle-orm(?=\/|$)/, "drizzle-orm-published"), context),
});
