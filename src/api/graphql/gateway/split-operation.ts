/** Splits an operation at its root fields into Ponder's part and ours, each a complete document. */

import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from "graphql";

export interface Half {
  readonly document: DocumentNode;
  /** The variables that this half uses and therefore defines. */
  readonly variables: readonly string[];
}

/** A half is null when it has no root field. */
export interface SplitOperation {
  readonly ponder: Half | null;
  readonly own: Half | null;
}

/**
 * Splits one operation of a valid document. Introspection and `__typename` are ours, since only the merged schema knows
 * them; so is every mutation. Each half keeps the order, aliases and directives of its root fields, and the fragments
 * and variable definitions it uses. `Query` may be selected at the root only.
 */
export function splitOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  ponderFields: ReadonlySet<string>,
): SplitOperation {
  const isPonders = (field: string): boolean =>
    operation.operation === OperationTypeNode.QUERY && ponderFields.has(field);
  return {
    ponder: keepRootFields(document, operation, isPonders),
    own: keepRootFields(document, operation, (field) => !isPonders(field)),
  };
}

/**
 * Whether every operation of a document selects only Ponder's fields. The document need not be valid; for an invalid
 * one, either answer is possible.
 */
export function isAllPonders(document: DocumentNode, ponderFields: ReadonlySet<string>): boolean {
  const fragments = fragmentsOf(document);
  const visited = new Set<string>();
  const isPonders = (set: SelectionSetNode): boolean => set.selections.every(isSelectionPonders);
  const isSelectionPonders = (selection: SelectionNode): boolean => {
    if (selection.kind === Kind.FIELD) return ponderFields.has(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) return isPonders(selection.selectionSet);
    const { value: name } = selection.name;
    if (visited.has(name)) return true;
    visited.add(name);
    const fragment = fragments.get(name);
    return fragment !== undefined && isPonders(fragment.selectionSet);
  };
  const operations = operationsOf(document);
  return (
    operations.length > 0 &&
    operations.every(
      ({ operation, selectionSet }) => operation === OperationTypeNode.QUERY && isPonders(selectionSet),
    )
  );
}

export const operationsOf = (document: DocumentNode): OperationDefinitionNode[] =>
  document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);

export function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

function keepRootFields(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  keep: (field: string) => boolean,
): Half | null {
  const originals = fragmentsOf(document);
  const rootFragments = new Map<string, FragmentDefinitionNode | null>();

  const keepSet = (set: SelectionSetNode): SelectionSetNode | null => {
    const selections = set.selections.flatMap((selection) => keepSelection(selection) ?? []);
    return selections.length > 0 ? { ...set, selections } : null;
  };
  const keepSelection = (selection: SelectionNode): SelectionNode | null => {
    if (selection.kind === Kind.FIELD) return keep(selection.name.value) ? selection : null;
    if (selection.kind === Kind.FRAGMENT_SPREAD) return keepFragment(selection.name.value) ? selection : null;
    const selectionSet = keepSet(selection.selectionSet);
    return selectionSet && { ...selection, selectionSet };
  };
  const keepFragment = (name: string): FragmentDefinitionNode | null => {
    const known = rootFragments.get(name);
    if (known !== undefined) return known;
    const original = originals.get(name);
    const selectionSet = original ? keepSet(original.selectionSet) : null;
    const kept = original && selectionSet ? { ...original, selectionSet } : null;
    rootFragments.set(name, kept);
    return kept;
  };

  const selectionSet = keepSet(operation.selectionSet);
  if (!selectionSet) return null;
  const half = { ...operation, selectionSet };
  const used = references(half, originals, rootFragments);
  const variableDefinitions = operation.variableDefinitions?.filter((definition) =>
    used.variables.has(definition.variable.name.value),
  );
  return {
    document: {
      kind: Kind.DOCUMENT,
      definitions: [
        { ...half, ...(variableDefinitions && { variableDefinitions }) },
        ...used.fragments.values(),
      ],
    },
    variables: [...used.variables],
  };
}

interface References {
  readonly variables: Set<string>;
  readonly fragments: Map<string, FragmentDefinitionNode>;
}

/** Follows spreads from an operation. A root fragment is read as it was cut, any other as it was written. */
function references(
  operation: OperationDefinitionNode,
  originals: ReadonlyMap<string, FragmentDefinitionNode>,
  rootFragments: ReadonlyMap<string, FragmentDefinitionNode | null> = new Map(),
): References {
  const variables = new Set<string>();
  const fragments = new Map<string, FragmentDefinitionNode>();

  const follow = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      // A definition alone is not a use; GraphQL refuses an unused variable.
      VariableDefinition: () => false,
      Variable: ({ name }) => void variables.add(name.value),
      FragmentSpread({ name }) {
        const fragment = rootFragments.get(name.value) ?? originals.get(name.value);
        if (!fragment || fragments.has(name.value)) return;
        fragments.set(name.value, fragment);
        follow(fragment);
      },
    });
  };

  follow(operation);
  return { variables, fragments };
}
