/**
 * Which parts of a long list of texts can contain a given text: a signature file, stored by bit ("bit-sliced"). Texts are
 * taken in blocks, and a block's signature has a bit for each three bytes in a row that it contains, by their hash.
 */

import { grown } from "./ensure-capacity.ts";

// Some twenty names with a hundred different trigrams, which set a fifth of the bits: a text of four bytes, which has two
// trigrams, passes one block in twelve. A quarter of the texts' memory.
const BLOCK_BYTES = 256;
const SIGNATURE_BITS = 512;
const HASH_SHIFT = 23;
const TRIGRAM = 3;
const WORD = 5;
const IN_WORD = 31;
const WORTH_SHARE = 1 / 4;
// More would hardly rule out another block.
const TRIGRAMS_MAX = 16;

/** Texts in one array of bytes. An entry ends one byte before the next one starts. */
export interface Texts {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

interface Segment {
  /** The first entry of each block, and the one after the last block. */
  readonly blocks: Uint32Array;
  /** For each bit of a signature, the set of blocks that have it. */
  readonly slices: Uint32Array;
  readonly words: number;
}

export interface TrigramSignatures {
  /** The entries before this one have signatures; those from it on must be searched. */
  readonly end: number;
  /** Adds the signatures of all entries before this one; their bytes must never change. Takes 3 ms per MB. */
  add(texts: Texts, entries: number): void;
  /**
   * The blocks that can contain the text, as pairs of their first entry and the one after their last. Undefined if the
   * signatures rule out too few to be worth it.
   */
  blocksWith(text: Uint8Array): Uint32Array | undefined;
  readonly memory: number;
}

export function createTrigramSignatures(firstEntry: number): TrigramSignatures {
  const segments: Segment[] = [];
  let end = firstEntry;

  return {
    get end() {
      return end;
    },
    add(texts, entries) {
      segments.push(segmentOf(texts, end, entries));
      end = entries;
    },
    blocksWith(text) {
      if (text.length < TRIGRAM) return undefined;
      const bits = bitsOf(text);
      const lengthMax = 2 * WORTH_SHARE * segments.reduce((sum, { blocks }) => sum + blocks.length, 0);
      let found = new Uint32Array(0);
      let length = 0;
      for (const { blocks, slices, words } of segments) {
        for (let word = 0; word < words; word++) {
          let passing = -1;
          for (const bit of bits) passing &= slices[bit * words + word] as number;
          for (; passing !== 0; passing &= passing - 1) {
            const block = (word << WORD) + (IN_WORD - Math.clz32(passing & -passing));
            found = grown(found, length + 2);
            found[length++] = blocks[block] as number;
            found[length++] = blocks[block + 1] as number;
          }
          if (length > lengthMax) return undefined;
        }
      }
      return found.subarray(0, length);
    },
    get memory() {
      return segments.reduce((sum, { blocks, slices }) => sum + blocks.byteLength + slices.byteLength, 0);
    },
  };
}

const bitOf = (trigram: number): number => Math.imul(trigram, 0x9e3779b1) >>> HASH_SHIFT;

function bitsOf(text: Uint8Array): number[] {
  const bits = new Set<number>();
  for (let at = 0; at + TRIGRAM <= text.length && bits.size < TRIGRAMS_MAX; at++) {
    const [a, b, c] = text.subarray(at, at + TRIGRAM) as unknown as [number, number, number];
    bits.add(bitOf((a << 16) | (b << 8) | c));
  }
  return [...bits];
}

function segmentOf({ bytes, starts }: Texts, from: number, to: number): Segment {
  const blocks = blocksOf(starts, from, to);
  const words = (blocks.length - 1 + IN_WORD) >>> WORD;
  const slices = new Uint32Array(SIGNATURE_BITS * words);
  for (let block = 0; block + 1 < blocks.length; block++) {
    const word = block >>> WORD;
    const mask = 1 << (block & IN_WORD);
    for (let entry = blocks[block] as number; entry < (blocks[block + 1] as number); entry++) {
      const textEnd = (starts[entry + 1] as number) - 1;
      let trigram = 0;
      for (let at = starts[entry] as number, length = 1; at < textEnd; at++, length++) {
        trigram = ((trigram << 8) | (bytes[at] as number)) & 0xffffff;
        if (length < TRIGRAM) continue;
        const place = bitOf(trigram) * words + word;
        slices[place] = (slices[place] as number) | mask;
      }
    }
  }
  return { blocks, slices, words };
}

function blocksOf(starts: Uint32Array, from: number, to: number): Uint32Array {
  const blocks = [from];
  let blockStart = starts[from] as number;
  for (let entry = from + 1; entry < to; entry++) {
    const start = starts[entry] as number;
    if (start - blockStart < BLOCK_BYTES) continue;
    blocks.push(entry);
    blockStart = start;
  }
  blocks.push(to);
  return Uint32Array.from(blocks);
}
