/** Vitrine's part of the GraphQL schema, merged with the queries that Ponder generates; `JSON` is Ponder's. */

import { lockStandardNames } from "../../../domain/lock-standards.ts";
import { ordersSdl } from "../sdk/orders.graphql.ts";
import { sdkSdl } from "../sdk/sdk.graphql.ts";
import { holdersSdl } from "./holders.graphql.ts";
import { searchSdl } from "./search.graphql.ts";

const tokenSdl = /* GraphQL */ `
  extend type Query {
    "A token with its metadata, traits, lock state and what each page shows; null until a transfer of it is indexed."
    token(tokenAddress: String!, tokenId: String!, chainId: Float): Token
    "The state of a requestMetadataRefresh, for a day; null for an unknown id, and for refreshes requested another way."
    metadataRefresh(id: String!): MetadataRefresh
  }

  type Mutation {
    """
    Queues a refresh of the token's metadata; requestMetadataRefresh says when it is read. An error 'Token not found' for a token that does not exist or is burned, and
    UNAVAILABLE while the node can't confirm a token without an indexed transfer, or too many such tokens wait.
    RATE_LIMITED above 600 token ids a minute from one client address, unless an app's key allows market-partner.
    """
    refreshMetadata(tokenAddress: String!, tokenId: String!, chainId: Float): Boolean!
    """
    Queues a refresh of 1 to 100 tokens; duplicates count once. An error 'Token not found' only if none of them exists, and
    UNAVAILABLE if that could not be determined. Limited by token ids, like refreshMetadata.
    """
    requestMetadataRefresh(tokenAddress: String!, tokenIds: [String!]!, chainId: Float): MetadataRefresh!
  }

  extend schema {
    mutation: Mutation
  }

  type MetadataRefresh {
    id: String!
    chainId: Float!
    collectionAddress: String!
    createdAt: String!
    "True once no token is queued or fetching."
    done: Boolean!
    "Distinct tokens in the order of the request."
    tokens: [MetadataRefreshToken!]!
  }

  type MetadataRefreshToken {
    tokenId: String!
    "queued, fetching, updated, unchanged, failed or not_found."
    status: String!
    "Why it failed, or what it waits for."
    reason: String
    "What became of the image, which is decided after the metadata: updated, unchanged, rejected, pending or none."
    image: String!
    "Why the image is rejected, or has not been read yet."
    imageReason: String
    """
    When the token is read at the earliest, in ISO 8601; a time in the past means as soon as a worker is free. Null unless it
    is queued. For callers without a key a token is read once per 60 seconds, and later requests wait for the next read.
    """
    nextReadAt: String
  }

  type Token {
    chainId: Float!
    collectionAddress: String!
    tokenId: String!
    standard: String
    "ERC-721 only."
    owner: String
    "ERC-1155 only."
    supply: String
    burned: Boolean!
    name: String
    description: String
    image: TokenImage!
    display: TokenDisplay!
    traits: [TokenTraitValue!]!
    propertyGroups: [PropertyGroup!]!
    "Over shown string and boolean traits; null for a token that is not listed, and where no listed token has such a trait."
    rarity: TokenRarity
    lock: TokenLock!
    "True only if the chain index is fresh, the token is indexed and neither burned nor locked, and trade of its collection is open."
    tradable: Boolean!
    "When trade of the collection opens, in ISO 8601; null once it is open, and for a token that is not indexed yet."
    opensAt: String
    "In a list with group: document, the matching tokens of the same document, this one included; else null."
    count: Int
    metadata: TokenMetadataState!
  }

  type TokenImage {
    "cached, pending, rejected or none."
    status: String!
    url: String
    reason: String
    "Of the source, in pixels, as displayed; null while unknown, as are its bytes and its format."
    width: Int
    height: Int
    bytes: Int
    "By content, such as PNG."
    format: String
    "A thumbhash of the cached image in base64, to show until it has loaded."
    placeholder: String
    "The cached image in fewer bytes, largest first. Empty where none takes fewer."
    variants: [TokenImageVariant!]!
  }

  type TokenImageVariant {
    "The media type."
    type: String!
    width: Int!
    height: Int!
    bytes: Int!
    url: String!
  }

  type TokenDisplay {
    collectionPage: PageMedia!
    tokenPage: TokenPageMedia!
  }

  type PageMedia {
    "image or none."
    kind: String!
    url: String
  }

  type TokenPageMedia {
    "animation, video, image or none."
    kind: String!
    url: String
    skipped: [SkippedMedia!]!
  }

  type SkippedMedia {
    kind: String!
    host: String!
    reason: String!
    "Details, if the media was checked."
    message: String
  }

  type TokenTraitValue {
    traitType: String!
    "string, number, date or bool."
    displayType: String!
    value: JSON!
    maxValue: Float
    "Listed tokens of the collection with this value."
    count: Int!
    "Share of all listed tokens of the collection, 0 to 100, with or without metadata. TraitDistribution has the same base."
    percentage: Float!
  }

  "After OpenRarity: information content by the entropy of the collection."
  type TokenRarity {
    "From 1, the rarest. Tokens of the same score share a rank."
    rank: Int!
    score: Float!
    "The number of ranked tokens: all that are listed."
    of: Int!
  }

  type PropertyGroup {
    category: String!
    traits: [String!]!
  }

  "The current state in the chain index; a token that is not indexed yet has no locks."
  type TokenLock {
    "False for a token that is not indexed yet, which is not tradable either."
    locked: Boolean!
    "ERC-721x locks, plus one for each other standard that locks the token."
    lockCount: Int!
    "The standards that lock it now: ${lockStandardNames.join(", ")}."
    standards: [String!]!
    """
    The contracts that the lock events of the standards name, those of the oldest locks first: at most 100, from the
    token's newest 1,000 lock events. lockCount counts all.
    """
    approvedContracts: [String!]!
    sinceBlock: Float
  }

  type TokenMetadataState {
    "none, pending, current or failed: the state of the last fetch."
    status: String!
    reason: String
    "The served version."
    version: Int
    contentHash: String
    "cid if the bytes have the hash that their IPFS URI names; null if they could not be verified."
    verified: String
    fetchedAt: String
    issues: [MetadataIssue!]!
  }

  type MetadataIssue {
    code: String!
    level: String!
    path: String!
    message: String!
  }
`;

export const ownSdl = [tokenSdl, searchSdl, holdersSdl, sdkSdl, ordersSdl].join("\n");
