/** The SDK's root fields for orders, offers and rates: they check their arguments, and there are none. */

import { z } from "@hono/zod-openapi";
import { ownerSchema } from "../../catalog/rules.ts";
import { addressField } from "../../http/fields.ts";
import { readArguments, tokenArguments, windowArguments } from "../own/arguments.ts";

const TOKENS_MAX = 100;

const filter = z.object({ tokenAddresses: z.array(addressField).nullish() }).nullish();
const listArguments = z.intersection(
  z.object({ collectibleFilters: filter, roninAddress: ownerSchema.nullish() }),
  windowArguments,
);
const tokensArguments = z.object({
  tokenIds: z.array(tokenArguments).max(TOKENS_MAX, {
    error: (issue) => `has ${(issue.input as unknown[]).length} tokens; the limit is ${TOKENS_MAX}`,
  }),
});
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
