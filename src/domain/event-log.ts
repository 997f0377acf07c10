/**
 * Reads the arguments of a log, whichever of them the contract indexes. An event's topic is the hash of its signature,
 * which doesn't include `indexed`: one topic occurs in several layouts, and Ponder drops those its ABI doesn't declare.
 */

const WORD_DIGITS = 64;
/** Addresses are smaller. */
export const ADDRESS_LIMIT = 2n ** 160n;
// Addresses are hashes. A smaller value has at least eight leading zero bytes and is more likely a number.
const LIKELY_ADDRESS_MIN = 2n ** 96n;
// 0x…dEaD, to which holders send tokens that their contract can't burn.
const DEAD_ADDRESS = 0xdeadn;

/** The parts of a log that carry its arguments, as JSON-RPC encodes them. */
export interface RawLog {
  /** The event's topic, then one word per indexed argument. Ponder pads stored topics with nulls. */
  readonly topics: readonly (string | null)[];
  /** One word per non-indexed argument of a static type. */
  readonly data: string;
}

export type StaticType = "address" | "bool" | "uint256";

/**
 * The arguments of an event whose types are all static, in signature order. Undefined for a log with too few words,
 * with more topics than arguments, or whose words fit no layout or several equally well. Surplus data is ignored, as
 * contracts and their clients do.
 *
 * If only some arguments are indexed, the layout is the one in which addresses look most like addresses and numbers
 * least. On a tie, the layout that indexes the first arguments wins.
 */
export function readArguments(log: RawLog, types: readonly StaticType[]): readonly bigint[] | undefined {
  const indexed = indexedWords(log);
  if (indexed.length > types.length) return undefined;
  const inData = dataWords(log.data, types.length - indexed.length);
  if (!inData) return undefined;
  if (indexed.length === 0 || inData.length === 0) {
    const only = [...indexed, ...inData];
    return allFit(only, types) ? only : undefined;
  }
  return likeliest(indexed, inData, types);
}

export interface UsualArguments {
  /** In signature order. */
  readonly words: readonly bigint[];
  /** One is a number where an address belongs, and the words fit another layout better. */
  readonly isDoubtful: boolean;
}

/**
 * The arguments in a certain layout, usually that of the event's standard, which indexes those at the positions
 * `usual`. Undefined for a log that indexes more or fewer arguments, or whose words don't fit their types.
 */
export function readUsual(
  log: RawLog,
  types: readonly StaticType[],
  usual: readonly number[],
): UsualArguments | undefined {
  const indexed = indexedWords(log);
  const inData = dataWords(log.data, types.length - usual.length);
  if (indexed.length !== usual.length || !inData) return undefined;
  const words = arrange(indexed, inData, usual, types.length);
  if (!allFit(words, types)) return undefined;
  // A token id that looks like an address speaks against nothing: some contracts make ids of addresses.
  const hasNumber = words.some(
    (word, at) => types[at] === "address" && !isCommon(word) && !looksLikeAddress(word),
  );
  const isBetter = (other: readonly bigint[]) =>
    allFit(other, types) && likeness(other, types) > likeness(words, types);
  return { words, isDoubtful: hasNumber && layouts(indexed, inData, types).some(isBetter) };
}

/** The first `count` words of a log, indexed ones first; undefined if there are fewer. */
export function firstWords(log: RawLog, count: number): readonly bigint[] | undefined {
  const indexed = indexedWords(log).slice(0, count);
  const inData = dataWords(log.data, count - indexed.length);
  return inData && [...indexed, ...inData];
}

/** Lower case, as Ponder writes addresses. The word must be a valid address. */
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

const allFit = (words: readonly bigint[], types: readonly StaticType[]): boolean =>
  words.every((word, at) => fits(word, types[at]));

/** Zero and the dead address are common values of every type. */
const isCommon = (word: bigint): boolean => word === 0n || word === DEAD_ADDRESS;

const looksLikeAddress = (word: bigint): boolean => word >= LIKELY_ADDRESS_MIN && word < ADDRESS_LIMIT;

/** The number of words that look like their type. */
function likeness(words: readonly bigint[], types: readonly StaticType[]): number {
  return words.filter((word, at) => isCommon(word) || looksLikeAddress(word) === (types[at] === "address"))
    .length;
}

function likeliest(
  indexed: readonly bigint[],
  inData: readonly bigint[],
  types: readonly StaticType[],
): readonly bigint[] | undefined {
  const all = layouts(indexed, inData, types);
  const fitting = all.filter((words) => allFit(words, types));
  const most = Math.max(...fitting.map((words) => likeness(words, types)));
  const [best, ...rivals] = fitting.filter((words) => likeness(words, types) === most);
  return rivals.length === 0 || best === all[0] ? best : undefined;
}

/** The arguments in every layout that indexes as many; first the one that indexes the first arguments. */
const layouts = (
  indexed: readonly bigint[],
  inData: readonly bigint[],
  types: readonly StaticType[],
): (readonly bigint[])[] =>
  choices(types.length, indexed.length).map((positions) => arrange(indexed, inData, positions, types.length));

/** All ways to choose `count` of the first `of` positions, in lexicographic order. */
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
