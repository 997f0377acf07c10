/** A collection's trait types and values, numbered from zero in order of arrival. */

import type { DisplayType } from "../../metadata/document/traits.ts";
import { displayTypes, textKey } from "../../metadata/rules.ts";
import { grown } from "./ensure-capacity.ts";
import { type GivenIds, givenAgain } from "./given-ids.ts";
import { createTextColumn, type TextColumn } from "./text-column.ts";
import { createValueOrders, type ValueOrders } from "./value-orders.ts";

export interface TypeRow {
  readonly id: number;
  readonly key: string;
  /** Null if it is too long to list. */
  readonly name: string | null;
  readonly displayType: DisplayType;
  readonly highest: number | null;
}

export interface ValueRow {
  readonly id: number;
  readonly typeId: number;
  readonly displayType: DisplayType;
  /** The start of the text; all of it unless there is a `longKey`. */
  readonly text: string;
  readonly longKey: string | null;
  readonly number: number | null;
}

export interface TraitType {
  /** Its index among the types. */
  readonly at: number;
  readonly id: number;
  readonly key: string;
  readonly name: string | null;
  displayType: DisplayType;
  highest: number | null;
  /** Values of every display type. */
  readonly values: number[];
  /** The latest value of each text, or of each long text's key. */
  readonly byText: Map<string, number>;
  readonly byLongKey: Map<string, number>;
}

// A value's short text, its places in two maps and in the columns, and in its type's order.
const VALUE_BYTES = 200;
const SHORT_TEXT = 16;
// A character past that; one byte where all of a text's characters are Latin-1.
const CHARACTER_BYTES = 2;
const TYPE_BYTES = 1_000;

export const UNKNOWN_VALUE = 0xffff_ffff;

export interface TraitTable {
  readonly types: readonly TraitType[];
  readonly size: number;
  /** What has an id that may have been given again since the last call counts as unknown until its row is added again. */
  noteGiven(now: GivenIds): void;
  hasType(id: number): boolean;
  hasValue(id: number): boolean;
  find(name: string): TraitType | undefined;
  /** Adds nothing if it is known, and only its id had become uncertain. */
  addType(row: TypeRow): void;
  /** Returns whether anything changed. Ignores an unknown type. */
  changeType(id: number, displayType: DisplayType, highest: number | null): boolean;
  /** The same for a value, whose type must be known. */
  addValue(row: ValueRow): void;
  /** The number of a value, by its row's id; undefined if unknown. */
  valueOf(id: number): number | undefined;
  /** The same for many; `UNKNOWN_VALUE` for those that are unknown. */
  valuesOf(ids: Uint32Array): Uint32Array<ArrayBuffer>;
  typeOf(value: number): number;
  isShown(value: number): boolean;
  displayTypeOf(value: number): DisplayType;
  numberOf(value: number): number;
  /** Undefined if the value is too long to list. */
  textOf(value: number): string | undefined;
  /** The type's shown values with this text. Several if one was deleted and recreated. */
  equalTo(type: TraitType, text: string): number[];
  readonly folded: TextColumn;
  /** Ascending by value: numbers, false before true, or texts. Equal values compare as 0. */
  compareWithin(type: TraitType): (a: number, b: number) => number;
  readonly orders: Pick<ValueOrders, "has" | "of" | "isPrepared" | "prepare">;
  /** The number of tokens with each value, shown or not. */
  readonly counts: Uint32Array<ArrayBuffer>;
  addUses(value: number, more: number): void;
  /** The memory it takes, roughly. */
  readonly memory: number;
  /** The number of values without a token. */
  readonly unused: number;
  /** Sums the given counts per type, over shown values only. */
  sumByType(byValue: Uint32Array): Uint32Array<ArrayBuffer>;
}

export function createTraitTable(): TraitTable {
  const types: TraitType[] = [];
  const typeById = new Map<number, number>();
  const typeByKey = new Map<string, number>();
  const valueById = new Map<number, number>();
  let given: GivenIds | undefined;
  /** By ids that may be another's by now. */
  const uncertainTypes = new Map<number, number>();
  const uncertainValues = new Map<number, number>();
  const longOnes = new Set<number>();
  /** The previous value with the same text and type: with another display type, or deleted in between. */
  const sameBefore = new Map<number, number>();
  const texts: string[] = [];
  const folded = createTextColumn();
  let typeOf = new Uint32Array(0);
  let displayOf = new Uint8Array(0);
  /** By type. */
  let displayShown = new Uint8Array(0);
  let numbers = new Float64Array(0);
  let counts = new Uint32Array(0);
  let unused = 0;
  let longCharacters = 0;

  const displayTypeOf = (value: number): DisplayType =>
    displayTypes[displayOf[value] as number] as DisplayType;
  const isShown = (value: number): boolean => displayShown[typeOf[value] as number] === displayOf[value];

  const compareWithin = ({ displayType }: TraitType): ((a: number, b: number) => number) =>
    displayType === "number" || displayType === "date"
      ? (a, b) => (numbers[a] as number) - (numbers[b] as number)
      : // "false" sorts before "true".
        (a, b) => folded.compare(a, b);

  function comparing(type: TraitType): (a: number, b: number) => number {
    const within = compareWithin(type);
    return (a, b) => within(a, b) || compareTexts(texts[a] as string, texts[b] as string) || a - b;
  }
  const orders = createValueOrders({ isShown, comparing });

  /** The value with this id until that became uncertain, if the row is still its own. */
  function sameAsBefore({ id, displayType, text, longKey }: ValueRow, { at, byText, byLongKey }: TraitType) {
    const before = uncertainValues.get(id);
    if (before === undefined || typeOf[before] !== at || displayTypeOf(before) !== displayType)
      return undefined;
    let value = longKey === null ? byText.get(text) : byLongKey.get(longKey);
    while (value !== undefined && value !== before) value = sameBefore.get(value);
    return value;
  }

  return {
    types,
    folded,
    orders,
    get size() {
      return texts.length;
    },
    noteGiven(now) {
      if (given) {
        setAside(typeById, uncertainTypes, givenAgain(typeById, given.types, now.types));
        setAside(valueById, uncertainValues, givenAgain(valueById, given.values, now.values));
      }
      given = now;
    },
    hasType: (id) => typeById.has(id),
    hasValue: (id) => valueById.has(id),
    find: (name) => types[typeByKey.get(textKey(name)) ?? -1],
    addType({ id, key, name, displayType, highest }) {
      const before = types[uncertainTypes.get(id) ?? -1];
      uncertainTypes.delete(id);
      if (before?.key === key) {
        typeById.set(id, before.at);
        typeByKey.set(key, before.at);
        return;
      }
      typeById.set(id, types.length);
      typeByKey.set(key, types.length);
      const at = types.length;
      displayShown = grown(displayShown, at + 1);
      displayShown[at] = displayTypes.indexOf(displayType);
      const values = { values: [], byText: new Map(), byLongKey: new Map() };
      const type = { at, id, key, name, displayType, highest, ...values };
      types.push(type);
      // It may never get a value: no token need have the type any more.
      orders.toPrepare(type);
    },
    changeType(id, displayType, highest) {
      const type = types[typeById.get(id) ?? -1];
      if (!type || (type.displayType === displayType && type.highest === highest)) return false;
      type.highest = highest;
      if (type.displayType !== displayType) {
        type.displayType = displayType;
        displayShown[type.at] = displayTypes.indexOf(displayType);
        orders.toPrepare(type);
      }
      return true;
    },
    addValue(row) {
      const { id, typeId, displayType, text, longKey, number } = row;
      const value = texts.length;
      const typeAt = typeById.get(typeId);
      const type = types[typeAt ?? -1];
      if (typeAt === undefined || !type) throw new Error(`trait type ${typeId} is unknown`);
      const same = sameAsBefore(row, type);
      uncertainValues.delete(id);
      valueById.set(id, same ?? value);
      if (same !== undefined) return;
      texts.push(text);
      longCharacters += Math.max(0, text.length - SHORT_TEXT);
      if (longKey !== null) longOnes.add(value);
      const values = longKey === null ? type.byText : type.byLongKey;
      const before = values.get(longKey ?? text);
      if (before !== undefined) sameBefore.set(value, before);
      values.set(longKey ?? text, value);
      folded.set(value, text);
      typeOf = grown(typeOf, value + 1);
      displayOf = grown(displayOf, value + 1);
      numbers = grown(numbers, value + 1);
      counts = grown(counts, value + 1);
      typeOf[value] = typeAt;
      displayOf[value] = displayTypes.indexOf(displayType);
      numbers[value] = number ?? Number.NaN;
      unused++;
      type.values.push(value);
      orders.added(type, value);
    },
    valueOf: (id) => valueById.get(id),
    valuesOf(ids) {
      const values = new Uint32Array(ids.length);
      for (let at = 0; at < ids.length; at++) values[at] = valueById.get(ids[at] as number) ?? UNKNOWN_VALUE;
      return values;
    },
    typeOf: (value) => typeOf[value] as number,
    isShown,
    displayTypeOf,
    numberOf: (value) => numbers[value] as number,
    textOf: (value) => (longOnes.has(value) ? undefined : texts[value]),
    equalTo(type, text) {
      const found: number[] = [];
      let value =
        type.byText.get(text) ?? (type.byLongKey.size > 0 ? type.byLongKey.get(textKey(text)) : undefined);
      for (; value !== undefined; value = sameBefore.get(value)) if (isShown(value)) found.push(value);
      return found;
    },
    compareWithin,
    get counts() {
      return counts;
    },
    addUses(value, more) {
      const before = counts[value] as number;
      counts[value] = before + more;
      if (before === 0) unused--;
      if (counts[value] === 0) unused++;
    },
    get unused() {
      return unused;
    },
    get memory() {
      const ofTexts = texts.length * VALUE_BYTES + longCharacters * CHARACTER_BYTES;
      return folded.memory + ofTexts + types.length * TYPE_BYTES;
    },
    sumByType(byValue) {
      const sums = new Uint32Array(types.length);
      for (let value = 0; value < byValue.length; value++) {
        const sum = byValue[value] as number;
        if (sum === 0) continue;
        const type = typeOf[value] as number;
        if (displayShown[type] === displayOf[value]) sums[type] = (sums[type] as number) + sum;
      }
      return sums;
    },
  };
}

/** Moves these ids from one map to another. */
function setAside(from: Map<number, number>, to: Map<number, number>, ids: readonly number[]): void {
  for (const id of ids) {
    to.set(id, from.get(id) as number);
    from.delete(id);
  }
}

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
