/** The texts of the search of the bar and its page, in English. */

import { type Counted, many } from "../plural.ts";

export const search = {
  label: "Search collections, tokens and wallets",
  placeholder: "Search collections and tokens",
  suggestions: "Suggestions",
  nothing: "Nothing found",
  all: (text: string) => `All results for “${text}”`,
  title: "Search",
  titleOf: (text: string) => `Search for “${text}”`,
  description: "Collections and tokens by name and id.",
  hint: "Type the name of a collection, the name or id of a token, or an address.",
  /** Each number with its text, which may say that there are more. */
  count: (collections: Counted, tokens: Counted, hasWallet: boolean) =>
    [
      ...(hasWallet ? ["1 wallet"] : []),
      many(collections.count, "collection", "collections", collections.text),
      many(tokens.count, "token", "tokens", tokens.text),
    ].join(", "),
  none: "No collection or token has this name or id.",
  unsearched: (count: string) =>
    `The tokens of ${count} more collections were not searched. Each collection’s page searches its own.`,
  wallet: (address: string) => `Wallet ${address}`,
  tokens: "Tokens",
};
