/**
 * The shapes of the marketplace SDK (@sky-mavis/mavis-market-core 0.0.10), whose documents run unchanged. Vitrine has
 * no order book and no profiles: those fields are null or empty.
 */
export const sdkSdl = /* GraphQL */ `
  "A decimal number of any size, as text. As input also a number: of any size in a document, below 2^53 in variables."
  scalar BigDecimal

  extend type Query {
    "A collection; the error 'Collection not found' for one that is not served here."
    tokenData(tokenAddress: String!, chainId: Float): TokenData
    "ERC-721 collections. In all queries size is at most 50, and from + size at most 10,000."
    erc721List(from: Int!, size: Int!): [TokenData!]!
    "ERC-1155 collections."
    erc1155List(from: Int!, size: Int!): [TokenData!]!
    "The values of every trait of a collection."
    tokenMetadata(tokenAddress: String!, chainId: Float): TokenMetadata
    "An ERC-721 token; null for an unknown one."
    erc721Token(tokenAddress: String!, tokenId: String!, chainId: Float): Erc721
    "An ERC-1155 token; null for an unknown one."
    erc1155Token(tokenAddress: String!, tokenId: BigDecimal!, chainId: Float): Erc1155
    """
    Tokens of an ERC-721 collection that match all of the arguments: any value of each of criteria, every range, both ends
    included, and name in the name. Nothing is for sale and nothing has a price.
    """
    erc721Tokens(
      tokenAddress: String!
      chainId: Float
      owner: String
      auctionType: AuctionType
      criteria: [SearchCriteria!]
      from: Int!
      size: Int!
      sort: SortBy
      name: String
      priceRange: InputRange
      rangeCriteria: [RangeSearchCriteria!]
    ): Erc721Tokens!
    "Tokens of an ERC-1155 collection."
    erc1155Tokens(
      tokenAddress: String!
      chainId: Float
      owner: String
      auctionType: AuctionType
      criteria: [SearchCriteria!]
      from: Int!
      size: Int!
      sort: SortBy
      name: String
      priceRange: InputRange
      rangeCriteria: [RangeSearchCriteria!]
    ): Erc1155Tokens!
    """
    A wallet's tokens in the listed collections or in all, in that order and by token id. Without chainId, an address stands
    for that address on every chain that has it here.
    """
    tokens(
      owner: String!
      chainId: Float
      auctionType: OrderAuctionType
      from: Int!
      size: Int!
      sort: ListingSortBy
      tokenAddresses: [String!]
    ): OwnedTokens!
  }

  input SearchCriteria {
    name: String
    values: [String]
  }

  input RangeSearchCriteria {
    name: String
    range: InputRange
  }

  "Numbers as text; a null end is open."
  input InputRange {
    from: String
    to: String
  }

  "There are no prices, so PriceAsc and PriceDesc sort by id."
  enum SortBy {
    IdAsc
    IdDesc
    Latest
    PriceAsc
    PriceDesc
  }

  enum Erc1155SortBy {
    Latest
    PriceAsc
    PriceDesc
  }

  "Nothing is for sale."
  enum AuctionType {
    All
    NotForSale
    Sale
  }

  enum OrderAuctionType {
    All
    NotForSale
    Sale
  }

  enum Erc {
    Erc1155
    Erc20
    Erc721
  }

  type Erc721Tokens {
    total: Int!
    results: [Erc721!]!
  }

  type Erc1155Tokens {
    total: Int!
    results: [Erc1155!]!
  }

  type OwnedTokens {
    total: Int!
    data: [OwnedToken!]!
  }

  union OwnedToken = Erc721 | Erc1155

  type TokenData {
    tokenAddress: String!
    chainId: Float!
    "avatar, banner, collection_name, discord_url, ronin_url, studio_name, twitter_url and website_url, from its creators."
    collectionMetadata: JSON
    totalVolume: String
    volumeAllTime: String
    totalOwners: Int
    "Tokens that exist."
    totalItems: String
    totalListing: Int
    minPrice: String
    erc: Erc
    allowedPaymentTokens: [String!]!
  }

  type TokenMetadata {
    erc: Erc
    attributes: [TokenMetadataAttribute!]!
  }

  type TokenMetadataAttribute {
    "string, number, date or bool."
    displayType: String!
    key: String!
    values: [TokenMetadataValue!]!
  }

  type TokenMetadataValue {
    value: String!
    "Listed tokens of the collection with this value."
    count: Int!
  }

  type Erc721 {
    tokenAddress: String!
    tokenId: String!
    chainId: Float!
    owner: String
    ownerProfile: PublicProfile
    name: String
    order: Order
    image: String
    cdnImage: String
    video: String
    isLocked: Boolean
    "Values by trait type."
    attributes: JSON
    traitDistribution: [TokenTrait!]
    collectionMetadata: JSON
    minPrice: String
    "Newest first."
    transferHistory(from: Int!, size: Int!): TransferHistory!
  }

  type Erc1155 {
    tokenAddress: String!
    tokenId: BigDecimal!
    chainId: Float!
    name: String
    image: String
    cdnImage: String
    video: String
    isLocked: Boolean
    attributes: JSON
    traitDistribution: [TokenTrait!]
    collectionMetadata: JSON
    minPrice: String
    totalListing: Int
    totalItemsListing: Int
    "The number that exist."
    totalItems: String
    "Wallets that own some of it."
    totalOwners: Int
    orders(maker: String, from: Int!, size: Int!, showInvalid: Boolean, sort: Erc1155SortBy): [Order!]!
    "A wallet's balance of the token."
    balance(owner: String!): String
    "Newest first."
    transferHistory(from: Int!, size: Int!): TransferHistory!
  }

  type TokenTrait {
    key: String!
    value: String!
    "Listed tokens of the collection with this value."
    count: Int!
    "Share of all listed tokens of the collection, 0 to 100."
    percentage: Float!
    displayType: String!
  }

  type TransferHistory {
    total: Int!
    results: [TransferRecord!]!
  }

  type TransferRecord {
    tokenId: String!
    from: String!
    to: String!
    fromProfile: PublicProfile
    toProfile: PublicProfile
    "Unix seconds."
    timestamp: Float!
    txHash: String!
    withPrice: String
    quantity: String!
    paymentToken: String
  }

  type PublicProfile {
    accountId: String
    addresses: NetAddresses
    activated: Boolean
    name: String
  }

  type NetAddresses {
    ethereum: String
    ronin: String
  }
`;
