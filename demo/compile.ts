/** Compiles the demo's Solidity at start, so that no build artefact is checked in or stale. */
import { readdir, readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import type { Abi, Hex } from "viem";

export type CompiledContract = { abi: Abi; bytecode: Hex };
export type CompiledContracts = Record<string, CompiledContract>;

type SolcOutput = {
  errors?: { severity: "error" | "warning" | "info"; formattedMessage: string }[];
  contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
};

const OUTPUTS = ["abi", "evm.bytecode.object"];
const SOURCES = new URL("./contracts/", import.meta.url);

const compiled = new Map<string, Promise<CompiledContracts>>();

/**
 * Compiles every deployable contract of a folder, `demo/contracts` by default, once per process; throws the compiler's
 * messages. The folder's URL ends with a slash.
 */
export const compileContracts = (folder: URL = SOURCES): Promise<CompiledContracts> => {
  const known = compiled.get(folder.href) ?? compileAll(folder);
  compiled.set(folder.href, known);
  return known;
};

const compileAll = async (folder: URL): Promise<CompiledContracts> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sol"));
  const contents = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(files.map((file, index) => [file, { content: contents[index] }])),
    settings: {
      // The Yul optimiser costs another second of every start and saves a tenth of the bytecode.
      optimizer: { enabled: true, details: { yul: false } },
      // Selects only our own files: otherwise the library's contracts would be compiled separately too.
      outputSelection: Object.fromEntries(files.map((file) => [file, { "*": OUTPUTS }])),
    },
  };

  const output = JSON.parse(await runCompiler(JSON.stringify(input))) as SolcOutput;
  const errors = (output.errors ?? []).filter((error) => error.severity === "error");
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"));

  return Object.fromEntries(
    files
      .flatMap((file) => Object.entries(output.contracts?.[file] ?? {}))
      // Interfaces and abstract contracts have no bytecode and can't be deployed.
      .filter(([, contract]) => contract.evm.bytecode.object.length > 0)
      .map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` as const }]),
  );
};

const runCompiler = (input: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./compile-worker.js", import.meta.url), { workerData: input });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`the Solidity compiler stopped with code ${code}`)));
  });
