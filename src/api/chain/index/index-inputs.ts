/** The inputs of a chain index in an operator's terms: source files, collections, start blocks, registries. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { IndexConfig } from "../../../config.ts";

/** The collections of a chain share the lowest start block, from which Ponder indexes. */
export interface ChainInputs {
  readonly collections: readonly string[];
  readonly startBlock: number;
  /** `address@startBlock`, or `off`. */
  readonly registry: string;
}

export interface IndexInputs {
  /** Digests by path relative to the project folder. */
  readonly files: Readonly<Record<string, string>>;
  /** By chain id. */
  readonly chains: Readonly<Record<string, ChainInputs>>;
}

const FILES = ["ponder.config.ts", "ponder.schema.ts"];
const FOLDERS = ["abis", "src"];
const SOURCE = /\.m?[jt]s$/;
const SERVING_HALF = "src/api/";

/** Whether Ponder hashes the text of this file of the inputs. Of the others, it hashes the values that they produce. */
export const isTextHashed = (file: string): boolean => file.startsWith("src/") || file === "ponder.schema.ts";

/** Reads the current inputs in a few milliseconds. Names, slugs, standards and locks don't affect a chain index. */
export function readIndexInputs(root: string, { collections, registries }: IndexConfig): IndexInputs {
  const chainIds = [...new Set(collections.map(({ chainId }) => chainId))];
  const chains = chainIds.map((id): [string, ChainInputs] => {
    const own = collections.filter(({ chainId }) => chainId === id);
    const registry = registries.find(({ chainId }) => chainId === id);
    return [
      String(id),
      {
        collections: own.map(({ address }) => address).sort(),
        startBlock: Math.min(...own.map(({ startBlock }) => startBlock)),
        registry: registry ? `${registry.address}@${registry.startBlock}` : "off",
      },
    ];
  });
  const files = sourceFiles(root).map((file): [string, string] => [file, digest(join(root, file))]);
  return { files: Object.fromEntries(files), chains: Object.fromEntries(chains) };
}

function sourceFiles(root: string): string[] {
  const nested = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => SOURCE.test(file))
      .map((file) => `${folder}/${file.replaceAll("\\", "/")}`),
  );
  return [...FILES, ...nested].filter((file) => !file.startsWith(SERVING_HALF)).sort();
}

const digest = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");
