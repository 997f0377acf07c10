/**
 * The arguments of a log, whichever of them the contract indexes. An event's topic is the hash of its signature, which
 * does not tell `indexed`: the same topic comes in several layouts, and Ponder drops those that its ABI does not name.
 */

const WORD_DIGITS = 64;
const ADDRESS_LIMIT = 2n ** 160n;
// Addresses are hashes: one below this has twelve zero bytes more than its type asks for, and is likely a number.
const LIKELY_ADDRESS_MIN = 2n ** 96n;

/** The parts of a log that hold its arguments, as JSON-RPC writes them. */
export interface RawLog {
  /** The event's own topic, then one word per indexed argument; Ponder fills up with nulls what it has stored. */
  readonly topics: readonly (string | null)[];
  /** One word per argument of a static type that is not indexed. */
  readonly data: string;
}

export type StaticType = "address" | "bool" | "uint256";

/**
 * The arguments of an event whose types are all static, in the order of its signature; undefined for a log that holds
 * fewer words, that has more topics than arguments, or whose words fit no layout or several equally well. Surplus data
 * is ignored, as contracts and their readers do.
 *
 * With some arguments indexed and some not, the layout is the one in which addresses look most like addresses and
 * numbers least; between equals, the one that indexes the first arguments.
 */
export function readArguments(log: RawLog, types: readonly StaticType[]): readonly bigint[] | undefined {
  const indexed = indexedWords(log);
  if (indexed.length > types.length) return undefined;
  const inData = dataWords(log.data, types.length - indexed.length);
  if (!inData) return undefined;
  if (indexed.length === 0 || inData.length === 0) {
    const only = [...indexed, ...inData];
    return only.every((word, at) => fits(word, types[at])) ? only : undefined;
  }
  return likeliest(indexed, inData, types);
}

/** The `count` words that a log begins with, indexed ones first; undefined for a log that holds fewer. */
export function firstWords(log: RawLog, count: number): readonly bigint[] | undefined {
  const indexed = indexedWords(log).slice(0, count);
  const inData = dataWords(log.data, count - indexed.length);
  return inData && [...indexed, ...inData];
}

/** As Ponder writes addresses: in lower case. The word must be one. */
export const asAddress = (word: bigint): `0x${string}` => `0x${word.toString(16).padStart(40, "0")}`;

function indexedWords({ topics }: RawLog): bigint[] {
  const words: bigint[] = [];
  for (let at = 1; at < topics.length; at++) {
    const topic = topics[at];
    if (topic !== null && topic !== undefined) words.push(BigInt(topic));
  }
  return words;
}

function dataWords(data: string, count: number): bigint[] | undefined {
  if (data.length < 2 + count * WORD_DIGITS) return undefined;
  const words: bigint[] = [];
  for (let at = 0; at < count; at++) {
    const start = 2 + at * WORD_DIGITS;
    words.push(BigInt(`0x${data.slice(start, start + WORD_DIGITS)}`));
  }
  return words;
}

function fits(word: bigint, type: StaticType | undefined): boolean {
  if (type === "address") return word < ADDRESS_LIMIT;
  return type === "bool" ? word <= 1n : true;
}

const looksLikeAddress = (word: bigint): boolean => word >= LIKELY_ADDRESS_MIN && word < ADDRESS_LIMIT;

/** How many words look as their types let expect. Zero is a usual value of each type. */
function likeness(words: readonly bigint[], types: readonly StaticType[]): number {
  return words.filter((word, at) => word === 0n || looksLikeAddress(word) === (types[at] === "address"))
    .length;
}

function likeliest(
  indexed: readonly bigint[],
  inData: readonly bigint[],
  types: readonly StaticType[],
): readonly bigint[] | undefined {
  const [usual, ...others] = choices(types.length, indexed.length).map((positions) =>
    arrange(indexed, inData, positions, types.length),
  );
  const fitting = [usual, ...others].filter((words) => words?.every((word, at) => fits(word, types[at])));
  const most = Math.max(...fitting.map((words) => likeness(words ?? [], types)));
  const [best, ...rivals] = fitting.filter((words) => likeness(words ?? [], types) === most);
  return rivals.length === 0 || best === usual ? best : undefined;
}

/** The ways to choose `count` positions of the first `of`, in lexicographic order. */
function choices(of: number, count: number, from = 0): number[][] {
  if (count === 0) return [[]];
  const found: number[][] = [];
  for (let first = from; first <= of - count; first++) {
    for (const rest of choices(of, count - 1, first + 1)) found.push([first, ...rest]);
  }
  return found;
}

function arrange(
  indexed: readonly bigint[],
  inData: readonly bigint[],
  positions: readonly number[],
  count: number,
): readonly bigint[] {
  const words: bigint[] = [];
  let [fromTopics, fromData] = [0, 0];
  for (let at = 0; at < count; at++) {
    const word = positions.includes(at) ? indexed[fromTopics++] : inData[fromData++];
    words.push(word ?? 0n);
  }
  return words;
}
