/** What a contract's code and views say about it: standard, name, lock standards, and what it changes without an event. */

import {
  type Address,
  concat,
  decodeFunctionResult,
  encodeFunctionData,
  erc721Abi,
  type Hex,
  type PublicClient,
  pad,
  slice,
  toFunctionSelector,
  toHex,
} from "viem";
import { toEventSelector } from "viem/utils";
import type { Standard } from "../../src/config.ts";
import { type LockStandardName, lockStandards } from "../../src/domain/lock-standards.ts";

export interface ContractFacts {
  /** Null where neither ERC-165 nor `--standard` says. */
  readonly standard: Standard | null;
  readonly name: string | null;
  /** Where a proxy leads; null for a contract without one of the known layouts. */
  readonly implementation: Address | null;
  /** The code is no token's and forwards calls to other code, which was not found: what is not in it may be there. */
  readonly isPartlyUnread: boolean;
  /** The lock standards with an event that locks in the code. */
  readonly locks: readonly LockStandardName[];
  /** What can change without an event, in words. */
  readonly silent: readonly string[];
}

const INTERFACES: readonly [Standard, Hex][] = [
  ["erc721", "0x80ac58cd"],
  ["erc1155", "0xd9b67a26"],
];
/** ERC-1967: keccak256("eip1967.proxy.implementation") - 1, and the same of "eip1967.proxy.beacon". */
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const BEACON_SLOT = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
const MINIMAL_PROXIES = [
  // ERC-1167.
  /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/,
  // Solady's LibClone.
  /^0x3d3d3d3d363d3d37363d73([0-9a-f]{40})5af43d3d93803e602a57fd5bf3/,
  // With PUSH0: ERC-7511, and Solady's.
  /^0x365f5f375f5f365f73([0-9a-f]{40})5af43d5f5f3e5f3d91602a57fd5bf3/,
  /^0x5f5f365f5f37365f73([0-9a-f]{40})5af43d5f5f3e6029573d5ffd5b3d5ff3/,
];
const [PUSH1, PUSH32, DELEGATECALL] = [0x60, 0x7f, 0xf4];
// ERC-721's and ERC-1155's: code that emits none is no token's own.
const TRANSFER_EVENTS = [
  "Transfer(address,address,uint256)",
  "TransferSingle(address,address,address,uint256,uint256)",
];
const METADATA_EVENTS = [
  "MetadataUpdate(uint256)",
  "BatchMetadataUpdate(uint256,uint256)",
  "BatchMetadataUpdate(uint256,uint256,string)",
];

/** For messages: how a contract is recognised as a collection. */
export const CHECKED = "supportsInterface(0x80ac58cd) of ERC-721, supportsInterface(0xd9b67a26) of ERC-1155";

export async function readContract(
  client: PublicClient,
  address: Address,
  code: Hex,
): Promise<ContractFacts> {
  const implementation = await findImplementation(client, address, code);
  const own = implementation === null ? "0x" : ((await client.getCode({ address: implementation })) ?? "0x");
  const text = (code + own).toLowerCase();
  const emits = (signature: string): boolean => text.includes(toEventSelector(signature).slice(2));
  const offers = (view: string): boolean => text.includes(toFunctionSelector(`${view}(uint256)`).slice(2));
  // Not by its unlocks: two standards share one.
  const locks = lockStandards.filter((each) =>
    each.events.some(({ signature, locks }) => locks !== false && emits(signature)),
  );
  const standard = await findStandard(client, address);
  // `locked(uint256)` alone is too common a name.
  const silentLocks = lockStandards.filter(
    ({ name, views }) =>
      !locks.some((each) => each.name === name) &&
      views.some(({ name: view }) => view !== "locked" && offers(view)),
  );
  const isPartlyUnread = implementation === null && !TRANSFER_EVENTS.some(emits) && isDelegating(code);
  const urisAreSilent = standard === "erc1155" ? !emits("URI(string,uint256)") : !METADATA_EVENTS.some(emits);
  return {
    standard,
    name: await findName(client, address),
    implementation,
    isPartlyUnread,
    locks: locks.map(({ name }) => name),
    silent: isPartlyUnread
      ? []
      : [
          ...(urisAreSilent
            ? [
                `metadata: the code has no event for changed metadata (${standard === "erc1155" ? "URI" : "ERC-4906"}); samples find changes (RESAMPLE_HOURS)`,
              ]
            : []),
          ...silentLocks.map(
            ({ title }) =>
              `locks: the code has views of ${title} and none of its events; such locks are not seen`,
          ),
        ],
  };
}

/** Whether the code has a DELEGATECALL, as an instruction and not in what is pushed or in the compiler's metadata. */
function isDelegating(code: Hex): boolean {
  const bytes = Buffer.from(code.slice(2), "hex");
  const end = bytes.length - metadataBytes(bytes);
  for (let at = 0; at < end; at++) {
    const instruction = bytes[at] ?? 0;
    if (instruction === DELEGATECALL) return true;
    if (instruction >= PUSH1 && instruction <= PUSH32) at += instruction - PUSH1 + 1;
  }
  return false;
}

/** solc appends a CBOR map of 1 to 4 entries, and its length in two bytes. */
function metadataBytes(code: Buffer): number {
  if (code.length < 2) return 0;
  const bytes = code.readUInt16BE(code.length - 2) + 2;
  const first = code[code.length - bytes] ?? 0;
  return first >= 0xa1 && first <= 0xa4 ? bytes : 0;
}

/** Null if the contract has none, or none that can be read. */
async function findName(client: PublicClient, address: Address): Promise<string | null> {
  const call = { abi: erc721Abi, functionName: "name" } as const;
  const answer = await client.call({ to: address, data: encodeFunctionData(call) }).catch(refusedOnly);
  try {
    return decodeFunctionResult({ ...call, data: answer?.data ?? "0x" });
  } catch {
    return null;
  }
}

async function findStandard(client: PublicClient, address: Address): Promise<Standard | null> {
  for (const [standard, id] of INTERFACES) {
    const data = concat([
      toFunctionSelector("supportsInterface(bytes4)"),
      pad(id, { dir: "right", size: 32 }),
    ]);
    const answer = await client.call({ to: address, data }).catch(refusedOnly);
    if (answer?.data && answer.data.length === 66 && BigInt(answer.data) === 1n) return standard;
  }
  return null;
}

/** A contract that refuses the call has answered; a node that fails has not. */
function refusedOnly(error: Error & { walk?: (test: (cause: unknown) => boolean) => unknown }): undefined {
  const isRefusal = error.walk?.((cause) =>
    /ExecutionReverted|CallExecution\w{0,40}Reverted|RawContractError/.test((cause as Error)?.name ?? ""),
  );
  if (isRefusal || /revert|invalid opcode|out of gas|stack/i.test(error.message)) return undefined;
  throw error;
}

async function findImplementation(
  client: PublicClient,
  address: Address,
  code: Hex,
): Promise<Address | null> {
  const minimal = MINIMAL_PROXIES.map((layout) => layout.exec(code.toLowerCase())?.[1]).find(Boolean);
  if (minimal) return `0x${minimal}`;
  const stored = await addressIn(client, address, IMPLEMENTATION_SLOT);
  if (stored) return stored;
  const beacon = await addressIn(client, address, BEACON_SLOT);
  if (!beacon) return null;
  const answer = await client
    .call({ to: beacon, data: toFunctionSelector("implementation()") })
    .catch(refusedOnly);
  return answer?.data && answer.data.length === 66 ? slice(answer.data, 12) : null;
}

async function addressIn(client: PublicClient, address: Address, slot: Hex): Promise<Address | null> {
  const word = pad((await client.getStorageAt({ address, slot })) ?? toHex(0), { size: 32 });
  return BigInt(word) === 0n ? null : slice(word, 12);
}
