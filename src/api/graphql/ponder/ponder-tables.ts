/** Ponder's tables: which fields of its schema return their rows, and where an operation selects them. */

import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import { fragmentsOf } from "../gateway/split-operation.ts";

export interface PonderTable {
  readonly name: string;
  /** Each column's scalar or enum; undefined for an array column. */
  readonly columns: ReadonlyMap<string, string | undefined>;
  /** The columns of the primary key, which Ponder orders by last; none for a view. */
  readonly key: readonly string[];
}

/** By the name of the table's row type, and of its page type. */
export type PonderTables = ReadonlyMap<string, PonderTable>;

/** One list or row that an operation selects. */
export interface AskedField {
  readonly table: PonderTable;
  readonly isList: boolean;
  readonly arguments: readonly ArgumentNode[];
}

/** The tables behind every page type of `ponder`. */
export function findTables(ponder: GraphQLSchema): PonderTables {
  const tables = new Map<string, PonderTable>();
  for (const page of Object.values(ponder.getTypeMap())) {
    const row = isObjectType(page) && getNamedType(page.getFields().items?.type);
    if (!row || !isObjectType(row)) continue;
    const table = readTable(row, ponder);
    tables.set(page.name, table).set(row.name, table);
  }
  return tables;
}

function readTable(row: GraphQLObjectType, ponder: GraphQLSchema): PonderTable {
  const columns = Object.values(row.getFields()).flatMap(({ name, type }) => {
    const one = getNullableType(type);
    // A field of an object type is a relation.
    if (!isLeafType(getNamedType(type))) return [];
    return [[name, isListType(one) ? undefined : getNamedType(one).name] as const];
  });
  // A single row is selected by its primary key.
  const single = Object.values(ponder.getQueryType()?.getFields() ?? {}).find(
    ({ type, args }) => getNullableType(type) === row && args.length > 0 && args.every(isRequiredArgument),
  );
  return {
    name: row.name,
    columns: new Map(columns),
    key: single?.args.map(({ name }) => name) ?? [],
  };
}

/** Every field of Ponder's with arguments that an operation can reach. The document need not be valid. */
export function findAsked(
  { ponder, tables }: { readonly ponder: GraphQLSchema; readonly tables: PonderTables },
  document: DocumentNode,
  operation: OperationDefinitionNode,
): AskedField[] {
  const found: AskedField[] = [];
  const fragments = fragmentsOf(document);
  const visited = new Set<string>();

  const visit = (set: SelectionSetNode | undefined, type: Maybe<GraphQLNamedType>): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) visitField(selection, type);
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const { selectionSet, typeCondition } = selection;
        visit(selectionSet, typeCondition ? ponder.getType(typeCondition.name.value) : type);
      } else visitFragment(selection.name.value);
    }
  };
  const visitField = (
    { name, arguments: given, selectionSet }: FieldNode,
    parent: Maybe<GraphQLNamedType>,
  ) => {
    // A field that Ponder's type lacks is ours.
    const field = isObjectType(parent) ? parent.getFields()[name.value] : undefined;
    if (!field) return;
    const type = getNamedType(field.type);
    const table = tables.get(type.name);
    if (table && given && given.length > 0)
      found.push({ table, isList: type.name !== table.name, arguments: given });
    visit(selectionSet, type);
  };
  const visitFragment = (name: string): void => {
    const fragment = fragments.get(name);
    if (!fragment || visited.has(name)) return;
    visited.add(name);
    visit(fragment.selectionSet, ponder.getType(fragment.typeCondition.name.value));
  };

  visit(operation.selectionSet, ponder.getQueryType());
  return found;
}

type Maybe<Value> = Value | null | undefined;
