/** Extracts metadata from a JSON document; reports everything left out (spec.md "Token metadata document"). */

import { kindOf } from "../../../invalid-value.ts";
import { hasLoadableForm, hasLocatableForm } from "../../fetch/locate.ts";
import { storable } from "../../text/storable.ts";
import { createIssueList, type Issue, type IssueList } from "./issues.ts";
import { isJsonObject, type JsonObject, own } from "./json.ts";
import { readAttributes, readProperties, type Trait } from "./traits.ts";

/**
 * The version of the rules that read documents: this file, what it calls, and the substitution of `{id}`. Raise it with
 * every change that can change a result; documents read by older rules are then read again (renormalise.ts).
 * test/api/metadata/normaliser.test.ts fails if a result changes and this number doesn't.
 *
 * 2: numbers of properties as written, and `number_precision`.
 * 3: `number_precision` for every number attribute beyond 2^53.
 * 4: messages of issues call a text of white space blank.
 * 5: escaped names of properties are never those of another document.
 * 6: nor those of another property, whichever characters they are of.
 * 7: more spellings of IPFS URIs can be shown, such as `ipfs://ipfs://CID`.
 * 8: an image that can never be loaded is the error `unusable_image`.
 */
export const NORMALISER = 8;

/** The stored part of a document. Null means absent; 0, false and "" are values. */
export interface Metadata {
  readonly name: string | null;
  readonly description: string | null;
  readonly image: string | null;
  readonly video: string | null;
  readonly animation_url: string | null;
  readonly external_url: string | null;
  readonly traits: readonly Trait[];
}

export interface Normalised {
  readonly metadata: Metadata;
  readonly issues: readonly Issue[];
  /** True if no required field is missing or unusable. */
  readonly complete: boolean;
}

const QUOTE_LENGTH_MAX = 100;

/**
 * Never throws, whatever JSON.parse returned. `source` has the document's numbers as written (`numberSources`).
 * Undefined for a document that is not an object.
 */
export function normalise(document: unknown, source: unknown = document): Normalised | undefined {
  if (!isJsonObject(document) || !isJsonObject(source)) return undefined;
  const found = createIssueList();

  const metadata: Metadata = {
    name: requiredText(document, "name", "missing_name", found),
    description: optionalText(document, "description", found),
    image: url("image", requiredText(document, "image", "missing_image", found), found),
    video: url("video", optionalText(document, "video", found), found),
    animation_url: url("animation_url", optionalText(document, "animation_url", found), found),
    external_url: optionalText(document, "external_url", found),
    traits: readTraits(document, source, found),
  };
  const issues = found.list();
  return { metadata, issues, complete: issues.every(({ level }) => level !== "error") };
}

function requiredText(
  document: JsonObject,
  field: string,
  code: "missing_name" | "missing_image",
  issues: IssueList,
): string | null {
  const value = own(document, field);
  if (typeof value === "string" && value.trim() !== "") return storable(value);
  issues.add(code, field, `${field} is required; it is ${kindOf(value)}`);
  return null;
}

function optionalText(document: JsonObject, field: string, issues: IssueList): string | null {
  const value = own(document, field);
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string") return storable(value);
  issues.add("wrong_type", field, `${field} must be a string; it is ${kindOf(value)}`);
  return null;
}

/** Returns the text unchanged: a URL that no page can show is kept and reported as an issue. */
function url(field: string, value: string | null, issues: IssueList): string | null {
  if (value === null || hasLocatableForm(value)) return value;
  const said = value.length > QUOTE_LENGTH_MAX ? `${value.slice(0, QUOTE_LENGTH_MAX)}…` : value;
  const code = field === "image" && !hasLoadableForm(value) ? "unusable_image" : "unusable_url";
  issues.add(code, field, storable(`${field} must be an http, https or ipfs URL; it is "${said}"`));
  return value;
}

function readTraits(document: JsonObject, source: JsonObject, issues: IssueList): readonly Trait[] {
  const attributes = own(document, "attributes") ?? undefined;
  const properties = own(document, "properties") ?? undefined;
  if (attributes !== undefined && properties !== undefined) {
    issues.add(
      "attributes_and_properties",
      "properties",
      "attributes and properties are mutually exclusive; properties is ignored",
    );
  }
  if (attributes !== undefined) {
    if (Array.isArray(attributes)) return readAttributes(attributes, issues, own(source, "attributes"));
    issues.add(
      "attributes_not_array",
      "attributes",
      `attributes must be an array; it is ${kindOf(attributes)}`,
    );
    return [];
  }
  if (properties === undefined) return [];
  if (isJsonObject(properties)) return readProperties(properties, issues, own(source, "properties"));
  issues.add(
    "properties_not_object",
    "properties",
    `properties must be an object; it is ${kindOf(properties)}`,
  );
  return [];
}
