/** What a permission request is about: for people, and in forms. */

import { collectionKey } from "../../domain/token-ref.ts";
import { parseDisplayTypeSubject, parseHostSubject } from "../access/module.ts";
import { storable } from "../text/storable.ts";
import { words } from "../ui/visitor.ts";
import type { Site } from "./env.ts";

/** Whether a collection is served here, by its key. */
export const isServed = ({ collections }: Pick<Site, "collections">, key: string): boolean =>
  collections.all.some((each) => collectionKey(each) === key);

/** The name that the operator has given a collection, by its key. */
export const titleOf = ({ collections }: Pick<Site, "collections">, key: string): string | undefined =>
  collections.all.find((each) => collectionKey(each) === key)?.name;

export function subjectText({ kind, subject }: { readonly kind: string; readonly subject: string }): string {
  const { hostFor, typeFor } = words().operator.requests;
  if (kind === "host") {
    const { pattern, collection } = parseHostSubject(subject);
    return hostFor(pattern, collection);
  }
  if (kind === "display_type") {
    const { collection, traitType, displayType } = parseDisplayTypeSubject(subject);
    return typeFor(traitType, displayType, collection);
  }
  return subject;
}

// Browsers send each line break of a form as CR LF, whatever it is. So names with one are sent as JSON, which escapes it.
const AS_JSON = "trait_type_json";

/** The hidden field of a form that names a trait type; `traitTypeIn` reads it. */
export const traitTypeField = (traitType: string): { readonly name: string; readonly value: string } =>
  /[\r\n]/.test(traitType)
    ? { name: AS_JSON, value: JSON.stringify(traitType) }
    : { name: "trait_type", value: traitType };

/** The trait type that a form names; empty if it names none. */
export function traitTypeIn(form: Readonly<Record<string, string>>): string {
  const json = form[AS_JSON];
  if (json === undefined) return form.trait_type ?? "";
  try {
    const read: unknown = JSON.parse(json);
    return typeof read === "string" ? storable(read) : "";
  } catch {
    return "";
  }
}
