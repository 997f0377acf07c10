/** Search, facets, collections and reports: the answers of the REST routes, over GraphQL. */

import { plainSorts } from "../../catalog/rules.ts";

const sorts = [...Object.keys(plainSorts), "trait:<name>:asc"].join(", ");

export const searchSdl = /* GraphQL */ `
  extend type Query {
    """
    Tokens of a collection by traits, text (in the name, the description or a trait value), owner and lock state. limit is
    1 to 100; a page starts where the previous one ended, even if tokens were added or changed in between.
    """
    searchTokens(
      tokenAddress: String!
      chainId: Float
      criteria: [SearchCriteria!]
      rangeCriteria: [RangeSearchCriteria!]
      text: String
      owner: String
      "Up to 20 wallets, any of which, or owner, holds the token."
      owners: [String!]
      "With owner or owners: also tokens that their holders delegated to them without limits on rights."
      includeDelegated: Boolean
      locked: Boolean
      "${sorts} or trait:<name>:desc."
      sort: String = "id_asc"
      "document: of the tokens that serve the same document, only the first in the order, with their count."
      group: String
      limit: Int = 20
      cursor: String
    ): TokenPage!
    "The trait distribution of a collection's tokens, or of those that match."
    traits(
      tokenAddress: String!
      chainId: Float
      criteria: [SearchCriteria!]
      rangeCriteria: [RangeSearchCriteria!]
      text: String
      owner: String
      "Up to 20 wallets, any of which, or owner, holds the token."
      owners: [String!]
      "With owner or owners: also tokens that their holders delegated to them without limits on rights."
      includeDelegated: Boolean
      locked: Boolean
    ): TraitDistribution!
    "The values of a trait that begin with prefix, ignoring case, most frequent first. limit is 1 to 100."
    traitValues(tokenAddress: String!, chainId: Float, name: String!, prefix: String = "", limit: Int = 20): TraitValues!
    """
    Collections by name, slug and address, and tokens by name and id, over all collections: the best limit of each, 1 to
    100. Exact matches come first, then what begins with the text, then what contains it, ignoring case.
    """
    searchAll(text: String!, chainId: Float, limit: Int = 20): SearchResults!
    "The collections served here, of chainId or of all chains, in the operator's order."
    collections(chainId: Float): [Collection!]!
    collection(tokenAddress: String!, chainId: Float): Collection!
    """
    A token's issues and what became of its fetches, newest first. limit is 1 to 100, before is the next of an earlier
    answer. Null for an unknown token.
    """
    tokenReport(tokenAddress: String!, tokenId: String!, chainId: Float, limit: Int = 20, before: Int): TokenReport
  }

  type TokenPage {
    "A page may have fewer tokens than the limit: tokens that were just burned are left out, and documents of more than 8 MiB together come on several pages."
    items: [Token!]!
    "Null after the last page."
    nextCursor: String
    "The number of matching tokens on all pages; with group, of their documents."
    total: Int!
  }

  type SearchResults {
    collections: [Collection!]!
    "The best whose documents have at most 8 MiB together, which may be fewer than the limit."
    tokens: [Token!]!
    "The number of collections whose tokens were left out, for want of memory."
    unsearched: Int!
  }

  type TraitDistribution {
    "Matching tokens."
    total: Int!
    "Listed tokens of the collection, whatever the conditions: the base of percentages."
    listed: Int!
    traits: [TraitFacet!]!
  }

  type TraitFacet {
    traitType: String!
    "string, number, date or bool."
    displayType: String!
    "Matching tokens that have the trait."
    count: Int!
    "For numbers and dates, among matching tokens."
    min: Float
    max: Float
    "The highest number that any token of the collection has had."
    maxValue: Float
    "Most frequent first, at most 1,000."
    values: [TraitValueCount!]!
    "The number of different values."
    valuesTotal: Int!
  }

  type TraitValues {
    traitType: String!
    "string, number, date or bool; null for a trait that the collection has never had."
    displayType: String
    "The number of values that begin with the prefix."
    total: Int!
    "Listed tokens of the collection: the base of percentages."
    listed: Int!
    values: [TraitValueCount!]!
  }

  type TraitValueCount {
    value: JSON!
    "Matching tokens with this value."
    count: Int!
    "count as a share of listed, 0 to 100, with any conditions: the same base as the percentages of a token."
    percentage: Float!
  }

  type Collection {
    chainId: Float!
    collectionAddress: String!
    standard: String
    "The operator's name for it, or else its creators'."
    name: String
    slug: String
    "Existing tokens, according to the chain index."
    items: Int
    "Wallets that own at least one token."
    owners: Int
    "From its creators; fields that they left empty come from the contract's own document (ERC-7572)."
    information: CollectionInformation
    "Where each field comes from: maker, contract or configuration; null for one without a value."
    informationSource: CollectionInformationSource!
    "The collection's default royalty (ERC-2981); a token may have another."
    royalty: CollectionRoyalty
    "Logs of the contract that the chain index could not process in full."
    anomalies: [CollectionAnomaly!]!
  }

  type CollectionInformationSource {
    name: String
    slug: String
    description: String
    creatorName: String
    avatar: String
    banner: String
    website: String
    discord: String
    x: String
  }

  type CollectionRoyalty {
    receiver: String!
    "Of the sale price, 0 to 100."
    percent: Float!
  }

  type CollectionAnomaly {
    kind: String!
    "Number of logs."
    count: Int!
    firstBlock: Float!
    "Details of the first one."
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
    "Categories of the token page, in this order; without any, the default ones."
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
    "Of the served document and its media."
    issues: [MetadataIssue!]!
    "What the last checks found."
    media: MediaReport!
    traits: [TokenTraitValue!]!
    display: TokenDisplay!
    versions: [MetadataVersion!]!
    "The cursor of the next page, for its before; null on the last one."
    next: Int
  }

  type MediaReport {
    image: CheckedMedia!
    video: CheckedMedia!
    animationUrl: CheckedMedia!
  }

  type CheckedMedia {
    "accepted, rejected, unreachable, or skipped: there is no URL, or it has not been checked yet."
    status: String!
    reason: String
    width: Int
    height: Int
    bytes: Float
    format: String
  }

  type TokenReportMetadata {
    "none, pending, current or failed: the state of the last fetch."
    status: String!
    reason: String
    version: Int
    contentHash: String
    "cid if the bytes have the hash that their IPFS URI names; null if they could not be verified."
    verified: String
    fetchedAt: String
    "The source of the served document."
    uri: String
  }

  type MetadataVersion {
    number: Int!
    trigger: String!
    "updated, rejected or failed."
    outcome: String!
    reason: String
    uri: String
    "The block at which the URI was read."
    readBlock: Float
    contentHash: String
    "The version of the rules that last read the document."
    normaliser: Int!
    durationMs: Int!
    fetchedAt: String!
    "The last fetch that found the same document again."
    confirmedAt: String
    confirmations: Int!
    issues: [MetadataIssue!]!
  }
`;
