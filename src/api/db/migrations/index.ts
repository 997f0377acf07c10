/** The off-chain tables, in the order they came to be. A migration that has shipped is never edited. */

import { accessAndGuard, consoleTables, rateLimits } from "./access.ts";
import { collectionInformation, tradeOpenings } from "./catalog.ts";
import { deliveredBlocks } from "./chain.ts";
import { events, lockStandards, seenVersions } from "./events.ts";
import { media, mediaEnds } from "./media.ts";
import {
  changedTypes,
  changesFirst,
  displayTypes,
  internedTraits,
  searchable,
  tokensAndVersions,
  traitIndexes,
  unseenTokens,
} from "./metadata.ts";
import {
  accepted,
  hosts,
  mintedRanges,
  probes,
  receiptsForAll,
  rechecks,
  refresh,
  unseenRequests,
} from "./refresh.ts";
import { renormalise } from "./renormalise.ts";
import { sampling } from "./sampling.ts";
import { indexBuilds, retention } from "./shared.ts";

export const migrations: readonly string[] = [
  tokensAndVersions,
  refresh,
  accessAndGuard,
  indexBuilds,
  retention,
  rechecks,
  displayTypes,
  rateLimits,
  hosts,
  traitIndexes,
  internedTraits,
  accepted,
  receiptsForAll,
  media,
  searchable,
  consoleTables,
  events,
  collectionInformation,
  changesFirst,
  changedTypes,
  mediaEnds,
  mintedRanges,
  lockStandards,
  tradeOpenings,
  renormalise,
  unseenTokens,
  seenVersions,
  sampling,
  probes,
  deliveredBlocks,
  unseenRequests,
];
