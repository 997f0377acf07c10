/** Vitrine's part of the GraphQL schema, merged with the queries that Ponder generates; `JSON` is Ponder's. */
export const ownSdl = /* GraphQL */ `
  "A decimal number as text, whatever its size; numbers are accepted as input."
  scalar BigDecimal

  extend type Query {
    "A token with its metadata, traits, lock state and what each page shows; null if nobody has told of it."
    token(tokenAddress: String!, tokenId: String!, chainId: Float): Token
    "An ERC-721 token in the shape of the field's SDK; null for an unknown token."
    erc721Token(tokenAddress: String!, tokenId: String!, chainId: Float): Erc721
    "An ERC-1155 token in the shape of the field's SDK; null for an unknown token."
    erc1155Token(tokenAddress: String!, tokenId: BigDecimal!, chainId: Float): Erc1155
  }

  type Mutation {
    "Queues a refresh of the token's metadata; an error 'Token not found' for a token that does not exist."
    refreshMetadata(tokenAddress: String!, tokenId: String!, chainId: Float): Boolean!
  }

  extend schema {
    mutation: Mutation
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
    lock: TokenLock!
    "True only while the index is fresh, the token is not burned and its lock count is zero."
    tradable: Boolean!
    metadata: TokenMetadataState!
  }

  type TokenImage {
    "cached, pending, rejected or none."
    status: String!
    url: String
    reason: String
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
  }

  type TokenTraitValue {
    traitType: String!
    "string, number, date or bool."
    displayType: String!
    value: JSON!
    maxValue: Float
    count: Int!
    "0 to 100."
    percentage: Float!
  }

  type PropertyGroup {
    category: String!
    traits: [String!]!
  }

  type TokenLock {
    locked: Boolean!
    lockCount: Int!
    approvedContracts: [String!]!
    sinceBlock: Float
  }

  type TokenMetadataState {
    "none, pending, current or failed: how the last fetch ended."
    status: String!
    reason: String
    "The version that is served."
    version: Int
    contentHash: String
    fetchedAt: String
    issues: [MetadataIssue!]!
  }

  type MetadataIssue {
    code: String!
    level: String!
    path: String!
    message: String!
  }

  type Erc721 {
    tokenAddress: String!
    tokenId: String!
    owner: String
    name: String
    image: String
    cdnImage: String
    video: String
    isLocked: Boolean
    "Values by trait type."
    attributes: JSON
    traitDistribution: [TokenTrait!]
  }

  type Erc1155 {
    tokenAddress: String!
    tokenId: BigDecimal!
    name: String
    image: String
    cdnImage: String
    video: String
    isLocked: Boolean
    attributes: JSON
    totalItems: String
    traitDistribution: [TokenTrait!]
  }

  type TokenTrait {
    key: String!
    value: String!
    count: Int!
    percentage: Float!
    displayType: String!
  }
`;
