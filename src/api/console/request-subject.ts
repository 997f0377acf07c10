/** What a permission request is about, for people. */

import { parseDisplayTypeSubject, parseHostSubject } from "../access/module.ts";
import { words } from "../ui/visitor.ts";

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
