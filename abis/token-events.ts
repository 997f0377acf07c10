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
  // What follows declares no inputs, and the handlers read the raw log. An event's topic is the hash of its signature,
  // which does not tell what is indexed: Ponder decodes one layout and drops logs of any other, and those whose data is
  // malformed, without a word. The types belong to the name, for the topic's sake.
  //
  // These two are declared in their usual layout as well: Ponder knows beforehand which rows a decoded log will need and
  // reads them together. Each log comes once more here, where what was decoded is left alone.
  { type: "event", name: "Transfer(address,address,uint256)", inputs: [] },
  { type: "event", name: "TransferSingle(address,address,address,uint256,uint256)", inputs: [] },
  { type: "event", name: "TransferBatch(address,address,address,uint256[],uint256[])", inputs: [] },
  { type: "event", name: "ConsecutiveTransfer(uint256,uint256,address,address)", inputs: [] },
  // ERC-4906, whose draft indexed the ids that the final standard does not.
  { type: "event", name: "MetadataUpdate(uint256)", inputs: [] },
  { type: "event", name: "BatchMetadataUpdate(uint256,uint256)", inputs: [] },
  { type: "event", name: "URI(string,uint256)", inputs: [] },
  // The lock standards of src/domain/lock-standards.ts. Two events share the name `Locked`. Each log comes once: locks are
  // few beside transfers, and a second declaration costs the index another event for each.
  { type: "event", name: "TokenLocked(uint256,address)", inputs: [] },
  { type: "event", name: "TokenUnlocked(uint256,address)", inputs: [] },
  { type: "event", name: "Locked(uint256)", inputs: [] },
  { type: "event", name: "Unlocked(uint256)", inputs: [] },
  { type: "event", name: "Locked(uint256,bool)", inputs: [] },
  { type: "event", name: "DefaultLocked(bool)", inputs: [] },
  { type: "event", name: "Lock(address,uint256)", inputs: [] },
  { type: "event", name: "Unlock(uint256)", inputs: [] },
] as const;
