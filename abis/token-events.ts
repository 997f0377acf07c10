/** Every event Vitrine reads from a token contract: one ABI, so that the first transfer tells the standard. */
export const tokenEventsAbi = [
  {
    type: "event",
    name: "Transfer",
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "tokenId", type: "uint256", indexed: true },
    ],
  },
  {
    type: "event",
    name: "TransferSingle",
    inputs: [
      { name: "operator", type: "address", indexed: true },
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "id", type: "uint256", indexed: false },
      { name: "value", type: "uint256", indexed: false },
    ],
  },
  {
    type: "event",
    name: "TransferBatch",
    inputs: [
      { name: "operator", type: "address", indexed: true },
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "ids", type: "uint256[]", indexed: false },
      { name: "values", type: "uint256[]", indexed: false },
    ],
  },
  {
    type: "event",
    name: "ConsecutiveTransfer",
    inputs: [
      { name: "fromTokenId", type: "uint256", indexed: true },
      { name: "toTokenId", type: "uint256", indexed: false },
      { name: "fromAddress", type: "address", indexed: true },
      { name: "toAddress", type: "address", indexed: true },
    ],
  },
  {
    type: "event",
    name: "MetadataUpdate",
    inputs: [{ name: "_tokenId", type: "uint256", indexed: false }],
  },
  {
    type: "event",
    name: "BatchMetadataUpdate",
    inputs: [
      { name: "_fromTokenId", type: "uint256", indexed: false },
      { name: "_toTokenId", type: "uint256", indexed: false },
    ],
  },
  {
    type: "event",
    name: "URI",
    inputs: [
      { name: "_value", type: "string", indexed: false },
      { name: "_id", type: "uint256", indexed: true },
    ],
  },
  {
    type: "event",
    name: "TokenLocked",
    inputs: [
      { name: "tokenId", type: "uint256", indexed: true },
      { name: "approvedContract", type: "address", indexed: true },
    ],
  },
  {
    type: "event",
    name: "TokenUnlocked",
    inputs: [
      { name: "tokenId", type: "uint256", indexed: true },
      { name: "approvedContract", type: "address", indexed: true },
    ],
  },
] as const;

/**
 * The events of ERC-4906 as its draft had them: the same topics with the ids indexed. Ponder drops logs that do not
 * fit the layout it knows, so contracts of that time need an entry of their own.
 */
export const draftMetadataEventsAbi = [
  {
    type: "event",
    name: "MetadataUpdate",
    inputs: [{ name: "_tokenId", type: "uint256", indexed: true }],
  },
  {
    type: "event",
    name: "BatchMetadataUpdate",
    inputs: [
      { name: "_fromTokenId", type: "uint256", indexed: true },
      { name: "_toTokenId", type: "uint256", indexed: true },
    ],
  },
] as const;
