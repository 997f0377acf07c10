/** Every event Vitrine reads from a token contract. One ABI for all: the first transfer determines the standard. */
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
  // The events below declare no inputs, and the handlers decode the raw log. The topic is the hash of the signature,
  // which doesn't include `indexed`: Ponder decodes one layout and silently drops other layouts and malformed data. The
  // name carries the types for the topic's sake.
  //
  // Transfer and TransferSingle are declared in their usual layout as well, because Ponder predicts which rows a
  // decoded log needs and prefetches them in batches. Those logs arrive twice; the raw handlers skip what was already
  // decoded.
  { type: "event", name: "Transfer(address,address,uint256)", inputs: [] },
  { type: "event", name: "TransferSingle(address,address,address,uint256,uint256)", inputs: [] },
  { type: "event", name: "TransferBatch(address,address,address,uint256[],uint256[])", inputs: [] },
  { type: "event", name: "ConsecutiveTransfer(uint256,uint256,address,address)", inputs: [] },
  // ERC-4906: its draft indexed the ids; the final standard doesn't.
  { type: "event", name: "MetadataUpdate(uint256)", inputs: [] },
  { type: "event", name: "BatchMetadataUpdate(uint256,uint256)", inputs: [] },
  // Of thirdweb's modules (BatchMetadataERC721, BatchMetadataERC1155), with the new base URI.
  { type: "event", name: "BatchMetadataUpdate(uint256,uint256,string)", inputs: [] },
  { type: "event", name: "URI(string,uint256)", inputs: [] },
  // The lock standards of src/domain/lock-standards.ts. Two events share the name `Locked`. Each log arrives once:
  // locks are rare next to transfers, and a second declaration would cost the chain index one more event per log.
  { type: "event", name: "TokenLocked(uint256,address)", inputs: [] },
  { type: "event", name: "TokenUnlocked(uint256,address)", inputs: [] },
  { type: "event", name: "Locked(uint256)", inputs: [] },
  { type: "event", name: "Unlocked(uint256)", inputs: [] },
  { type: "event", name: "Locked(uint256,bool)", inputs: [] },
  { type: "event", name: "DefaultLocked(bool)", inputs: [] },
  { type: "event", name: "Lock(address,uint256)", inputs: [] },
  { type: "event", name: "Lock(uint256,address)", inputs: [] },
  { type: "event", name: "Unlock(uint256)", inputs: [] },
] as const;
