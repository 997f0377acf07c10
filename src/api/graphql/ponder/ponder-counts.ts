/** Works around counts that Ponder omits: it looks for `totalCount` beside `items`, but not in fragments. */

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  parse,
  type SelectionSetNode,
  visit,
} from "graphql";
import { fragmentsOf } from "../gateway/split-operation.ts";

const COUNT = "totalCount";

// Skipped on execution but seen by Ponder, which ignores directives.
const hint = (
  parse(`{ ${COUNT} @skip(if: true) }`, { noLocation: true }).definitions[0] as {
    selectionSet: SelectionSetNode;
  }
).selectionSet.selections[0] as FieldNode;

/** Makes Ponder compute counts that a document selects only in fragments; without such counts, the same document. */
export function withHintedCounts(document: DocumentNode): DocumentNode {
  // A name is always spelled out, and most texts don't have this one.
  if (document.loc?.source.body.includes(COUNT) === false) return document;
  const fragments = fragmentsOf(document);
  const known = new Map<string, boolean>();
  return visit(document, {
    Field(field) {
      const { selectionSet } = field;
      if (!selectionSet || isDirect(selectionSet) || !isInFragment(selectionSet, fragments, known))
        return undefined;
      return { ...field, selectionSet: { ...selectionSet, selections: [hint, ...selectionSet.selections] } };
    },
  });
}

const isDirect = ({ selections }: SelectionSetNode): boolean =>
  selections.some((selection) => selection.kind === Kind.FIELD && selection.name.value === COUNT);

function isInFragment(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  known: Map<string, boolean>,
): boolean {
  return selections.some((selection) => {
    if (selection.kind === Kind.FIELD) return false;
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const { selectionSet } = selection;
      return isDirect(selectionSet) || isInFragment(selectionSet, fragments, known);
    }
    const { value: name } = selection.name;
    const counted = known.get(name);
    if (counted !== undefined) return counted;
    // Another rule refuses a fragment inside itself.
    known.set(name, false);
    const fragment = fragments.get(name);
    const counts =
      fragment !== undefined &&
      (isDirect(fragment.selectionSet) || isInFragment(fragment.selectionSet, fragments, known));
    known.set(name, counts);
    return counts;
  });
}
