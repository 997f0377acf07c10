/**
 * What a node may contain. The libraries decode a block in one piece: crafted ones within the bytes of a CAR take them
 * seconds and hundreds of megabytes, so these limits come first.
 */

import { varint } from "multiformats";

// A file of the same block a billion times takes a few kilobytes. Files within the limits have fewer blocks than this,
// unless their chunks are below 512 bytes; usual ones have 256 KiB.
export const BLOCKS_MAX = 4_096;

// A link's SHA-256 alone takes these. Only a link with the content in its own CID may have fewer.
export const LINK_BYTES = 32;
// In one block: more than 1 MiB has room for, and implementations write no larger blocks. They shard directories over
// 256 KiB, and give a file's nodes 174 or 1,024 links.
const LINKS_MAX = (1024 * 1024) / LINK_BYTES;
// UnixFS's fields beside the file's bytes. They have the size of each part, in up to 11 bytes.
const UNIXFS_BYTES_MAX = 16 * BLOCKS_MAX;
// Of a node whose every byte may become an object. Those that have links to files take some hundred bytes.
export const CBOR_BYTES_MAX = 65_536;
const NODE_LINK = 0x12;
const NODE_DATA = 0x0a;
const UNIXFS_TYPE = 0x08;
const UNIXFS_DATA = 0x12;

export class TooManyBlocks extends Error {}
export class Unverifiable extends Error {}

/**
 * How many links the decoder would find in a dag-pb node. Throws if they are too many, or if the decoder might read the
 * bytes in another way than this does: no encoder writes such.
 */
export function countLinks(node: Uint8Array): number {
  let links = 0;
  for (let at = 0; at < node.length; ) {
    const tag = node[at];
    const [length, lengthBytes] = varint.decode(node, at + 1);
    const start = at + 1 + lengthBytes;
    at = start + length;
    if (tag === NODE_LINK) links++;
    else if (tag === NODE_DATA) checkUnixfs(node.subarray(start, at));
    else throw new Unverifiable(`a node's field ${tag}`);
    if (links > LINKS_MAX) throw new TooManyBlocks();
  }
  return links;
}

/** Encoders write fields in the order of their numbers, so only the type comes before the file's bytes. */
function checkUnixfs(message: Uint8Array): void {
  let at = message[0] === UNIXFS_TYPE ? 1 + varint.decode(message, 1)[1] : 0;
  if (message[at] === UNIXFS_DATA) {
    const [length, lengthBytes] = varint.decode(message, at + 1);
    at += 1 + lengthBytes + length;
  }
  if (at > message.length) throw new Unverifiable("bytes beyond their message");
  if (message.length - at > UNIXFS_BYTES_MAX) throw new TooManyBlocks();
}
