/** The contracts' own state, in the format of the chain index, for comparison with it. */

import type { Address, HDAccount, Hex } from "viem";
import type { Chain, Contract } from "../../../demo/chain.ts";

/** Addresses as in every table. */
export const lower = ({ address }: { readonly address: Address }): string => address.toLowerCase();

/** Null for a token that the contract doesn't have. */
export const ownerOf = (chain: Chain, contract: Contract, id: bigint): Promise<string | null> =>
  chain.read(contract, "ownerOf", [id]).then(
    (owner) => (owner as Address).toLowerCase(),
    () => null,
  );

/** ERC-721 balances, in the order of the people. */
export const balancesOf = (chain: Chain, contract: Contract, people: readonly HDAccount[]) =>
  Promise.all(people.map(({ address }) => chain.read(contract, "balanceOf", [address]) as Promise<bigint>));

export interface Holding {
  readonly tokenId: string;
  readonly holder: string;
  readonly balance: string;
}

/** ERC-1155 balances above zero, by id and then by holder. */
export async function holdingsOf(
  chain: Chain,
  contract: Contract,
  people: readonly HDAccount[],
  ids: readonly bigint[],
): Promise<Holding[]> {
  const sorted = people.toSorted((a, b) => (lower(a) < lower(b) ? -1 : 1));
  const pairs = ids.flatMap((id) => sorted.map((person) => ({ id, person })));
  const balances = (await chain.read(contract, "balanceOfBatch", [
    pairs.map(({ person }) => person.address),
    pairs.map(({ id }) => id),
  ])) as bigint[];
  return pairs
    .map(({ id, person }, index) => ({
      tokenId: String(id),
      holder: lower(person),
      balance: String(balances[index]),
    }))
    .filter(({ balance }) => balance !== "0");
}

interface Delegation {
  readonly type_: number;
  readonly to: Address;
  readonly from: Address;
  readonly rights: Hex;
  readonly contract_: Address;
  readonly tokenId: bigint;
  readonly amount: bigint;
}

/** The active delegations to or from a wallet, by hash; the hashes come from the registry itself. */
export async function delegationsOf(
  chain: Chain,
  registry: Contract,
  field: "to" | "from",
  wallet: HDAccount,
) {
  const call = field === "to" ? "getIncomingDelegations" : "getOutgoingDelegations";
  const reported = (await chain.read(registry, call, [wallet.address])) as Delegation[];
  const rows = await Promise.all(reported.map((each) => asRow(chain, registry, each)));
  return rows.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
}

async function asRow(chain: Chain, registry: Contract, reported: Delegation) {
  const { type_, to, from, rights, contract_, tokenId, amount } = reported;
  const calls = [
    ["ALL", "delegateAll", [to, rights, true]],
    ["CONTRACT", "delegateContract", [to, contract_, rights, true]],
    ["ERC721", "delegateERC721", [to, contract_, tokenId, rights, true]],
    ["ERC20", "delegateERC20", [to, contract_, rights, amount]],
    ["ERC1155", "delegateERC1155", [to, contract_, tokenId, rights, amount]],
  ] as const;
  const call = calls[type_ - 1];
  if (!call) throw new Error(`the registry reports a delegation of type ${type_}`);
  const [type, functionName, args] = call;
  const hash = await chain.publicClient.simulateContract({ ...registry, functionName, args, account: from });
  return {
    hash: hash.result as unknown as Hex,
    type,
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    rights,
    contract: type === "ALL" ? null : contract_.toLowerCase(),
    tokenId: type === "ERC721" || type === "ERC1155" ? String(tokenId) : null,
    amount: type === "ERC20" || type === "ERC1155" ? String(amount) : null,
  };
}
