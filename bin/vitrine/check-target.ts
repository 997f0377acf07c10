/** Checks what an operator names on the terminal: a document, a URI or a token, in this process alone. */

import { existsSync, readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type DocumentReport, mediaOf, reportOn } from "../../src/api/catalog/reports/document-report.ts";
import { createChainCalls } from "../../src/api/chain/contract/batched-calls.ts";
import { createLatestBlock } from "../../src/api/chain/contract/read-block.ts";
import { createChainClients } from "../../src/api/chain/rpc/clients.ts";
import { verifyChainIds } from "../../src/api/chain/rpc/verify-chain-ids.ts";
import { loadFetchConfig } from "../../src/api/config.ts";
import { createFetching, type Fetching } from "../../src/api/fetch/fetching.ts";
import { locate } from "../../src/api/fetch/locate.ts";
import { createDecoder } from "../../src/api/media/decoder/decoder.ts";
import { hostMatches } from "../../src/api/media/display/host-pattern.ts";
import { createExamineMedia } from "../../src/api/media/probes/examine-media.ts";
import { createFetchMedia } from "../../src/api/media/probes/fetch-media.ts";
import {
  type Examined,
  examineResolution,
  examineText,
  examineUri,
  failedFetch,
} from "../../src/api/metadata/document/examine.ts";
import { createUriReader } from "../../src/api/metadata/uri/read-uri.ts";
import { createResolve } from "../../src/api/metadata/uri/resolve.ts";
import { rpcUrlsOf } from "../../src/config.ts";
import { parseAddress, parseTokenId, type TokenRef } from "../../src/domain/token-ref.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface CheckOptions {
  /** Replaces `{id}`; for a URI only. */
  readonly tokenId?: string;
  /** `host:port` entries allowed on private addresses, besides ALLOW_PRIVATE_HOSTS. */
  readonly allowPrivate?: readonly string[];
  /** Patterns of hosts to treat as allowed for animations and videos. */
  readonly allowHost?: readonly string[];
}

const TOKEN = /^([1-9][0-9]{0,14}):([^:]*):([^:]*)$/;

/**
 * The report of a URI, of `chainId:address:tokenId` at the node's head, or of a document in a file or, for `-`, in
 * `stdin`. Throws one sentence for an invalid target or unusable settings; a failed fetch is part of the report.
 */
export async function checkTarget(
  target: string,
  options: CheckOptions,
  environment: Environment,
  stdin: Readable,
): Promise<DocumentReport> {
  const { allowPrivate = [], allowHost = [] } = options;
  const config = loadFetchConfig(environment);
  const allowedPrivateHosts = new Set([...config.allowedPrivateHosts, ...allowPrivate]);
  const fetching = createFetching({ ...config, allowedPrivateHosts });
  const examined = await examine(target, options.tokenId, { fetching, environment, stdin });
  const decoder = createDecoder({ processes: 1 });
  const { gateways } = fetching;
  const examineMedia = createExamineMedia({ fetchMedia: createFetchMedia(fetching), decoder, gateways });
  const media = await examineMedia(mediaOf(examined)).finally(() => decoder.close());
  return reportOn(examined, media, {
    gateways,
    isAllowed: (host) => allowHost.some((pattern) => hostMatches(pattern, host.toLowerCase())),
    known: new Map(),
    operatorContact: config.operatorContact,
  });
}

interface Means {
  readonly fetching: Fetching;
  readonly environment: Environment;
  readonly stdin: Readable;
}

async function examine(target: string, tokenId: string | undefined, means: Means): Promise<Examined> {
  const [, chainId, address = "", id = ""] = TOKEN.exec(target) ?? [];
  const isFile = target === "-" || existsSync(target);
  if (tokenId !== undefined && (chainId !== undefined || isFile))
    throw new Error("--token-id goes with a URI only.");
  if (chainId !== undefined) return examineToken(parseToken(chainId, address, id), means);
  if (isFile) return examineText(target === "-" ? await buffer(means.stdin) : read(target));
  const isUri =
    locate(target, means.fetching.gateways).kind === "located" || /^[a-z][a-z0-9+.-]*:/i.test(target);
  if (isUri) return examineUri(means.fetching, target, tokenId);
  throw new Error(`"${target}" is neither a URI, a chainId:address:tokenId, nor an existing file.`);
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Error(`${file} can't be read (${(cause as NodeJS.ErrnoException).code}).`, { cause });
  }
}

function parseToken(chainId: string, address: string, tokenId: string): TokenRef {
  const collection = parseAddress(address);
  if (!collection) throw new Error(`"${address}" is not an address (0x and 40 hex digits).`);
  if (parseTokenId(tokenId) === undefined)
    throw new Error(
      `"${tokenId}" is not a token id: a decimal number from 0 to 2^256-1, without leading zeros.`,
    );
  return { chainId: Number(chainId), collection, tokenId };
}

async function examineToken(token: TokenRef, { fetching, environment }: Means): Promise<Examined> {
  const { chainId } = token;
  const rpcUrls = rpcUrlsOf(chainId, environment);
  if (!rpcUrls)
    throw new Error(`PONDER_RPC_URL_${chainId} is not set; set it to an RPC endpoint of chain ${chainId}.`);
  const chains = [{ id: chainId, rpcUrls }];
  await verifyChainIds(chains);
  const clients = createChainClients(chains);
  const block = await createLatestBlock(clients)(chainId).catch(() => undefined);
  if (block === undefined)
    return failedFetch("rpc_unavailable", `the RPC endpoint of chain ${chainId} does not answer`);
  const resolve = createResolve({ ...fetching, readUri: createUriReader(createChainCalls(clients)) });
  return examineResolution(await resolve(token, undefined, block));
}
