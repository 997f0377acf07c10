/** The Solidity of the tests: `startChain({ contracts: TEST_CONTRACTS })` deploys it by name, beside the demo's. */
export const TEST_CONTRACTS = new URL("../contracts/", import.meta.url);
