/** The cost of an operation: how many objects it asks for, and what must be read for them. */

import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  type SelectionSetNode,
  valueFromASTUntyped,
} from "graphql";
import { ARGUMENT_VALUES_MAX } from "../ponder/ponder-arguments.ts";
import { introspectionCost, isIntrospectionField } from "./introspection.ts";
import type { PreparedOperation } from "./prepared-document.ts";
import { fragmentsOf } from "./split-operation.ts";

// Fourteen full pages in the SDK's largest document, or ten of Ponder's lists with 1,000 rows.
const COST_MAX = 20_000;
// The largest lists of ours and of Ponder's. Their own checks refuse anything larger.
const OWN_SIZE_MAX = 100;
const PONDER_SIZE_MAX = 1_000;
// Ponder's default for a list without a limit.
const PONDER_LIMIT = 50;

// The reads that an object takes, whichever of its fields are selected; others cost 1. A token needs several reads; a
// distribution lists up to 1,000 values of each trait type.
export const weights: Readonly<Record<string, number>> = {
  Token: 20,
  Erc721: 20,
  Erc1155: 20,
  OwnedToken: 20,
  TokenPage: 50,
  Erc721Tokens: 50,
  Erc1155Tokens: 50,
  OwnedTokens: 50,
  TraitDistribution: 1_000,
  TraitValues: 100,
  SearchResults: 500,
  TokenMetadata: 1_000,
  TokenReport: 50,
  // With tokenIds, per token.
  TokenBatch: 20,
  WalletTokenPage: 50,
  ActivityPage: 50,
  // At a block, all transfers up to it are read; of ERC-1155, all balances.
  OwnerPage: 2_000,
  TransferHistory: 10,
  MetadataRefresh: 100,
};

// Plain fields that read rows of their own, of each token.
export const leafWeights: Readonly<Record<string, number>> = {
  "Erc1155.totalOwners": 10,
  "Erc1155.balance": 5,
};

// What a root field reads of each collection that is served. One such field is within the limit, however many there are.
const OF_ALL_COLLECTIONS_MAX = COST_MAX / 2;
const ofEachCollection: Readonly<Record<string, number>> = {
  searchAll: 5,
  // Searches each one of which the wallet has tokens, one after the other; others may send it some of every collection.
  tokens: 5,
  collections: 1,
  erc721List: 1,
  erc1155List: 1,
};

// The search for matches: our search index scans once per condition. For Ponder's lists PostgreSQL scans, possibly
// without a database index, and counts scan the whole table.
export const CONDITION_WEIGHT = 100;
const PONDER_CONDITION_WEIGHT = 500;
const PONDER_COUNT_WEIGHT = 1_000;
// PostgreSQL reads what an offset skips.
const SKIPPED_PER_COST = 100;
// Each of their entries is read as the field itself is.
const lists = ["tokenIds", "tokenAddresses"];
export const conditions: ReadonlySet<string> = new Set([
  "criteria",
  "rangeCriteria",
  "text",
  "name",
  "owners",
  "prefix",
]);
const ponderConditions = new Set(["where", "orderBy"]);
// So many values of a field's arguments are free. A variable may be used by many fields, and many times in a condition.
const VALUES_FREE = 100;
// Long texts are searched for, and repeated in errors and statements.
const VALUE_CHARACTERS = 100;
/** A mutation of ours that returns no object refreshes one token. */
const MUTATION_WEIGHT = 100;

/**
 * What an operation costs where so many collections are served; if more than it may, at least so much. `variables` are
 * coerced, including defaults.
 */
export function operationCost(
  schema: GraphQLSchema,
  { document, definition }: Pick<PreparedOperation, "document" | "definition">,
  variables: Readonly<Record<string, unknown>>,
  collectionCount = 1,
): number {
  const root = schema.getRootType(definition.operation);
  const measure = createMeasure(schema, fragmentsOf(document), variables, collectionCount);
  return root ? measure(definition.selectionSet, root) : 0;
}

/** The error of an operation that costs too much, if it does. */
export function costError(
  cost: number,
  { definition }: Pick<PreparedOperation, "definition">,
): GraphQLError | undefined {
  if (cost <= COST_MAX) return undefined;
  const message = `the cost is ${cost}; it must be at most ${COST_MAX}: ask for fewer or smaller lists at once`;
  return new GraphQLError(message, { nodes: definition });
}

/** The error of operations in one request that cost too much together, if they do. */
export function batchCostError(costs: readonly number[]): GraphQLError | undefined {
  const cost = costs.reduce((sum, each) => sum + each, 0);
  if (cost <= COST_MAX) return undefined;
  return new GraphQLError(
    `the cost of the ${costs.length} operations is ${cost}; together it must be at most ${COST_MAX}: send them separately`,
  );
}

function createMeasure(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  variables: Readonly<Record<string, unknown>>,
  collectionCount: number,
) {
  const valuesOf = createValueCount(variables);
  // Each fragment is measured once, so that spreads can't make this slow.
  const ofFragments = new Map<string, number>();
  const countsOfFragments = new Map<string, boolean>();

  const ofFragment = (name: string): number => {
    const known = ofFragments.get(name);
    if (known !== undefined) return known;
    // Ponder may not have validated the document yet: a fragment inside itself counts as nothing.
    ofFragments.set(name, 0);
    const fragment = fragments.get(name);
    const type = fragment && schema.getType(fragment.typeCondition.name.value);
    const cost = fragment && type ? ofSet(fragment.selectionSet, type) : 0;
    ofFragments.set(name, cost);
    return cost;
  };

  // Counted once per list, however many rows it may return.
  const asksForCount = (set: SelectionSetNode): boolean =>
    set.selections.some((selection) => {
      if (selection.kind === "Field") return selection.name.value === "totalCount";
      if (selection.kind === "InlineFragment") return asksForCount(selection.selectionSet);
      const { value: name } = selection.name;
      const known = countsOfFragments.get(name);
      if (known !== undefined) return known;
      countsOfFragments.set(name, false);
      const fragment = fragments.get(name);
      const asks = fragment !== undefined && asksForCount(fragment.selectionSet);
      countsOfFragments.set(name, asks);
      return asks;
    });

  const ofField = (node: FieldNode, parent: GraphQLNamedType): number => {
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
    if (!field) {
      if (!isIntrospectionField(node.name.value)) return 0;
      return introspectionCost(schema)(node, fragments, variables, COST_MAX);
    }
    const type = getNamedType(field.type);
    const values = Math.max(0, valuesOf(node) - VALUES_FREE);
    const isOfAll = parent === schema.getQueryType() && !namesCollections(node, variables);
    const perCollection = isOfAll ? (ofEachCollection[node.name.value] ?? 0) : 0;
    if (isLeafType(type) || !node.selectionSet) {
      const leaf = leafWeights[`${parent.name}.${node.name.value}`] ?? 0;
      return values + (parent === schema.getMutationType() ? MUTATION_WEIGHT : leaf);
    }
    const weight = weights[type.name];
    const sizeMax = weight === undefined ? PONDER_SIZE_MAX : OWN_SIZE_MAX;
    const size = Math.min(sizeOf(node, field, variables), sizeMax);
    const things = lists.map((name) => countOf(node, name, variables));
    const ofAll = Math.min(perCollection * collectionCount, OF_ALL_COLLECTIONS_MAX);
    let made = values + ofAll + (weight ?? 1) * Math.max(...things);
    if (weight === undefined) {
      if (asksForCount(node.selectionSet)) made += PONDER_COUNT_WEIGHT;
      const offset = argumentOf(node, "offset", variables);
      if (typeof offset === "number") made += Math.floor(Math.max(offset, 0) / SKIPPED_PER_COST);
    }
    return made + conditionsOf(node, weight !== undefined, variables) + size * ofSet(node.selectionSet, type);
  };

  const ofSet = (set: SelectionSetNode, type: GraphQLNamedType): number => {
    let cost = 0;
    for (const selection of set.selections) {
      if (selection.kind === "Field") cost += ofField(selection, type);
      else if (selection.kind === "FragmentSpread") cost += ofFragment(selection.name.value);
      else {
        const condition = selection.typeCondition?.name.value;
        cost += ofSet(selection.selectionSet, (condition && schema.getType(condition)) || type);
      }
    }
    return cost;
  };

  return ofSet;
}

/** How many entries a field may return: its `size` or `limit`, or 1 without either. */
function sizeOf(
  { arguments: given = [] }: FieldNode,
  { args: declared }: GraphQLField<unknown, unknown>,
  variables: Readonly<Record<string, unknown>>,
): number {
  const declaration = declared.find(({ name }) => name === "size" || name === "limit");
  if (!declaration) return 1;
  const argument = given.find(({ name }) => name.value === declaration.name);
  const size = argument && valueFromASTUntyped(argument.value, variables);
  const usual = typeof declaration.defaultValue === "number" ? declaration.defaultValue : PONDER_LIMIT;
  return Math.max(typeof size === "number" ? size : usual, 0);
}

function argumentOf(
  { arguments: given = [] }: FieldNode,
  name: string,
  variables: Readonly<Record<string, unknown>>,
): unknown {
  const argument = given.find((each) => each.name.value === name);
  return argument && valueFromASTUntyped(argument.value, variables);
}

/** The number of entries in a list argument, and 1 without it. */
function countOf(node: FieldNode, name: string, variables: Readonly<Record<string, unknown>>): number {
  const list = argumentOf(node, name, variables);
  return Array.isArray(list) ? Math.max(list.length, 1) : 1;
}

/** Whether a field that may be of all collections is of some instead. */
function namesCollections(node: FieldNode, variables: Readonly<Record<string, unknown>>): boolean {
  const named = argumentOf(node, "tokenAddresses", variables) ?? [];
  return !Array.isArray(named) || named.length > 0;
}

/** How many values the arguments of each field consist of. */
function createValueCount(variables: Readonly<Record<string, unknown>>): (node: FieldNode) => number {
  let total = 0;
  return ({ arguments: given = [] }) => {
    const before = total;
    const left: unknown[] = given.map(({ value }) => valueFromASTUntyped(value, variables));
    while (left.length > 0) {
      if (total > ARGUMENT_VALUES_MAX) return ARGUMENT_VALUES_MAX;
      const value = left.pop();
      total += typeof value === "string" ? 1 + Math.floor(value.length / VALUE_CHARACTERS) : 1;
      if (typeof value === "object" && value !== null)
        for (const each of Object.values(value)) left.push(each);
    }
    return total - before;
  };
}

/** The cost of finding what a field's conditions match. */
function conditionsOf(node: FieldNode, isOwn: boolean, variables: Readonly<Record<string, unknown>>): number {
  let cost = 0;
  for (const { name } of node.arguments ?? []) {
    const isGiven = argumentOf(node, name.value, variables) != null;
    if (isOwn && conditions.has(name.value) && isGiven)
      cost += CONDITION_WEIGHT * countOf(node, name.value, variables);
    if (!isOwn && ponderConditions.has(name.value) && isGiven) cost += PONDER_CONDITION_WEIGHT;
  }
  return cost;
}
