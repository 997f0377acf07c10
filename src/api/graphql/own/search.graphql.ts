/** Search, facets, collections and reports: the answers of the REST routes, over GraphQL. */
export const searchSdl = /* GraphQL */ `
  extend type Query {
    """
    Tokens of a collection by traits, text (in the name, the description or a trait value), owner and lock state. limit is
    1 to 100; a page begins where the one before ended, whatever was added or changed meanwhile.
    """
    searchTokens(
      tokenAddress: String!
      chainId: Float
      criteria: [SearchCriteria!]
      rangeCriteria: [RangeSearchCriteria!]
      text: String
      owner: String
      locked: Boolean
      "id_asc, id_desc, name_asc, name_desc, latest, updated, trait:<name>:asc or trait:<name>:desc."
      sort: String = "id_asc"
      limit: Int = 20
      cursor: String
    ): TokenPage!
    "How the traits of a collection's tokens are distributed, or of those that match."
    traits(
      tokenAddress: String!
      chainId: Float
      criteria: [SearchCriteria!]
      rangeCriteria: [RangeSearchCriteria!]
      text: String
      owner: String
      locked: Boolean
    ): TraitDistribution!
    "The collections served here, in the operator's order."
    collections: [Collection!]!
    collection(tokenAddress: String!, chainId: Float): Collection!
    """
    A token's issues and what became of every fetch, newest first. limit is 1 to 100, before is the next of an earlier
    answer. Null for an unknown token.
    """
    tokenReport(tokenAddress: String!, tokenId: String!, chainId: Float, limit: Int = 20, before: Int): TokenReport
  }

  type TokenPage {
    "May hold fewer than the limit on any page: a token burned in this moment is left out."
    items: [Token!]!
    "Null after the last page."
    nextCursor: String
    "How many tokens match, on all pages."
    total: Int!
  }

  type TraitDistribution {
    "Matching tokens."
    total: Int!
    traits: [TraitFacet!]!
  }

  type TraitFacet {
    traitType: String!
    "string, number, date or bool."
    displayType: String!
    "Matching tokens that have the trait."
    count: Int!
    "Of numbers and dates, among matching tokens."
    min: Float
    max: Float
    "The highest number that any token of the collection ever had."
    maxValue: Float
    "The most frequent first, at most 1,000."
    values: [TraitValueCount!]!
    "How many different values there are."
    valuesTotal: Int!
  }

  type TraitValueCount {
    value: JSON!
    count: Int!
    "Of all matching tokens, 0 to 100; without conditions, of all listed tokens."
    percentage: Float!
  }

  type Collection {
    chainId: Float!
    collectionAddress: String!
    standard: String
    "The operator's name for it, else that of its makers."
    name: String
    slug: String
    "Tokens that exist, as the index has it."
    items: Int
    "Wallets that hold some."
    owners: Int
    "What its makers tell of it."
    information: CollectionInformation
    "What the contract's logs said and the index could not take in."
    anomalies: [CollectionAnomaly!]!
  }

  type CollectionAnomaly {
    kind: String!
    "How many logs."
    count: Int!
    firstBlock: Float!
    "What was found the first time."
    detail: String!
  }

  type CollectionInformation {
    name: String!
    slug: String
    description: String
    creatorName: String
    avatar: String
    banner: String
    website: String
    discord: String
    x: String
    showAt: String
    tradableAt: String
    "Categories of the token page, in their order; none means the usual ones."
    traitGroups: [TraitGroup!]!
    updatedAt: String!
  }

  type TraitGroup {
    name: String!
    traits: [TraitGroupTrait!]!
  }

  type TraitGroupTrait {
    name: String!
  }

  type TokenReport {
    chainId: Float!
    collectionAddress: String!
    tokenId: String!
    metadata: TokenReportMetadata!
    "Of the document that is served."
    issues: [MetadataIssue!]!
    traits: [TokenTraitValue!]!
    display: TokenDisplay!
    versions: [MetadataVersion!]!
    "The before of the next page; null on the last one."
    next: Int
  }

  type TokenReportMetadata {
    "none, pending, current or failed: how the last fetch ended."
    status: String!
    reason: String
    version: Int
    contentHash: String
    fetchedAt: String
    "Where the document that is served was read from."
    uri: String
  }

  type MetadataVersion {
    number: Int!
    trigger: String!
    "updated, rejected or failed."
    outcome: String!
    reason: String
    uri: String
    "The block that the URI was read at."
    readBlock: Float
    contentHash: String
    durationMs: Int!
    fetchedAt: String!
    "The last fetch that found the same document again."
    confirmedAt: String
    confirmations: Int!
    issues: [MetadataIssue!]!
  }
`;
