/** What can be worked out from a query's text alone, and kept for the next request with the same text. */

import {
  type ArgumentNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  specifiedRules,
  validate,
} from "graphql";
import { sizeRule, TOKENS_MAX } from "./limits.ts";
import { findPagingArguments } from "./list-bounds.ts";
import { splitOperation } from "./split-operation.ts";

export interface PonderPart {
  /** Null when the whole query may go to Ponder as it arrived. */
  readonly query: string | null;
  readonly variables: readonly string[];
}

export interface PreparedOperation {
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  readonly pagingArguments: readonly ArgumentNode[];
  readonly ponder: PonderPart | null;
  readonly own: DocumentNode | null;
}

export interface PreparedDocument {
  /** The operation to run, or the reason why none can be chosen. */
  select(operationName: string | undefined): PreparedOperation | GraphQLError;
}

export interface Schemas {
  readonly merged: GraphQLSchema;
  readonly ponder: GraphQLSchema;
  /** The names of Ponder's root fields. */
  readonly ponderFields: ReadonlySet<string>;
}

/** Parses and validates. Returns the caller's errors when the text is no valid query within the limits. */
export function prepareDocument(text: string, schemas: Schemas): PreparedDocument | readonly GraphQLError[] {
  const document = parseWithin(text);
  if (document instanceof GraphQLError) return [document];
  const errors = validate(schemas.merged, document, [...specifiedRules, sizeRule]);
  return errors.length > 0 ? errors : createPreparedDocument(document, schemas);
}

function parseWithin(text: string): DocumentNode | GraphQLError {
  try {
    return parse(text, { maxTokens: TOKENS_MAX });
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

function createPreparedDocument(document: DocumentNode, schemas: Schemas): PreparedDocument {
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const splits = operations.map((operation) => splitOperation(document, operation, schemas.ponderFields));
  // Ponder validates every operation of a document, so one of ours keeps the others from going as they are.
  const isAllPonders = splits.every((split) => split.own === null);
  const prepared = new Map(
    operations.map((definition, position) => {
      const { ponder = null, own = null } = splits[position] ?? {};
      const pagingArguments = findPagingArguments(schemas.merged, schemas.ponder, document, definition);
      const part = ponder && {
        query: isAllPonders ? null : print(ponder.document),
        variables: ponder.variables,
      };
      return [
        definition,
        { document, definition, pagingArguments, ponder: part, own: own?.document ?? null },
      ];
    }),
  );
  return {
    select(operationName) {
      const definition = getOperationAST(document, operationName);
      if (definition?.operation === OperationTypeNode.SUBSCRIPTION) {
        return new GraphQLError("subscriptions are not served; only queries and mutations are", {
          nodes: definition,
        });
      }
      return (definition && prepared.get(definition)) ?? unselectable(operations, operationName);
    },
  };
}

function unselectable(
  operations: readonly OperationDefinitionNode[],
  operationName: string | undefined,
): GraphQLError {
  if (operationName !== undefined)
    return new GraphQLError(`the query has no operation named "${operationName}"`);
  return new GraphQLError(
    operations.length === 0
      ? "the query holds no operation"
      : `the query holds ${operations.length} operations; operationName must name one of them`,
  );
}
