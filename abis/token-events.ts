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
  // ERC-4906, whose draft indexed the ids that the final standard does not: the same topic in two layouts. Ponder
  // decodes one and drops logs of the other, so these declare no inputs, and the handlers read the ids themselves.
  // The types belong to the name: the topic is the hash of the signature.
  { type: "event", name: "MetadataUpdate(uint256)", inputs: [] },
  { type: "event", name: "BatchMetadataUpdate(uint256,uint256)", inputs: [] },
  {
    type: "event",
    name: "URI",
    inputs: [
      { name: "_value", type: "string", indexed: false },
      { name: "_id", type: "uint256", indexed: true },
    ],
  },
  // The lock standards of src/domain/lock-standards.ts, whose contracts differ in what they index, and of whose names two
  // stand for two events.
  { type: "event", name: "TokenLocked(uint256,address)", inputs: [] },
  { type: "event", name: "TokenUnlocked(uint256,address)", inputs: [] },
  { type: "event", name: "Locked(uint256)", inputs: [] },
  { type: "event", name: "Unlocked(uint256)", inputs: [] },
  { type: "event", name: "Locked(uint256,bool)", inputs: [] },
  { type: "event", name: "DefaultLocked(bool)", inputs: [] },
  { type: "event", name: "Lock(address,uint256)", inputs: [] },
  { type: "event", name: "Unlock(uint256)", inputs: [] },
] as const;
