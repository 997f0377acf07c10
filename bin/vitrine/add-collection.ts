/** Reads a contract and adds it to the collections file. */

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline/promises";
import { type Address, BaseError, createPublicClient, http } from "viem";
import { configuredChains, rpcUrlsOf, type Standard } from "../../src/config.ts";
import { parseAddress } from "../../src/domain/token-ref.ts";
import { CHECKED, type ContractFacts, readContract } from "../collections/contract.ts";
import { findDeployment, firstLine } from "../collections/deployment.ts";
import { addEntry, findEntry, readEntries, requireFreeSlug } from "../collections/file.ts";
import { countLogs, type LogCount } from "../collections/log-count.ts";
import { loadEnvironment } from "../environment.ts";
import type { Tool } from "./tool.ts";
import { visible } from "./visible.ts";

/** The slowest round of `npm run bench -- indexing` on two cores, rounded down: 120,000 events of a local node. */
const INDEXED_PER_SECOND = 9_000;

export interface AddOptions {
  readonly chain?: number;
  readonly rpc?: string;
  readonly slug?: string;
  readonly name?: string;
  readonly standard?: Standard;
  readonly startBlock?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Throws a sentence for the operator. Without `yes`, asks first. */
export const addCollection = (...given: Parameters<typeof add>): Promise<void> =>
  add(...given).catch((cause: Error) => {
    if (!(cause instanceof BaseError)) throw cause;
    // Its message has the endpoint's URL, which often contains a provider key.
    throw new Error(
      `the endpoint can't be read: ${cause.shortMessage.split("\n")[0]} (${firstLine(cause)})`,
      { cause },
    );
  });

async function add({ print, progress }: Tool, text: string, options: AddOptions): Promise<void> {
  loadEnvironment();
  const address = parseAddress(text) as Address | undefined;
  if (!address) throw new Error(`"${text}" is not an address (0x and 40 hex digits).`);
  const file = process.env.COLLECTIONS_FILE || "collections.json";
  const before = readEntries(file);
  const { chainId, url } = endpointFor(options);
  const isListed = `${file} lists ${address} on chain ${chainId} already; nothing is changed`;
  const listed = findEntry(before, { chainId, address });
  if (listed) return print({ added: false, entry: listed }, [isListed]);
  requireFreeSlug(file, before, options.slug);
  if (!options.dryRun && !existsSync(dirname(file)))
    throw new Error(
      `${file} can't be created: its folder doesn't exist; create that, or set COLLECTIONS_FILE.`,
    );
  if (!options.dryRun && !options.yes && !process.stdin.isTTY)
    throw new Error("there is no terminal to ask; pass --yes to add it, or --dry-run for the report alone.");

  const { facts, standard, startBlock, count } = await survey(progress, { chainId, url, address }, options);
  const name = options.name ?? (facts.name?.trim() || undefined);
  const entry = {
    chainId,
    address,
    ...(options.standard && { standard: options.standard }),
    startBlock,
    ...(name !== undefined && { name }),
    ...(options.slug !== undefined && { slug: options.slug }),
  };
  const report = [
    `${name ?? "without a name"}: ${standard}, from block ${startBlock}`,
    ...(facts.implementation ? [`proxy of ${facts.implementation}, whose code was read`] : []),
    `lock standards: ${facts.locks.join(", ") || (facts.isPartlyUnread ? "unknown" : "none")}`,
    ...(facts.isPartlyUnread
      ? ["forwards to code that was not found (DELEGATECALL): its locks and events are unknown"]
      : []),
    ...facts.silent.map((each) => `without events: ${each}`),
    costOf(count),
  ];
  const result = {
    ...facts,
    entry,
    standard,
    cost: count && { ...count, indexedPerSecondMax: INDEXED_PER_SECOND },
  };
  if (options.dryRun) return print({ added: false, ...result }, [...report, "dry run: nothing is changed"]);
  if (!options.yes && !(await confirms(`${report.map(visible).join("\n")}\nAdd it to ${file}?`))) {
    process.exitCode = 2;
    return print({ added: false, ...result }, ["nothing is changed"]);
  }
  if (!(await addEntry(file, entry))) return print({ added: false, ...result }, [isListed]);
  if (!process.env[`PONDER_RPC_URL_${chainId}`])
    progress(`set PONDER_RPC_URL_${chainId} before the next start`);
  print({ added: true, ...result }, [
    ...(options.yes ? report : []),
    `added to ${file}; the next start needs a new chain index: npx vitrine index check`,
  ]);
}

interface Place {
  readonly chainId: number;
  readonly url: string;
  readonly address: Address;
}

interface Survey {
  readonly facts: ContractFacts;
  readonly standard: Standard;
  readonly startBlock: number;
  /** Null where its logs can't be counted. */
  readonly count: LogCount | null;
}

/** What the chain has of a contract. Throws a sentence for the operator where that is no collection. */
async function survey(
  progress: Tool["progress"],
  { chainId, url, address }: Place,
  options: AddOptions,
): Promise<Survey> {
  const client = createPublicClient({ transport: http(url, { timeout: 30_000 }) });
  const found = await client.getChainId().catch((error: Error) => {
    throw new Error(`the endpoint does not answer (${firstLine(error)}).`);
  });
  if (found !== chainId)
    throw new Error(`the endpoint serves chain ${found}, not ${chainId}; pass --chain or --rpc.`);
  const head = await client.getBlockNumber();
  const code = await client.getCode({ address });
  if (!code || code === "0x")
    throw new Error(
      `${address} has no code on chain ${chainId}: it is a wallet, is not deployed there, or was destroyed.`,
    );
  progress(`reading the contract at block ${head}`);
  const facts = await readContract(client, address, code);
  const standard = options.standard ?? facts.standard;
  if (!standard)
    throw new Error(
      `${address} does not say that it is a collection; checked: ${CHECKED}. If it is one, pass --standard.`,
    );
  if (options.startBlock !== undefined && options.startBlock > head)
    throw new Error(`--start-block is ${options.startBlock}, but the newest block is ${head}.`);
  progress("searching for the deployment block");
  const startBlock = options.startBlock ?? Number(await findDeployment(client, address, head));
  progress("counting logs");
  const count = await countLogs(client, address, BigInt(startBlock), head).catch((error: Error) => {
    progress(`logs can't be counted (${firstLine(error)})`);
    return null;
  });
  return { facts, standard, startBlock, count };
}

/** Changing the list re-indexes all collections; the count is of the one that is added. */
function costOf(count: LogCount | null): string {
  if (!count) return "re-indexing: its logs could not be counted";
  const { logs, isEstimate, logsPerSecond } = count;
  const counted = `re-indexing: about ${logs} logs (${isEstimate ? "by samples" : "counted"})`;
  if (logsPerSecond === null) return `${counted}, less than a minute, beside those of the other collections`;
  const minutes = Math.max(1, Math.ceil(logs / Math.min(logsPerSecond, INDEXED_PER_SECOND) / 60));
  return `${counted}; at the ${logsPerSecond} logs/s that this endpoint gave and at most ${INDEXED_PER_SECOND} logs/s of indexing (bench "indexing", two cores): about ${minutes} ${minutes === 1 ? "minute" : "minutes"}, beside those of the other collections`;
}

function endpointFor({ chain, rpc }: AddOptions): { readonly chainId: number; readonly url: string } {
  const chains = configuredChains(process.env);
  const chosen = chain === undefined && chains.length === 1 ? chains[0] : chain;
  if (chosen === undefined)
    throw new Error(
      chains.length === 0
        ? "no PONDER_RPC_URL_<chainId> is set; set one, or pass --chain and --rpc."
        : `${chains.length} chains are configured (${chains.join(", ")}); pass --chain.`,
    );
  const url = rpc ?? rpcUrlsOf(chosen, process.env)?.[0];
  if (!url) throw new Error(`PONDER_RPC_URL_${chosen} is not set; set it, or pass --rpc.`);
  return { chainId: chosen, url };
}

async function confirms(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
