/** The off-chain tables, in the order they came to be. A migration that has shipped is never edited. */

import { accessAndGuard, rateLimits } from "./access.ts";
import { indexBuilds, retention } from "./house.ts";
import { displayTypes, tokensAndVersions, traitIndexes } from "./metadata.ts";
import { hosts, refresh, secondLooks } from "./refresh.ts";

export const migrations: readonly string[] = [
  tokensAndVersions,
  refresh,
  accessAndGuard,
  indexBuilds,
  retention,
  secondLooks,
  displayTypes,
  rateLimits,
  hosts,
  traitIndexes,
];
