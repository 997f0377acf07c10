/** The events of delegate registry v2 (delegatexyz/delegate-registry, IDelegateRegistry.sol). */
export const delegateRegistryAbi = [
  {
    type: "event",
    name: "DelegateAll",
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "rights", type: "bytes32", indexed: false },
      { name: "enable", type: "bool", indexed: false },
    ],
  },
  {
    type: "event",
    name: "DelegateContract",
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "contract_", type: "address", indexed: true },
      { name: "rights", type: "bytes32", indexed: false },
      { name: "enable", type: "bool", indexed: false },
    ],
  },
  {
    type: "event",
    name: "DelegateERC721",
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "contract_", type: "address", indexed: true },
      { name: "tokenId", type: "uint256", indexed: false },
      { name: "rights", type: "bytes32", indexed: false },
      { name: "enable", type: "bool", indexed: false },
    ],
  },
  {
    type: "event",
    name: "DelegateERC20",
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "contract_", type: "address", indexed: true },
      { name: "rights", type: "bytes32", indexed: false },
      { name: "amount", type: "uint256", indexed: false },
    ],
  },
  {
    type: "event",
    name: "DelegateERC1155",
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "contract_", type: "address", indexed: true },
      { name: "tokenId", type: "uint256", indexed: false },
      { name: "rights", type: "bytes32", indexed: false },
      { name: "amount", type: "uint256", indexed: false },
    ],
  },
] as const;
