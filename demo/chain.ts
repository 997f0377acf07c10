/** A local chain with real blocks and gas rules, and the few operations that the demo and the tests need. */
import { pbkdf2Sync } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Abi,
  type Account,
  type Address,
  type Chain as ChainInfo,
  createPublicClient,
  createTestClient,
  createWalletClient,
  type HDAccount,
  type Hex,
  type HttpTransport,
  http,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  type WalletClient,
} from "viem";
import { HDKey, hdKeyToAccount } from "viem/accounts";
import { foundry } from "viem/chains";
import { startAnvil } from "./anvil.ts";
import { type CompiledContracts, compileContracts } from "./compile.ts";

// Published with every development chain: these accounts are for local use only.
const MNEMONIC = "test test test test test test test test test test test junk";
const ACCOUNT_COUNT = 10;
// By default viem polls every 4 s, for 12 s blocks; ours are mined at once.
const POLLING_INTERVAL_MS = 50;
const RECEIPT_TIMEOUT_MS = 60_000;

async function receiptOf(client: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  for (const startedAt = Date.now(); ; ) {
    try {
      return await client.getTransactionReceipt({ hash });
    } catch (error) {
      const isPending = error instanceof TransactionReceiptNotFoundError;
      if (!isPending || Date.now() - startedAt > RECEIPT_TIMEOUT_MS) throw error;
    }
    await sleep(POLLING_INTERVAL_MS);
  }
}

export type ChainOptions = {
  /** 31337 when absent. */
  chainId?: number;
  /** Mines at intervals instead of once per transaction. */
  blockTimeSeconds?: number;
  /** A free port when absent. */
  port?: number;
  /** A folder of Solidity besides `demo/contracts`; its contracts win over those of the same name. */
  contracts?: URL;
  /** Passed to anvil unchanged. */
  extraArgs?: readonly string[];
};

export type Contract = { name: string; address: Address; abi: Abi; deployedAtBlock: bigint };

export type Chain = {
  rpcUrl: string;
  chainId: number;
  publicClient: PublicClient<HttpTransport, ChainInfo>;
  walletClient: WalletClient<HttpTransport, ChainInfo, HDAccount>;
  /** Ten funded accounts; the first one deploys and owns every contract. */
  accounts: readonly HDAccount[];
  /** The nth funded account. */
  account(index: number): HDAccount;
  /** Deploys a contract of `demo/contracts` by name. */
  deploy(name: string, args?: readonly unknown[]): Promise<Contract>;
  read(contract: Contract, functionName: string, args?: readonly unknown[]): Promise<unknown>;
  /** Sends a transaction and waits until it is mined; throws with the contract's reason when it reverts. */
  write(
    contract: Contract,
    functionName: string,
    args?: readonly unknown[],
    account?: Account,
  ): Promise<TransactionReceipt>;
  /**
   * The receipt of a transaction once it is mined. Polls for it: viem's own wait goes by new blocks, and on a chain that
   * mines only for transactions there may be none after this one. Throws when it isn't mined within a minute.
   */
  receiptOf(hash: Hex): Promise<TransactionReceipt>;
  blockNumber(): Promise<bigint>;
  mine(blocks?: number): Promise<void>;
  /** From now on mines at intervals instead of once per transaction. */
  mineEvery(seconds: number): Promise<void>;
  /** Saves the chain's state; `revert` returns to it once. */
  snapshot(): Promise<Hex>;
  revert(snapshot: Hex): Promise<void>;
  /** Any JSON-RPC call, for anvil's other features. */
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
};

const compileFolders = async (folder: URL | undefined): Promise<CompiledContracts> => ({
  ...(await compileContracts()),
  ...(folder && (await compileContracts(folder))),
});

/** Starts a chain that ends with this process or with `close`. */
export const startChain = async (options: ChainOptions = {}): Promise<Chain> => {
  const contracts = compileFolders(options.contracts);
  const [anvil] = await Promise.all([startAnvil(anvilArgs(options)), contracts]);

  const client = {
    chain: { ...foundry, id: options.chainId ?? foundry.id, rpcUrls: { default: { http: [anvil.rpcUrl] } } },
    transport: http(anvil.rpcUrl),
    pollingInterval: POLLING_INTERVAL_MS,
    // A cached block number is wrong on a chain that mines on demand.
    cacheTime: 0,
  };
  const accounts = deriveAccounts();
  const account = (index: number): HDAccount => {
    const found = accounts[index];
    if (found === undefined) throw new Error(`account ${index} of ${accounts.length} does not exist`);
    return found;
  };
  const publicClient = createPublicClient(client);
  const walletClient = createWalletClient({ ...client, account: account(0) });
  const testClient = createTestClient({ ...client, mode: "anvil" });
  const runExclusive = createTurns();

  const chain: Chain = {
    rpcUrl: anvil.rpcUrl,
    chainId: await publicClient.getChainId(),
    publicClient,
    walletClient,
    accounts,
    account,

    async deploy(name, args = []) {
      const compiled = (await contracts)[name];
      if (compiled === undefined) throw new Error(`no contract named ${name} in the folders of Solidity`);
      const hash = await runExclusive(account(0).address, () =>
        walletClient.deployContract({ ...compiled, args: [...args] }),
      );
      const receipt = await chain.receiptOf(hash);
      if (!receipt.contractAddress)
        throw new Error(`deploying ${name} created no contract: ${receipt.status}`);
      return {
        name,
        address: receipt.contractAddress,
        abi: compiled.abi,
        deployedAtBlock: receipt.blockNumber,
      };
    },

    read: ({ address, abi }, functionName, args = []) =>
      publicClient.readContract({ address, abi, functionName, args }),

    async write({ address, abi }, functionName, args = [], sender = account(0)) {
      const call = { address, abi, functionName, args, account: sender };
      const hash = await runExclusive(sender.address, () => walletClient.writeContract(call));
      const receipt = await chain.receiptOf(hash);
      if (receipt.status === "reverted") {
        // The estimate passed but the block reverted: a rerun on that block gives the reason.
        await publicClient.simulateContract({ ...call, blockNumber: receipt.blockNumber });
        throw new Error(`${functionName} reverted in block ${receipt.blockNumber}`);
      }
      return receipt;
    },

    receiptOf: (hash) => receiptOf(publicClient, hash),
    blockNumber: () => publicClient.getBlockNumber(),
    mine: (blocks = 1) => testClient.mine({ blocks }),
    mineEvery: (seconds) => testClient.setIntervalMining({ interval: seconds }),
    snapshot: () => testClient.snapshot(),
    async revert(id) {
      await testClient.revert({ id });
      // anvil would continue from the snapshot's time, and its blocks would be as old as the snapshot.
      await publicClient.request({ method: "evm_setTime", params: [Date.now()] } as never);
    },
    // viem types only the methods it knows; this one is for the rest.
    rpc: (method, params = []) => publicClient.request({ method, params } as never),
    close: () => anvil.stop(),
  };
  return chain;
};

const anvilArgs = ({
  chainId = foundry.id,
  port = 0,
  blockTimeSeconds,
  extraArgs = [],
}: ChainOptions): string[] => [
  "--host=127.0.0.1",
  `--port=${port}`,
  `--chain-id=${chainId}`,
  `--mnemonic=${MNEMONIC}`,
  ...(blockTimeSeconds === undefined ? [] : [`--block-time=${blockTimeSeconds}`]),
  ...extraArgs,
];

// viem stretches the mnemonic once per account, in JavaScript; once for all, natively, is a hundred times faster.
const deriveAccounts = (): HDAccount[] => {
  const root = HDKey.fromMasterSeed(pbkdf2Sync(MNEMONIC, "mnemonic", 2048, 64, "sha512"));
  return Array.from({ length: ACCOUNT_COUNT }, (_, addressIndex) => hdKeyToAccount(root, { addressIndex }));
};

// Concurrent sends would read the same nonce; waiting for receipts stays concurrent.
const createTurns = () => {
  const last = new Map<Address, Promise<unknown>>();
  return <T>(sender: Address, send: () => Promise<T>): Promise<T> => {
    const turn = (last.get(sender) ?? Promise.resolve()).then(send, send);
    last.set(sender, turn);
    return turn;
  };
};
