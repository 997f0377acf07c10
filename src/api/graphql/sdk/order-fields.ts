/** The SDK's root fields for orders, offers and rates: they check their arguments, and there are none. */

import { z } from "@hono/zod-openapi";
import { ownerSchema } from "../../catalog/rules.ts";
import { collectionNameField } from "../../http/fields.ts";
import { listArgument, readArguments, tokenArguments, windowArguments } from "../own/arguments.ts";

const TOKENS_MAX = 100;
const COLLECTIONS_MAX = 100;

const collections = listArgument(collectionNameField, COLLECTIONS_MAX, "collections");
const filter = z.object({ tokenAddresses: collections.nullish() }).nullish();
const listArguments = z.intersection(
  z.object({ collectibleFilters: filter, roninAddress: ownerSchema.nullish() }),
  windowArguments,
);
const tokensArguments = z.object({ tokenIds: listArgument(tokenArguments, TOKENS_MAX, "tokens") });
const offererArguments = z.object({ roninAddress: ownerSchema });

const emptyPage = (args: z.input<typeof listArguments>) => {
  readArguments(listArguments, args);
  return { total: 0, quantity: 0, data: [] };
};

export const orderFields = {
  exchangeRate: () => null,
  order: () => null,
  sentOffers: emptyPage,
  receivedOffers: emptyPage,
  myListingOrders: emptyPage,
  activeOrdersOfTokens(args: z.input<typeof tokensArguments>) {
    readArguments(tokensArguments, args);
    return [];
  },
};

/** The fields of an ERC-721 token. */
export const tokenOrderFields = {
  offers(args: z.input<typeof windowArguments>) {
    readArguments(windowArguments, args);
    return [];
  },
  offerBy(args: z.input<typeof offererArguments>) {
    readArguments(offererArguments, args);
    return null;
  },
};
