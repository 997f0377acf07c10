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
