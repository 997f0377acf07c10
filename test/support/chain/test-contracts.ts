/** Contracts that only tests need (test/contracts), on a real chain. */

import type { Chain, Contract } from "../../../demo/chain.ts";
import { compileContracts } from "../../../demo/compile.ts";

const TEST_CONTRACTS = new URL("../../contracts/", import.meta.url);

/** Deploys a contract of `test/contracts` by name. One at a time: each takes the sender's next nonce. */
export async function deployTestContract(
  chain: Chain,
  name: string,
  args: readonly unknown[] = [],
): Promise<Contract> {
  const compiled = (await compileContracts(TEST_CONTRACTS))[name];
  if (!compiled) throw new Error(`no contract named ${name} in test/contracts`);
  const hash = await chain.walletClient.deployContract({ ...compiled, args: [...args] });
  const { contractAddress, blockNumber } = await chain.receiptOf(hash);
  if (!contractAddress) throw new Error(`deploying ${name} created no contract`);
  return { name, address: contractAddress, abi: compiled.abi, deployedAtBlock: blockNumber };
}
