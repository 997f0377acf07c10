/** Limits on the size of a document: depth, aliases, lines and nested introspection, as a validation rule. */

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationRule,
} from "graphql";
import { clip } from "../../../domain/printable.ts";
import { isIntrospectionField } from "./introspection.ts";
import { fragmentsOf, operationsOf } from "./split-operation.ts";

/** Ponder's own limit, so that whatever passes here passes there (graphql/middleware.ts, maxOperationTokens). */
export const TOKENS_MAX = 1000;

/** Also Ponder's own limit (maxOperationAliases). */
const ALIASES_MAX = 30;

// An alias stands in the answer once for each row of its list.
const ALIAS_LENGTH_MAX = 200;

// Formatted, a document of so many tokens has fewer. graphql-js looks for the line of each error from the start of the text.
const LINES_MAX = 2 * TOKENS_MAX;

// Validation compares each two fields of one name; an error names the places of all.
const EQUAL_NAMES_MAX = 50;

// Ten times the tokens: fragments may multiply what a document selects.
const SELECTED_MAX = 10 * TOKENS_MAX;

// The deepest document of the marketplace SDK has 6 levels. Ponder's relations may be circular, and its own limit of
// 100 would let them multiply.
const DEPTH_MAX = 12;

// Each of these lists multiplies the work, and introspection is exempt from the depth limit because the standard query
// nests `ofType` deeply. graphql-js has this rule from 16.9 on.
const INTROSPECTION_LISTS = new Set(["fields", "interfaces", "possibleTypes", "inputFields"]);
const INTROSPECTION_LISTS_MAX = 2;

// The whole schema, or one type of it; each further one is another answer of the same size.
const INTROSPECTIONS_MAX = 1;

interface Size {
  readonly depth: number;
  readonly aliases: number;
  /** Characters of the longest. */
  readonly aliasLength: number;
  /** The most INTROSPECTION_LISTS on one path; only relevant below `__schema` and `__type`. */
  readonly lists: number;
  /** How often `__schema` and `__type` are selected, under any alias and in any fragment. */
  readonly introspections: number;
}

const NOTHING: Size = { depth: 0, aliases: 0, aliasLength: 0, lists: 0, introspections: 0 };

/** The lines of a text, as GraphQL counts them. */
export function linesOf(text: string): number {
  let lines = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED && text.charCodeAt(at - 1) === CARRIAGE_RETURN) continue;
    if (code === LINE_FEED || code === CARRIAGE_RETURN) lines++;
  }
  return lines;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The error of a text with more lines than a document needs. */
export const linesError = (lines: number): GraphQLError | undefined =>
  lines <= LINES_MAX
    ? undefined
    : new GraphQLError(`the number of lines is ${lines}; it must be at most ${LINES_MAX}`);

/**
 * The most fields of one name that are selected in one place: by the selection sets of one object, with those that are
 * merged and with fragments. An error if they are too many, or if fragments multiply them. The document need not be valid.
 */
export function countEqualNames(document: DocumentNode): number | GraphQLError {
  const fragments = fragmentsOf(document);
  // Fragments by themselves as well: validation does not know yet which are used.
  const left = [...operationsOf(document), ...fragments.values()].map(({ selectionSet }) => [selectionSet]);
  let most = 0;
  let selected = 0;
  for (let sets = left.pop(); sets; sets = left.pop()) {
    const spread = new Set<string>();
    const named = new Map<string, FieldNode[]>();
    const selections = sets.flatMap((set) => set.selections);
    for (let selection = selections.pop(); selection; selection = selections.pop()) {
      if (++selected > SELECTED_MAX)
        return excess("the number of selections", selected, SELECTED_MAX, selection);
      if (selection.kind === "InlineFragment") selections.push(...selection.selectionSet.selections);
      if (selection.kind === "FragmentSpread" && !spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        selections.push(...(fragments.get(selection.name.value)?.selectionSet.selections ?? []));
      }
      if (selection.kind !== "Field") continue;
      const name = (selection.alias ?? selection.name).value;
      const fields = named.get(name) ?? [];
      fields.push(selection);
      named.set(name, fields);
      most = Math.max(most, fields.length);
      if (most > EQUAL_NAMES_MAX) {
        const what = `the number of fields named ${clip(name)} in one place`;
        return excess(what, most, EQUAL_NAMES_MAX, selection);
      }
    }
    for (const fields of named.values()) {
      const inner = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (inner.length > 0) left.push(inner);
    }
  }
  return most;
}

/** Whether each operation is within the limits of `sizeRule`, introspection aside. The document need not be valid. */
export function isWithinSize(document: DocumentNode): boolean {
  const fragments = fragmentsOf(document);
  const size = createMeasure((name) => fragments.get(name));
  return operationsOf(document).every(({ selectionSet }) => {
    const { depth, aliases, aliasLength } = size(selectionSet);
    return depth <= DEPTH_MAX && aliases <= ALIASES_MAX && aliasLength <= ALIAS_LENGTH_MAX;
  });
}

/** Refuses operations over a limit. Each fragment is measured once, so that spreads can't make this slow. */
export const sizeRule: ValidationRule = (context) => {
  const size = createMeasure((name) => context.getFragment(name));
  return {
    OperationDefinition(operation) {
      const { depth, aliases, aliasLength, introspections } = size(operation.selectionSet);
      if (introspections > INTROSPECTIONS_MAX) {
        const what = "the number of __schema and __type fields";
        context.reportError(excess(what, introspections, INTROSPECTIONS_MAX, operation));
      }
      if (depth > DEPTH_MAX) context.reportError(excess("depth", depth, DEPTH_MAX, operation));
      if (aliases > ALIASES_MAX)
        context.reportError(excess("the number of aliases", aliases, ALIASES_MAX, operation));
      if (aliasLength > ALIAS_LENGTH_MAX)
        context.reportError(excess("the length of an alias", aliasLength, ALIAS_LENGTH_MAX, operation));
    },
    Field(field) {
      if (!isIntrospection(field) || !field.selectionSet) return;
      const { lists } = size(field.selectionSet);
      if (lists > INTROSPECTION_LISTS_MAX) {
        context.reportError(
          excess("the nesting of introspection lists", lists, INTROSPECTION_LISTS_MAX, field),
        );
      }
    },
  };
};

function createMeasure(
  findFragment: (name: string) => FragmentDefinitionNode | null | undefined,
): (set: SelectionSetNode) => Size {
  const ofFragments = new Map<string, Size>();

  const ofSet = (set: SelectionSetNode): Size => set.selections.map(ofSelection).reduce(together, NOTHING);

  const ofSelection = (selection: SelectionNode): Size => {
    if (selection.kind === "Field") return ofField(selection);
    return selection.kind === "FragmentSpread"
      ? ofFragment(selection.name.value)
      : ofSet(selection.selectionSet);
  };

  const ofField = (field: FieldNode): Size => {
    const inner = field.selectionSet ? ofSet(field.selectionSet) : NOTHING;
    return {
      depth: 1 + (isIntrospection(field) ? 0 : inner.depth),
      aliases: inner.aliases + (field.alias ? 1 : 0),
      aliasLength: Math.max(inner.aliasLength, field.alias?.value.length ?? 0),
      lists: inner.lists + (INTROSPECTION_LISTS.has(field.name.value) ? 1 : 0),
      introspections: inner.introspections + (isIntrospection(field) ? 1 : 0),
    };
  };

  const ofFragment = (name: string): Size => {
    const known = ofFragments.get(name);
    if (known) return known;
    // Another rule refuses cycles but runs beside this one: a fragment inside itself counts as nothing.
    ofFragments.set(name, NOTHING);
    const fragment = findFragment(name);
    const size = fragment ? ofSet(fragment.selectionSet) : NOTHING;
    ofFragments.set(name, size);
    return size;
  };

  return ofSet;
}

const together = (a: Size, b: Size): Size => ({
  depth: Math.max(a.depth, b.depth),
  aliases: a.aliases + b.aliases,
  aliasLength: Math.max(a.aliasLength, b.aliasLength),
  lists: Math.max(a.lists, b.lists),
  introspections: a.introspections + b.introspections,
});

const isIntrospection = (field: FieldNode): boolean => isIntrospectionField(field.name.value);

function excess(
  what: string,
  found: number,
  max: number,
  node: ConstructorParameters<typeof GraphQLError>[1],
): GraphQLError {
  return new GraphQLError(`${what} is ${found}; it must be at most ${max}`, node);
}
