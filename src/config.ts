/** The environment that shapes the index: which chains and which collections, from which block. */

import { readFileSync } from "node:fs";
import { z } from "zod";
import { BootError } from "./boot-error.ts";
import { faultOfSlug } from "./domain/slug.ts";
import { collectionKey, parseAddress } from "./domain/token-ref.ts";
import { explainInvalid, shown } from "./invalid-value.ts";

export interface ChainConfig {
  readonly id: number;
  /** In order of preference; the first is asked first. */
  readonly rpcUrls: readonly string[];
}

export type Standard = "erc721" | "erc1155";

/** How TokenLocked and TokenUnlocked are read: each lock needs its own unlock, or the last event decides. */
export const lockReadings = ["count", "boolean"] as const;
export type LockReading = (typeof lockReadings)[number];

export interface CollectionConfig {
  readonly chainId: number;
  readonly address: string;
  readonly standard?: Standard | undefined;
  readonly startBlock: number;
  readonly name?: string | undefined;
  readonly slug?: string | undefined;
  /** Applied where locks are served, so a change needs a restart and no new index; `count` where it is absent. */
  readonly locks?: LockReading | undefined;
}

/** A delegate registry v2 to index. */
export interface RegistryConfig {
  readonly chainId: number;
  readonly address: string;
  readonly startBlock: number;
}

export interface IndexConfig {
  /** Every chain with an RPC endpoint, by ascending id. */
  readonly chains: readonly ChainConfig[];
  /** In the file's order; a chain and address appear once. */
  readonly collections: readonly CollectionConfig[];
  /** At most one per chain that has collections. */
  readonly registries: readonly RegistryConfig[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const RPC_VARIABLE = /^PONDER_RPC_URL_([1-9][0-9]*)$/;

const collectionSchema = z.strictObject({
  chainId: z.int().positive(),
  address: z.string().transform((text, context) => {
    const address = parseAddress(text);
    if (address) return address;
    context.addIssue({ code: "custom", message: `"${text}" is not an address (0x and 40 hex digits)` });
    return z.NEVER;
  }),
  standard: z.enum(["erc721", "erc1155"]).optional(),
  startBlock: z.int().nonnegative(),
  name: z
    .string()
    .min(1)
    .refine((name) => name.trim() !== "" && name.isWellFormed() && !name.includes("\0"), {
      error: "must have a visible character, and neither U+0000 nor half of a surrogate pair",
    })
    .optional(),
  slug: z
    .string()
    .superRefine((slug, context) => {
      const fault = faultOfSlug(slug);
      if (fault !== undefined)
        context.addIssue({ code: "custom", message: `${fault}; it is ${shown(slug)}` });
    })
    .optional(),
  locks: z.enum(lockReadings).optional(),
});

/**
 * Reads PONDER_RPC_URL_<chainId> and COLLECTIONS_FILE. Throws a BootError that names the variable or the
 * entry to mend: a collection without an RPC endpoint, a malformed entry, an empty list.
 */
export function loadIndexConfig(environment: Environment): IndexConfig {
  const chains = readChains(environment);
  const file = environment.COLLECTIONS_FILE || "collections.json";
  const collections = readCollections(file);
  const known = new Set(chains.map((chain) => chain.id));
  for (const [index, { chainId }] of collections.entries()) {
    if (known.has(chainId)) continue;
    throw new BootError(
      `${file}[${index}] is on chain ${chainId}, but PONDER_RPC_URL_${chainId} is not set; set it to an RPC endpoint of that chain.`,
    );
  }
  const registries = chains.flatMap(({ id }) => readRegistry(environment, id, collections));
  return { chains, collections, registries };
}

// The same address on every chain that has it (CREATE2); a chain without it costs a few empty log queries.
const CANONICAL_REGISTRY = "0x00000000000000447e69651d841bd8d104bed493";
const REGISTRY = /^(0x[0-9a-fA-F]{40})(?:@([0-9]{1,15}))?$/;

/** DELEGATE_REGISTRY_<chainId>: `address[@startBlock]` or `off`; the canonical one from the first collection's start. */
function readRegistry(
  environment: Environment,
  chainId: number,
  collections: readonly CollectionConfig[],
): RegistryConfig[] {
  const name = `DELEGATE_REGISTRY_${chainId}`;
  const text = environment[name] || CANONICAL_REGISTRY;
  const own = collections.filter((each) => each.chainId === chainId);
  if (own.length === 0 || text === "off") return [];
  const [, address, startBlock] = REGISTRY.exec(text) ?? [];
  if (!address) {
    throw new BootError(`${name} must be address[@startBlock] or off; it is "${text}".`);
  }
  return [
    {
      chainId,
      address: address.toLowerCase(),
      // The lowest, as of the collections: the file's order must not re-index.
      startBlock: startBlock ? Number(startBlock) : Math.min(...own.map((each) => each.startBlock)),
    },
  ];
}

const readChains = (environment: Environment): ChainConfig[] =>
  configuredChains(environment)
    .map((id) => ({ id, rpcUrls: rpcUrlsOf(id, environment) ?? [] }))
    .sort((a, b) => a.id - b.id);

/** The chains with an RPC endpoint. */
export const configuredChains = (environment: Environment): number[] =>
  Object.entries(environment).flatMap(([name, value]) => {
    const id = RPC_VARIABLE.exec(name)?.[1];
    return id && value ? [Number(id)] : [];
  });

/**
 * PONDER_RPC_URL_<chainId>, in order of preference; undefined if it is not set. Throws a BootError for one that is not a
 * list of URLs.
 */
export function rpcUrlsOf(chainId: number, environment: Environment): string[] | undefined {
  const name = `PONDER_RPC_URL_${chainId}`;
  const value = environment[name];
  if (!value) return undefined;
  const rpcUrls = value
    .split(",")
    .map((url) => url.trim())
    .filter(Boolean);
  const bad = rpcUrls.findIndex((url) => !isHttpUrl(url));
  if (rpcUrls.length > 0 && bad < 0) return rpcUrls;
  // An endpoint often carries a provider key, so it is named by its place and not repeated.
  const found = bad < 0 ? "it lists none" : `entry ${bad + 1} is not one`;
  throw new BootError(`${name} must be http(s) URLs separated by commas; ${found}.`);
}

function isHttpUrl(url: string): boolean {
  // A space would pass as part of the path, and is a list written without commas.
  return URL.canParse(url) && !/\s/.test(url) && /^https?:$/.test(new URL(url).protocol);
}

function readCollections(file: string): CollectionConfig[] {
  const parsed = z.array(collectionSchema).safeParse(readJson(file), { error: explainInvalid });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = (issue?.path ?? []).map((part) =>
      typeof part === "number" ? `[${part}]` : `.${String(part)}`,
    );
    throw new BootError(
      `${file}${path.join("")}: ${issue?.message}; see README "Collections" for the format.`,
    );
  }
  if (parsed.data.length === 0) {
    throw new BootError(`${file} lists no collection, so there is nothing to index; add at least one entry.`);
  }
  const seen = new Set<string>();
  for (const { chainId, address, slug } of parsed.data) {
    const slugOfChain = `${chainId} ${slug}`;
    if (slug && seen.has(slugOfChain))
      throw new BootError(`${file} uses the slug "${slug}" twice on chain ${chainId}; change one.`);
    if (slug) seen.add(slugOfChain);
    const key = collectionKey({ chainId, address });
    if (seen.has(key)) throw new BootError(`${file} lists ${address} on chain ${chainId} twice; remove one.`);
    seen.add(key);
  }
  return parsed.data;
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new BootError(
      `${file} can't be read; create it or point COLLECTIONS_FILE to your collections file.`,
      {
        cause,
      },
    );
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BootError(`${file} is not valid JSON (${(cause as Error).message}); mend it.`, { cause });
  }
}
