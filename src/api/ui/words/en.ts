/** The texts of pages in English. Another language is a file with the same keys, named in languages.ts. */

export const en = {
  layout: {
    skip: "Skip to the content",
    main: "Main",
    collections: "Collections",
    console: "Console",
    api: "API",
    reference: "API reference",
    explorer: "GraphQL explorer",
  },
  theme: {
    title: "Theme",
    system: "System",
    light: "Light",
    dark: "Dark",
  },
  searchBox: {
    label: "Search collections, tokens and wallets",
    placeholder: "Search collections and tokens",
    suggestions: "Suggestions",
    none: "Nothing found",
    all: (text: string) => `All results for “${text}”`,
  },
  chain: {
    unnamed: (chainId: number) => `Chain ${chainId}`,
  },
  density: {
    title: "Size of the cards",
    roomy: "Large cards",
    dense: "Small cards",
  },
  collections: {
    description: "The NFT collections served here, with their items, owners and traits.",
  },
  home: {
    description:
      "Metadata, locks and access for an NFT marketplace: what tokens are, which are locked, and whether they can be traded.",
  },
  collection: {
    by: "by",
    address: "the contract’s address",
    items: "Items",
    owners: "Owners",
    royalty: "Royalty",
    activity: "Activity",
    website: "Website",
    discord: "Discord",
    x: "X",
    anomaly: (kind: string, count: number, block: number) =>
      `Not indexed in full: ${kind}, ${count} ${count === 1 ? "log" : "logs"} since block ${block}`,
    aboutCollection: (name: string, facts: string) => `${name}: ${facts}`,
  },
  copy: {
    button: (what: string) => `Copy ${what}`,
    done: "Copied.",
    failed: "It could not be copied.",
    transaction: "the transaction’s hash",
  },
  explorer: {
    address: (explorer: string) => `View on ${explorer}`,
  },
  lists: {
    owners: (name: string) => `The owners of ${name}, largest first.`,
    activity: (name: string) => `Mints, transfers and locks of ${name}, newest first.`,
    wallet: (address: string) => `The tokens and the activity of the wallet ${address}.`,
  },
  neighbours: {
    title: "Other tokens",
    previous: (id: string) => `Previous token, #${id}`,
    next: (id: string) => `Next token, #${id}`,
  },
  card: {
    locked: "Locked",
    owner: "Owner",
    rank: (rank: string) => `Rank ${rank}`,
    rarity: (rank: string, of: string) => `Rarity rank ${rank} of ${of}`,
    supply: (count: string) => `Supply ${count}`,
  },
  search: {
    title: "Search",
    titleOf: (text: string) => `Search for “${text}”`,
    description: "Collections and tokens by name and id.",
    hint: "Type the name of a collection, the name or id of a token, or an address.",
    count: (collections: number, tokens: number) =>
      `${collections} ${collections === 1 ? "collection" : "collections"}, ${tokens} ${tokens === 1 ? "token" : "tokens"}`,
    none: "No collection or token has this name or id.",
    unsearched: (count: string) =>
      `The tokens of ${count} more collections were not searched. Each collection’s page searches its own.`,
    wallet: (address: string) => `Wallet ${address}`,
    tokens: "Tokens",
  },
};
