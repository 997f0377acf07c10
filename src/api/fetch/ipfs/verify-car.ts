/**
 * Verifies a gateway's CAR (https://specs.ipfs.tech/http-gateways/trustless-gateway/): the content is read only from
 * blocks whose hash is the one that their CID, and so the CID that was asked for, contains.
 */

import { createHash } from "node:crypto";
import type { UnixFSEntry } from "ipfs-unixfs-exporter";
import { base16, base16upper } from "multiformats/bases/base16";
import { base32upper } from "multiformats/bases/base32";
import { base36upper } from "multiformats/bases/base36";
import { CID } from "multiformats/cid";
import { createYield, type YieldToEventLoop } from "../../async/yield-to-event-loop.ts";
import type { ContentRef } from "../locate.ts";
import {
  BLOCKS_MAX,
  CBOR_BYTES_MAX,
  countLinks,
  LINK_BYTES,
  TooManyBlocks,
  Unverifiable,
} from "./node-limits.ts";

export type CarContent =
  | { readonly kind: "content"; readonly body: Buffer }
  /** The CID's own blocks say that the content is over the limit. */
  | { readonly kind: "too_large" }
  /** The CID's own blocks say that there is no such path. */
  | { readonly kind: "missing" }
  | { readonly kind: "directory" }
  /** Content of a kind that nothing here can read or hash: another codec, or another hash than SHA-256. */
  | { readonly kind: "unverifiable"; readonly message: string }
  /** The gateway sent other bytes than those it was asked for. */
  | { readonly kind: "mismatch"; readonly message: string }
  /** Blocks are missing, as in a CAR that was cut short. */
  | { readonly kind: "incomplete"; readonly message: string };

export interface CarLimit {
  readonly bytesMax: number;
  /** Reads only the start of content over `bytesMax`; otherwise it is too large. */
  readonly isStartEnough?: boolean | undefined;
}

const SHA2_256 = 0x12;
const IDENTITY = 0x00;
const DAG_PB = 0x70;
const DAG_CBOR = 0x71;
const RAW = 0x55;
// Their blocks are the text of the document: json and dag-json.
const JSON_CODECS = new Set([0x0200, 0x0129]);
const SHA2_256_BYTES = 32;
// Path blocks of up to 2 MiB each, the limit of a block, and what chunks of a few hundred bytes add.
const PATH_BYTES_MAX = 4 * 1024 * 1024;
const CHUNK_OVERHEAD = 1.25;
// Gateways name one root, in about 60 bytes.
const HEADER_BYTES_MAX = 4_096;
// Other implementations read 128 bytes (boxo, verifcid). URIs in contracts may have more.
const IDENTITY_BYTES_MAX = 65_536;
// Widths of a shard that implementations use: powers of two (boxo, hamt.MaxShardWidth).
const FANOUT_MAX = 1024n;

const otherBases = base16.decoder.or(base16upper.decoder).or(base32upper.decoder).or(base36upper.decoder);

// Bases that are no power of two take the square of the digits' number: 8,000 of them a fifth of a second. A CIDv1 with
// SHA-256 has 50 to 59 characters.
const SLOW_BASE_LENGTH_MAX = 256;

class MissingBlock extends Error {}

/** The most bytes that a CAR of content of up to `bytesMax` bytes may have. */
export const carBytesMax = (bytesMax: number): number =>
  Math.ceil(bytesMax * CHUNK_OVERHEAD) + PATH_BYTES_MAX;

/**
 * Undefined if content with this CID can't be verified: it isn't one, has another hash than SHA-256, or is too long.
 */
export function verifiableCid(text: string): CID | undefined {
  if (text.length > SLOW_BASE_LENGTH_MAX && !/^[fFbB]/.test(text)) return undefined;
  try {
    const cid = /^[fFBK]/.test(text) ? CID.parse(text, otherBases) : CID.parse(text);
    return isVerifiable(cid) ? cid : undefined;
  } catch {
    return undefined;
  }
}

const isVerifiable = ({ multihash: { code, digest } }: CID): boolean =>
  code === IDENTITY
    ? digest.length <= IDENTITY_BYTES_MAX
    : code === SHA2_256 && digest.length === SHA2_256_BYTES;

/**
 * The content in the CAR's bytes, at most `carBytesMax` of them; `isCut` if it had more. Blocks may come in any order,
 * more than once, and with others. Never rejects, whatever the bytes.
 */
export async function verifyCar(
  car: Buffer,
  { cid: text, path }: ContentRef,
  { bytesMax, isStartEnough = false }: CarLimit,
  isCut = false,
): Promise<CarContent> {
  const root = verifiableCid(text);
  if (!root) return { kind: "unverifiable", message: `the content's hash is not SHA-256` };
  const pause = createYield();
  const read = await readBlocks(car, pause);
  if (read.kind === "mismatch") return read;
  const { blocks, isWhole } = read;
  const isRootMissing = root.multihash.code === SHA2_256 && !blocks.has(keyOf(root));
  if (isRootMissing && isWhole && !isCut && blocks.size > 0)
    return { kind: "mismatch", message: "the CAR has blocks of other content only" };
  try {
    const nodes = createNodes(blocks, carBytesMax(bytesMax), pause);
    let at: Place = { cid: root, rest: path };
    while (at.rest.length > 0) {
      const next = await nodes.follow(at);
      if (!next) return { kind: "missing" };
      at = next;
    }
    return await nodes.read(at.cid, bytesMax, isStartEnough);
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof MissingBlock) {
      const how = isCut ? `is over ${car.length} bytes` : isWhole ? "lacks blocks" : "was cut short";
      return { kind: "incomplete", message: `the gateway's CAR ${how}` };
    }
    if (error instanceof TooManyBlocks) return { kind: "too_large" };
    // Every block that was read had its hash, so the fault is the content's own.
    return {
      kind: "unverifiable",
      message: `the content can't be read as a file (${message.slice(0, 200)})`,
    };
  }
}

/** How far a path has been followed. */
interface Place {
  readonly cid: CID;
  readonly rest: readonly string[];
}

type Blocks = ReadonlyMap<string, Uint8Array>;

const keyOf = ({ multihash }: CID): string => Buffer.from(multihash.digest).toString("latin1");

/** The blocks up to the first byte that is no part of a CAR. */
async function readBlocks(
  car: Buffer,
  pause: YieldToEventLoop,
): Promise<
  | { readonly kind: "read"; readonly blocks: Blocks; readonly isWhole: boolean }
  | Extract<CarContent, { kind: "mismatch" }>
> {
  const blocks = new Map<string, Uint8Array>();
  let count = 0;
  try {
    const { bytesReader, limitReader, readHeader } = await import("@ipld/car/decoder");
    const { CarBlockIterator } = await import("@ipld/car/iterator");
    // Rejects if the header goes on beyond the limit.
    await readHeader(limitReader(bytesReader(car), HEADER_BYTES_MAX));
    for await (const { cid, bytes } of await CarBlockIterator.fromBytes(car)) {
      if (++count > BLOCKS_MAX) return { kind: "read", blocks, isWhole: false };
      await pause();
      if (cid.multihash.code !== SHA2_256 || !isVerifiable(cid)) continue;
      if (!createHash("sha256").update(bytes).digest().equals(cid.multihash.digest))
        return { kind: "mismatch", message: `the bytes of ${cid} don't have its hash` };
      blocks.set(keyOf(cid), bytes);
    }
  } catch {
    return { kind: "read", blocks, isWhole: false };
  }
  return { kind: "read", blocks, isWhole: true };
}

/**
 * Reads verified blocks one by one. Not by the exporter's own walks: in them a missing block rejects a promise that
 * nobody awaits, and crafted shards loop forever.
 */
function createNodes(blocks: Blocks, bytesReadMax: number, pause: YieldToEventLoop) {
  let reads = 0;
  let bytesRead = 0;
  const store = {
    async *get(cid: CID): AsyncGenerator<Uint8Array> {
      if (++reads > BLOCKS_MAX) throw new TooManyBlocks();
      const block = cid.multihash.code === IDENTITY ? cid.multihash.digest : blocks.get(keyOf(cid));
      if (!block) throw new MissingBlock(String(cid));
      if (cid.code === DAG_CBOR && block.length > CBOR_BYTES_MAX)
        throw new Unverifiable(`${block.length} bytes of CBOR`);
      const links = cid.code === DAG_PB ? countLinks(block) : 0;
      bytesRead += Math.max(block.length, links * LINK_BYTES);
      if (bytesRead > bytesReadMax) throw new TooManyBlocks();
      await pause();
      yield block;
    },
  };
  // Loaded on first use: many services never see such content, and their start would be a tenth of a second longer.
  const load = async (cid: CID): Promise<UnixFSEntry> => {
    const { code, digest } = cid.multihash;
    if (!isVerifiable(cid)) throw new Unverifiable(`hash ${code.toString(16)} of ${digest.length} bytes`);
    const { exporter } = await import("ipfs-unixfs-exporter");
    return exporter(cid, store);
  };
  const entryOf = async (cid: CID): Promise<UnixFSEntry> => {
    // Of JSON only the text is needed, and its decoder takes long, too.
    if (JSON_CODECS.has(cid.code)) return load(CID.createV1(RAW, cid.multihash));
    if (cid.code !== DAG_PB && cid.code !== RAW) throw new Unverifiable(`codec ${cid.code.toString(16)}`);
    return load(cid);
  };

  /** By at least one name of the path; undefined if there is no such entry: `cid` is no directory or has none. */
  async function follow({ cid, rest: [name = "", ...rest] }: Place): Promise<Place | undefined> {
    if (cid.code === RAW) return undefined;
    if (cid.code === DAG_CBOR) return linkIn(await load(cid), [name, ...rest]);
    if (cid.code !== DAG_PB) throw new Unverifiable(`a path into codec ${cid.code.toString(16)}`);
    const found = await find(cid, name);
    return found && { cid: found, rest };
  }

  /** The CID of the entry with this name. */
  async function find(parent: CID, name: string): Promise<CID | undefined> {
    const entry = await entryOf(parent);
    if (entry.type !== "directory") return undefined;
    if (entry.unixfs.type === "directory") return entry.node.Links.find(({ Name }) => Name === name)?.Hash;
    return findInShards(entry, name);
  }

  /**
   * Looks through the shards that are there. A CAR has those on the way to the name, so no hash of it is needed.
   */
  async function findInShards(root: UnixFSEntry, name: string): Promise<CID | undefined> {
    const shards: (UnixFSEntry | CID)[] = [root];
    let missing: MissingBlock | undefined;
    for (let next = shards.pop(); next; next = shards.pop()) {
      const shard = "type" in next ? next : await entryOf(next).catch(keepMissing);
      if (!shard) continue;
      if (shard.type !== "directory") throw new Unverifiable("a shard that is none");
      const digits = prefixLength(shard.unixfs.fanout);
      for (const { Name = "", Hash } of shard.node.Links) {
        if (Name.slice(digits) === name) return Hash;
        if (Name.length === digits) shards.push(Hash);
      }
      dropUnreachable(shards);
    }
    if (missing) throw missing;
    return undefined;

    function keepMissing(error: unknown): undefined {
      if (!(error instanceof MissingBlock)) throw error;
      missing = error;
    }
  }

  async function read(root: CID, bytesMax: number, isStartEnough: boolean): Promise<CarContent> {
    const entry = await entryOf(root);
    if (entry.type === "directory") return { kind: "directory" };
    if (entry.type === "file" && entry.size > bytesMax && !isStartEnough) return { kind: "too_large" };
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    // A gateway that was asked for the start sends no block beyond it.
    const enough = isStartEnough ? bytesMax : bytesMax + 1;
    const parts: (UnixFSEntry | CID)[] = [entry];
    for (let next = parts.pop(); next && bytes < enough; next = parts.pop()) {
      const part = "type" in next ? next : await entryOf(next);
      const data = dataOf(part);
      chunks.push(data);
      bytes += data.length;
      if (part.type === "file") for (const { Hash } of part.node.Links.toReversed()) parts.push(Hash);
      dropUnreachable(parts);
    }
    if (bytes > bytesMax && !isStartEnough) return { kind: "too_large" };
    return { kind: "content", body: Buffer.concat(chunks).subarray(0, bytesMax) };
  }

  return { follow, read };
}

/** The first link on a path through the maps and lists of a node. What else it leads to, a gateway may still serve. */
function linkIn(node: UnixFSEntry, path: readonly string[]): Place {
  let value: unknown = node.type === "object" ? node.object : undefined;
  for (const [index, name] of path.entries()) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) break;
    value = (value as Readonly<Record<string, unknown>>)[name];
    if (value instanceof CID) return { cid: value, rest: path.slice(index + 1) };
  }
  throw new Unverifiable("a path through CBOR without a link");
}

/** Drops those that are read after more blocks than may be: the first ones, since the last one is read next. */
const dropUnreachable = (pending: unknown[]): void => void pending.splice(0, pending.length - BLOCKS_MAX);

function prefixLength(fanout: bigint | undefined): number {
  if (fanout === undefined || fanout < 2n || fanout > FANOUT_MAX) throw new Unverifiable("a shard's width");
  return (fanout - 1n).toString(16).length;
}

/** The bytes of one block of a file. */
function dataOf(entry: UnixFSEntry): Uint8Array {
  if (entry.type === "raw") return entry.node;
  if (entry.type === "file" && (entry.unixfs.type === "file" || entry.unixfs.type === "raw"))
    return entry.unixfs.data ?? new Uint8Array();
  throw new Unverifiable(entry.type === "file" ? entry.unixfs.type : entry.type);
}
