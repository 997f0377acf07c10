/** Traits from `attributes` or `properties` (spec.md "Attribute entry"): valid entries only, nothing converted. */

import { clip } from "../../../domain/printable.ts";
import { kindOf } from "../../../invalid-value.ts";
import { storable } from "../../text/storable.ts";
import type { IssueCode, IssueList } from "./issues.ts";
import { isJsonObject, type JsonObject, own } from "./json.ts";
import { isExact, sourceAt } from "./number-source.ts";

export const displayTypes = ["string", "number", "date", "bool"] as const;
export type DisplayType = (typeof displayTypes)[number];

export interface Trait {
  readonly trait_type: string;
  readonly display_type: DisplayType;
  readonly value: string | number | boolean;
  /** Number traits only: the document's maximum, if it gives a valid one. */
  readonly max_value?: number;
}

// A larger "date" is in milliseconds: 1e11 seconds is the year 5138.
const DATE_SECONDS_LIMIT = 1e11;
// Twice what the largest collections use; 2 MiB could contain 70,000, and each is stored, counted and returned.
export const TRAITS_MAX = 1_000;
// A uint256 has 78 digits.
const NUMBER_LENGTH_MAX = 100;
// Up to this magnitude, every integer is a double; beyond it, every double is an integer.
const INTEGERS_MAX = 2 ** 53;

/** `sources` are the entries with their numbers as written (`numberSources`). */
export function readAttributes(
  entries: readonly unknown[],
  issues: IssueList,
  sources: unknown = entries,
): Trait[] {
  return withinLimit(entries, "attributes", issues).flatMap((entry, index) => {
    const trait = readEntry(entry, `attributes[${index}]`, issues, (sources as readonly unknown[])[index]);
    return trait ? [trait] : [];
  });
}

function withinLimit<Entry>(entries: readonly Entry[], path: string, issues: IssueList): readonly Entry[] {
  if (entries.length <= TRAITS_MAX) return entries;
  issues.add(
    "too_many_traits",
    path,
    `${path} holds ${entries.length} entries; the first ${TRAITS_MAX} are read`,
  );
  return entries.slice(0, TRAITS_MAX);
}

function readEntry(entry: unknown, path: string, issues: IssueList, source: unknown): Trait | undefined {
  const refuse = (code: IssueCode, field: string, message: string): undefined => {
    issues.add(code, field === "" ? path : `${path}.${field}`, message);
  };
  if (!isJsonObject(entry))
    return refuse("entry_not_object", "", `an entry must be an object; it is ${kindOf(entry)}`);

  const traitType = own(entry, "trait_type");
  if (typeof traitType !== "string" || traitType.trim() === "") {
    return refuse(
      "missing_trait_type",
      "trait_type",
      `trait_type must be a string that is not blank; it is ${kindOf(traitType)}`,
    );
  }
  // Documents in the wild use null for "not given".
  const displayType = own(entry, "display_type") ?? "string";
  if (!isDisplayType(displayType)) {
    const shown = typeof displayType === "string" ? JSON.stringify(clip(displayType)) : kindOf(displayType);
    return refuse(
      "unknown_display_type",
      "display_type",
      `display_type must be one of ${displayTypes.join(", ")}; it is ${shown}`,
    );
  }
  const value = own(entry, "value");
  if (value === undefined) return refuse("missing_value", "value", "value is missing");
  if (!matches(displayType, value)) {
    return refuse(
      "value_mismatch",
      "value",
      `value must be ${expected[displayType]} for display_type ${displayType}; it is ${kindOf(value)}`,
    );
  }
  if (displayType === "date" && !isUnixSeconds(value as number)) {
    return refuse(
      "invalid_date",
      "value",
      `a date is a whole number of seconds, under ${DATE_SECONDS_LIMIT} either way; it is ${value}`,
    );
  }
  const sources = source as JsonObject;
  if (typeof value === "number") noteNumber(`${path}.value`, value, sourceAt(sources, "value"), issues);
  return {
    trait_type: storable(traitType),
    display_type: displayType,
    value: typeof value === "string" ? storable(value) : (value as number | boolean),
    ...(displayType === "number" && readCeiling(entry, value as number, path, sources, issues)),
  };
}

const expected: Record<DisplayType, string> = {
  string: "a quoted string",
  number: "a number",
  date: "a number of Unix seconds",
  bool: "true or false",
};

function isDisplayType(value: unknown): value is DisplayType {
  return (displayTypes as readonly unknown[]).includes(value);
}

function matches(displayType: DisplayType, value: unknown): boolean {
  if (displayType === "string") return typeof value === "string";
  if (displayType === "bool") return typeof value === "boolean";
  // JSON.parse gives Infinity for 1e999.
  return typeof value === "number" && Number.isFinite(value);
}

const isUnixSeconds = (value: number): boolean =>
  Number.isInteger(value) && Math.abs(value) < DATE_SECONDS_LIMIT;

function readCeiling(
  entry: Readonly<Record<string, unknown>>,
  value: number,
  path: string,
  sources: JsonObject,
  issues: IssueList,
): { max_value: number } | undefined {
  const ceiling = own(entry, "max_value") ?? undefined;
  if (ceiling === undefined) return undefined;
  if (typeof ceiling === "number" && Number.isFinite(ceiling) && ceiling >= value) {
    noteNumber(`${path}.max_value`, ceiling, sourceAt(sources, "max_value"), issues);
    return { max_value: ceiling };
  }
  const shown = typeof ceiling === "number" ? String(ceiling) : kindOf(ceiling);
  issues.add(
    "invalid_max_value",
    `${path}.max_value`,
    `max_value must be a number of at least ${value}; it is ${shown}`,
  );
  return undefined;
}

/**
 * All traits from `properties` are strings. A number is shown as written (rule 9), or as the nearest double if that
 * takes more than 100 characters. `sources` are the properties with their numbers as written (`numberSources`).
 */
export function readProperties(
  properties: JsonObject,
  issues: IssueList,
  sources: unknown = properties,
): Trait[] {
  // Not by entries: a document may hold 200,000 properties.
  return withinLimit(Object.keys(properties), "properties", issues).flatMap((name): Trait[] => {
    const value = properties[name];
    const path = `properties.${storable(clip(name))}`;
    const message =
      name.trim() === ""
        ? "a property needs a name"
        : `a property must be a string or a number; it is ${kindOf(value)}`;
    const isShown = typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
    if (name.trim() === "" || !isShown) {
      issues.add("invalid_property", path, message);
      return [];
    }
    const shown =
      typeof value === "string"
        ? value
        : showNumber(value, sourceAt(sources as JsonObject, name), path, issues);
    return [{ trait_type: storable(name), display_type: "string", value: storable(shown) }];
  });
}

function showNumber(value: number, source: string, path: string, issues: IssueList): string {
  if (source.length <= NUMBER_LENGTH_MAX) return source;
  notePrecision(path, value, source, issues);
  return String(value);
}

/** Reports a number attribute that is not stored as written, and any beyond 2^53: its neighbours are not exact. */
function noteNumber(path: string, kept: number, source: string, issues: IssueList): void {
  if (Math.abs(kept) > INTEGERS_MAX) {
    const message = `the number is written as ${clip(source)} and kept as ${kept}; an IEEE 754 double does not hold every integer beyond 2^53`;
    issues.add("number_precision", path, message);
  } else notePrecision(path, kept, source, issues);
}

/** Reports a number that is not stored as written. */
function notePrecision(path: string, kept: number, source: string, issues: IssueList): void {
  if (isExact(source, kept)) return;
  const message = `the number is written as ${clip(source)} and kept as ${kept}, the nearest IEEE 754 double`;
  issues.add("number_precision", path, message);
}

/** The text for filters and counts: the string itself, or the value's JSON text. */
export const valueText = (value: Trait["value"]): string =>
  typeof value === "string" ? value : JSON.stringify(value);
