/** Compiles the demo's Solidity at start, so that no build artefact is checked in or stale. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
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
// Compiling takes the processor for four seconds. An entry's name is the digest of all that its content depends on.
const CACHE = new URL("../node_modules/.cache/vitrine-solidity/", import.meta.url);
// The compiler, and the library that the contracts import.
const INPUT_PACKAGES = ["solc", "@openzeppelin/contracts"];

const compiled = new Map<string, Promise<CompiledContracts>>();

/**
 * Every deployable contract of a folder, `demo/contracts` by default, compiled once for the same sources, compiler and
 * library in this checkout; throws the compiler's messages. The folder's URL ends with a slash.
 */
export const compileContracts = (folder: URL = SOURCES): Promise<CompiledContracts> => {
  const known = compiled.get(folder.href) ?? compileAll(folder);
  compiled.set(folder.href, known);
  return known;
};

const compileAll = async (folder: URL): Promise<CompiledContracts> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sol"));
  const contents = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
  const input = JSON.stringify({
    language: "Solidity",
    sources: Object.fromEntries(files.map((file, index) => [file, { content: contents[index] }])),
    settings: {
      // The Yul optimiser costs another second of every start and saves a tenth of the bytecode.
      optimizer: { enabled: true, details: { yul: false } },
      // Selects only our own files: otherwise the library's contracts would be compiled separately too.
      outputSelection: Object.fromEntries(files.map((file) => [file, { "*": OUTPUTS }])),
    },
  });

  const digest = createHash("sha256").update(input);
  const require = createRequire(import.meta.url);
  for (const name of INPUT_PACKAGES) digest.update(await readFile(require.resolve(`${name}/package.json`)));
  const entry = new URL(`${digest.digest("hex")}.json`, CACHE);
  const known = await readFile(entry, "utf8").catch(() => undefined);
  if (known) return JSON.parse(known) as CompiledContracts;
  const contracts = await compile(input, files);
  await keep(entry, JSON.stringify(contracts));
  return contracts;
};

/** Written aside and renamed, since several processes may do this at once. Does nothing where it can't be written. */
const keep = async (entry: URL, text: string): Promise<void> => {
  const draft = new URL(`${entry.href}.${process.pid}`);
  await mkdir(CACHE, { recursive: true })
    .then(() => writeFile(draft, text))
    .then(() => rename(draft, entry))
    .catch(() => undefined);
};

const compile = async (input: string, files: readonly string[]): Promise<CompiledContracts> => {
  const output = JSON.parse(await runCompiler(input)) as SolcOutput;
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
