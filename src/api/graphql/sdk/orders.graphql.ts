/**
 * The marketplace SDK's orders, offers and rates. Vitrine holds none, so that its documents run and answer that there are
 * none.
 */
export const ordersSdl = /* GraphQL */ `
  extend type Query {
    "Vitrine knows no prices: always null."
    exchangeRate: ExchangeRate
    "Vitrine holds no orders or offers: always null."
    order(hash: String!): Order
    "Vitrine holds no orders or offers: always empty."
    sentOffers(
      collectibleFilters: CollectibleFilter
      from: Int!
      size: Int!
      sort: OfferSortBy
      isValid: Boolean
      roninAddress: String
    ): OfferPage!
    "Vitrine holds no orders or offers: always empty."
    receivedOffers(
      collectibleFilters: CollectibleFilter
      from: Int!
      size: Int!
      sort: OfferSortBy
      roninAddress: String
    ): OfferedTokens!
    "Vitrine holds no orders or offers: always empty."
    myListingOrders(
      collectibleFilters: CollectibleFilter
      from: Int!
      size: Int!
      sort: ListingSortBy
      isValid: Boolean
      roninAddress: String!
    ): OrderPage!
    "Vitrine holds no orders or offers: always empty. At most 100 tokens."
    activeOrdersOfTokens(tokenIds: [TokenId!]!): [Order!]!
  }

  extend type Erc721 {
    "Vitrine holds no orders or offers: always null."
    highestOffer: Order
    "Vitrine holds no orders or offers: always empty."
    offers(from: Int!, size: Int!): [Order!]!
    "Vitrine holds no orders or offers: always null."
    offerBy(roninAddress: String!): Order
  }

  input CollectibleFilter {
    tokenAddresses: [String!]
    erc: Erc
  }

  input TokenId {
    tokenAddress: String!
    tokenId: String!
  }

  enum ListingSortBy {
    ExpiredAtAsc
    ExpiredAtDesc
    PriceAsc
    PriceDesc
  }

  enum OfferSortBy {
    Earliest
    ExpiredAtAsc
    ExpiredAtDesc
    Latest
    PriceAsc
    PriceDesc
  }

  type ExchangeRate {
    eth: ExchangeRateItem
    slp: ExchangeRateItem
    ron: ExchangeRateItem
    axs: ExchangeRateItem
    usd: ExchangeRateItem
  }

  type ExchangeRateItem {
    usd: Float
  }

  type OfferPage {
    total: Int!
    data: [Order!]!
  }

  type OfferedTokens {
    total: Int!
    data: [OwnedToken!]!
  }

  type OrderPage {
    total: Int!
    "The sum of their quantities."
    quantity: Int!
    data: [Order!]!
  }

  "Vitrine holds no orders or offers: none is ever answered."
  type Order {
    id: Int
    maker: String
    kind: String
    assets: [Asset!]
    expiredAt: Float
    paymentToken: String
    startedAt: Float
    basePrice: String
    expectedState: String
    nonce: Int
    marketFeePercentage: Int
    signature: String
    hash: String
    duration: Float
    timeLeft: Float
    currentPrice: String
    suggestedPrice: String
    makerProfile: PublicProfile
    orderStatus: String
    orderQuantity: OrderQuantity
  }

  type Asset {
    erc: Erc
    address: String
    id: String
    quantity: String
    token: OwnedToken
  }

  type OrderQuantity {
    orderId: Int
    quantity: String
    remainingQuantity: String
    availableQuantity: String
  }
`;
