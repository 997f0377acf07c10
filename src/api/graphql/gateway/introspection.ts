/** Introspection: what it costs, and its answers, which stay the same while the process runs. */

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isLeafType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from "graphql";
import { overLimit, type RateLimit } from "../../http/limits/rate-limit.ts";
import { createMemoryRateLimiter } from "../../http/limits/rate-limiter.ts";
import { fragmentsOf, operationsOf } from "./split-operation.ts";

/** What the standard query for the whole schema costs: half of what an operation may, however large the schema is. */
const WHOLE_SCHEMA_COST = 10_000;

/** For all callers together, per process. Cached answers don't count. */
export const newIntrospectionLimit: RateLimit = {
  name: "introspection",
  requests: 20,
  seconds: 10,
  unit: "new introspection queries",
};

const ANSWERS_MAX = 16;

export const isIntrospectionField = (name: string): boolean => name === "__schema" || name === "__type";

type Variables = Readonly<Record<string, unknown>>;
type IntrospectionCost = ReturnType<typeof createIntrospectionCost>;

const costs = new WeakMap<GraphQLSchema, IntrospectionCost>();

/** The cost of a `__schema` or `__type` field: the size of its answer, compared with the standard query's. */
export function introspectionCost(schema: GraphQLSchema): IntrospectionCost {
  const known = costs.get(schema) ?? createIntrospectionCost(schema);
  costs.set(schema, known);
  return known;
}

function createIntrospectionCost(schema: GraphQLSchema) {
  const whole = parse(getIntrospectionQuery());
  const [query] = operationsOf(whole);
  let characters = 0;
  for (const field of query?.selectionSet.selections ?? []) {
    if (field.kind === "Field")
      characters += measure(schema, field, fragmentsOf(whole), {}, Number.POSITIVE_INFINITY);
  }
  /** At most `most + 1`: the schema itself is gone through for it. */
  return (
    field: FieldNode,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    variables: Variables,
    most: number,
  ): number => {
    const perCost = characters / WHOLE_SCHEMA_COST;
    const cost = Math.ceil(measure(schema, field, fragments, variables, (most + 1) * perCost) / perCost);
    return Math.min(cost, most + 1);
  };
}

/** How many characters answer a field, about; no more than `most` are counted. */
function measure(
  schema: GraphQLSchema,
  root: FieldNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  variables: Variables,
  most: number,
): number {
  let characters = 0;
  const open = new Set<string>();

  const ofField = (node: FieldNode, field: GraphQLField<unknown, unknown>, source: unknown): void => {
    characters += (node.alias ?? node.name).value.length + 4;
    const args: Record<string, unknown> = { includeDeprecated: true };
    for (const { name, value } of node.arguments ?? []) {
      if (name.value === "name") args.name = valueFromASTUntyped(value, variables);
    }
    const value: unknown = field.resolve?.(source, args, undefined, { schema } as never);
    const type = getNamedType(field.type);
    for (const each of Array.isArray(value) ? value : [value]) {
      if (characters > most) return;
      if (each === null || each === undefined || isLeafType(type)) characters += lengthOf(each);
      else if (node.selectionSet) ofSet(node.selectionSet, type, each);
    }
  };

  const ofSet = (set: SelectionSetNode, type: GraphQLNamedType, source: unknown): void => {
    characters += 3;
    for (const selection of set.selections) {
      if (characters > most) return;
      if (selection.kind === "Field") {
        const field = isObjectType(type) ? type.getFields()[selection.name.value] : undefined;
        if (field) ofField(selection, field, source);
      } else if (selection.kind === "InlineFragment") {
        ofSet(selection.selectionSet, type, source);
      } else ofFragment(selection.name.value, type, source);
    }
  };

  const ofFragment = (name: string, type: GraphQLNamedType, source: unknown): void => {
    const fragment = fragments.get(name);
    // Another rule refuses a fragment inside itself.
    if (!fragment || open.has(name)) return;
    open.add(name);
    ofSet(fragment.selectionSet, type, source);
    open.delete(name);
  };

  const field = root.name.value === "__schema" ? SchemaMetaFieldDef : TypeMetaFieldDef;
  ofField(root, field, undefined);
  return characters;
}

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length + 2 : 5);

/** Whether an operation asks for nothing but introspection, and its answer depends on nothing but its text. */
export function isOnlyIntrospection(document: DocumentNode, definition: OperationDefinitionNode): boolean {
  const names = rootNames(document, definition);
  return (
    names.some(isIntrospectionField) &&
    names.every((name) => name.startsWith("__")) &&
    !definition.variableDefinitions?.length
  );
}

export const introspects = (document: DocumentNode, definition: OperationDefinitionNode): boolean =>
  rootNames(document, definition).some(isIntrospectionField);

function rootNames(document: DocumentNode, definition: OperationDefinitionNode): string[] {
  const fragments = fragmentsOf(document);
  const visited = new Set<string>();
  const namesOf = ({ selections }: SelectionSetNode): string[] =>
    selections.flatMap((selection) => {
      if (selection.kind === "Field") return [selection.name.value];
      if (selection.kind === "InlineFragment") return namesOf(selection.selectionSet);
      const { value: name } = selection.name;
      const fragment = fragments.get(name);
      if (!fragment || visited.has(name)) return [];
      visited.add(name);
      return namesOf(fragment.selectionSet);
    });
  return namesOf(definition.selectionSet);
}

export interface CachedIntrospection {
  readonly json: string;
  /** The same, for all who ask: what waits to be read of it takes its memory once. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Caches the answers of 16 documents. Of those asked for least often the newest is evicted, so a series of made-up queries
 * displaces only itself; in an lru-cache it would displace the queries in use.
 */
export function createIntrospectionCache() {
  const answers = new Map<string, CachedIntrospection & { asked: number }>();
  return {
    find(key: string): CachedIntrospection | undefined {
      const found = answers.get(key);
      if (found) found.asked++;
      return found;
    },
    keep(key: string, json: string): CachedIntrospection {
      if (answers.size >= ANSWERS_MAX) {
        const [rarest] = [...answers].reverse().sort(([, a], [, b]) => a.asked - b.asked);
        if (rarest) answers.delete(rarest[0]);
      }
      const made = { json, bytes: new TextEncoder().encode(json), asked: 1 };
      answers.set(key, made);
      return made;
    },
  };
}

/** Counts an introspection that isn't cached; answers the error of one past the limit. */
export function createIntrospectionLimit(): () => Promise<GraphQLError | undefined> {
  const { limit, take } = createMemoryRateLimiter(newIntrospectionLimit);
  return async () => {
    const { isAllowed, resetSeconds } = await take("all");
    if (isAllowed) return undefined;
    return new GraphQLError(overLimit(limit, "process", resetSeconds), {
      extensions: { code: "RATE_LIMITED", retryAfter: resetSeconds },
    });
  };
}
