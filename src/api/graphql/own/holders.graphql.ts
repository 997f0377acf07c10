/** Many tokens at once, owners, the tokens of a wallet, and activity: the answers of the REST routes, over GraphQL. */
export const holdersSdl = /* GraphQL */ `
  extend type Query {
    "1 to 100 tokens of a collection, in the order of their ids. A repeated id is answered once."
    tokenBatch(tokenAddress: String!, tokenIds: [String!]!, chainId: Float): TokenBatch!
    """
    The owners of a collection, largest first: now, or at the end of atBlock, which must be indexed. limit is 1 to 100. While
    tokens move, an owner whose quantity changes may be on two pages or on none.
    """
    owners(tokenAddress: String!, chainId: Float, atBlock: Float, limit: Int = 20, cursor: String): OwnerPage!
    """
    The tokens of a wallet over all collections, or in tokenAddress. With includeDelegated, those follow that it may use by
    a delegation without limits on rights. limit is 1 to 100.
    """
    walletTokens(
      address: String!
      chainId: Float
      tokenAddress: String
      includeDelegated: Boolean = false
      limit: Int = 20
      cursor: String
    ): WalletTokenPage!
    """
    Newest first. types are mint, transfer, burn, lock, unlock and metadata; without them, all. limit is 1 to 100. A page starts
    where the previous one ended, even if more has happened since.
    """
    tokenActivity(
      tokenAddress: String!
      tokenId: String!
      chainId: Float
      types: [String!]
      limit: Int = 20
      cursor: String
    ): ActivityPage!
    "Like tokenActivity, of all tokens of a collection."
    collectionActivity(
      tokenAddress: String!
      chainId: Float
      types: [String!]
      limit: Int = 20
      cursor: String
    ): ActivityPage!
    """
    What a wallet sent and received, and the locks and unlocks of ERC-721 tokens while it owned them, in all collections.
    types are as for tokenActivity, without metadata.
    """
    walletActivity(
      address: String!
      chainId: Float
      types: [String!]
      limit: Int = 20
      cursor: String
    ): ActivityPage!
  }

  type TokenBatch {
    items: [Token!]!
    "Ids without a token."
    missing: [String!]!
  }

  type OwnerPage {
    items: [CollectionOwner!]!
    "Null after the last page."
    nextCursor: String
    "The number of owners on all pages."
    total: Int!
    "atBlock, or the newest indexed block; null before there is any."
    asOfBlock: Float
  }

  type CollectionOwner {
    owner: String!
    "ERC-721: the number of tokens. ERC-1155: the sum of the balances."
    quantity: String!
  }

  type WalletTokenPage {
    items: [WalletToken!]!
    "Null after the last page."
    nextCursor: String
    "The number of entries on all pages."
    total: Int!
  }

  type WalletToken {
    token: Token!
    "1 for ERC-721, for ERC-1155 the balance of the holder, even where via.amount is smaller."
    quantity: String!
    "The wallet, or who delegated the token to it."
    holder: String!
    """
    The delegation that lets the wallet use the token; null for its own tokens. Its amount, if not null, bounds how much of
    the holder's balance the wallet may act for.
    """
    via: WalletDelegation
  }

  type WalletDelegation {
    "ALL, CONTRACT, ERC721 or ERC1155."
    type: String!
    "The wallet that delegates."
    from: String!
    "The wallet that may act for it."
    to: String!
    contract: String
    tokenId: String
    "32 bytes; all zero for a delegation without limits."
    rights: String!
    amount: String
  }

  type ActivityPage {
    items: [Activity!]!
    "Null after the last page."
    nextCursor: String
  }

  type Activity {
    "mint, transfer, burn, lock, unlock or metadata."
    type: String!
    chainId: Float!
    collectionAddress: String!
    "Null for a lock or unlock of all tokens without a lock event of their own (ERC-6982)."
    tokenId: String
    "In a collection or a wallet, the last token of a mint of many that the chain logged once."
    lastTokenId: String
    "Null except for mint, transfer and burn, as are to and quantity."
    from: String
    to: String
    quantity: String
    "For metadata, the block at which the contract was read."
    block: Float
    "The block's time; for metadata, when it was read. In ISO 8601."
    at: String!
    "Null for metadata."
    transactionHash: String
  }
`;
