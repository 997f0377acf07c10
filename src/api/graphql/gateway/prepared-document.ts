/** What depends on a query's text alone, and is cached for the next request with the same text. */

import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
} from "graphql";
import { mayHaveLooseNumber } from "../ponder/loose-numbers.ts";
import { withHintedCounts } from "../ponder/ponder-counts.ts";
import { type AskedField, findAsked, type PonderTables } from "../ponder/ponder-tables.ts";
import { createSentDocument, type SentDocument } from "../ponder/sent-documents.ts";
import { findMistakes as findMistakesOf, hasWrongLiteral } from "./find-mistakes.ts";
import { introspects, isOnlyIntrospection } from "./introspection.ts";
import { countEqualNames, isWithinSize, linesError, linesOf, TOKENS_MAX } from "./limits.ts";
import { isAllPonders, operationsOf, splitOperation } from "./split-operation.ts";

const USUAL_LINES_MAX = 300;
const USUAL_NAMES_MAX = 5;

export interface PonderPart {
  /** Null when the whole query may go to Ponder as it arrived. */
  readonly query: string | null;
  /** The document that Ponder takes over, where it is the whole query. Any part is its own to parse: see document-cache.ts. */
  readonly sent: SentDocument | undefined;
  readonly variables: readonly string[];
}

/** Explains, in terms of the merged schema, why Ponder refuses a document that only Ponder validates. */
interface Doubted {
  readonly findMistakes: () => readonly GraphQLError[];
}

export interface PreparedOperation extends Doubted {
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  /** The selected fields that are Ponder's. */
  readonly asked: readonly AskedField[];
  readonly ponder: PonderPart | null;
  readonly own: DocumentNode | null;
  readonly introspects: boolean;
  /** The answer is the same for every caller. */
  readonly isOnlyIntrospection: boolean;
}

export interface PreparedDocument extends Doubted {
  /** The operation to run, or the reason why none can be chosen. */
  select(operationName: string | undefined): PreparedOperation | GraphQLError;
}

export interface Schemas {
  readonly merged: GraphQLSchema;
  readonly ponder: GraphQLSchema;
  /** The names of Ponder's root fields. */
  readonly ponderFields: ReadonlySet<string>;
  readonly tables: PonderTables;
  /** The names of the arguments and input fields of Ponder's that take a BigInt. */
  readonly bigIntNames: ReadonlySet<string>;
}

/**
 * Parses the text, and validates what Ponder won't. Returns the caller's errors if the text is no query within the
 * limits, or fails the validation done here.
 */
export function prepareDocument(text: string, schemas: Schemas): PreparedDocument | readonly GraphQLError[] {
  const lines = linesOf(text);
  const document = linesError(lines) ?? parseWithin(text);
  if (document instanceof GraphQLError) return [document];
  const equalNames = countEqualNames(document);
  if (equalNames instanceof GraphQLError) return [equalNames];
  const findMistakes = () => findMistakesOf(schemas.merged, document);
  const hinted = withHintedCounts(document);
  const isForwardable = hinted === document && isAllPonders(document, schemas.ponderFields);
  // Ponder validates a document, by the same rules and part of the same schema, except that it takes more for a BigInt.
  // Validating it here too would take a fifth of the total time for a new text. Its errors take long where they have many
  // lines or places to look through.
  const isUsual = lines <= USUAL_LINES_MAX && equalNames <= USUAL_NAMES_MAX;
  const isTakenWrongly = () =>
    mayHaveLooseNumber(document, schemas.bigIntNames) && hasWrongLiteral(schemas.merged, document);
  if (isForwardable && isUsual && isWithinSize(document) && !isTakenWrongly()) {
    return createPreparedDocument({ text, document, hinted, isForwardable }, schemas, findMistakes);
  }
  const mistakes = findMistakes();
  return mistakes.length > 0
    ? mistakes
    : createPreparedDocument({ text, document, hinted, isForwardable }, schemas, () => []);
}

function parseWithin(text: string): DocumentNode | GraphQLError {
  try {
    return parse(text, { maxTokens: TOKENS_MAX });
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

interface Parsed {
  readonly text: string;
  readonly document: DocumentNode;
  /** With what Ponder needs to count; see `withHintedCounts`. */
  readonly hinted: DocumentNode;
  /** Ponder can answer the document as it is. It validates every operation of it, so none may be ours. */
  readonly isForwardable: boolean;
}

function createPreparedDocument(
  { text, document, hinted, isForwardable }: Parsed,
  schemas: Schemas,
  findMistakes: () => readonly GraphQLError[],
): PreparedDocument {
  const operations = operationsOf(document);
  const hintedOperations = operationsOf(hinted);
  const sent = isForwardable ? createSentDocument(text, document) : undefined;
  const prepared = new Map(
    operations.map((definition, index) => {
      const parts = isForwardable
        ? { ponder: { query: null, sent, variables: [] }, own: null }
        : splitParts(hinted, hintedOperations[index] ?? definition, schemas);
      const asked = parts.ponder ? findAsked(schemas, document, definition) : [];
      const introspection = {
        introspects: introspects(document, definition),
        isOnlyIntrospection: isOnlyIntrospection(document, definition),
      };
      return [definition, { document, definition, asked, ...parts, ...introspection, findMistakes }];
    }),
  );
  return {
    findMistakes,
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

function splitParts(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  { ponderFields }: Schemas,
): Pick<PreparedOperation, "ponder" | "own"> {
  const { ponder, own } = splitOperation(document, operation, ponderFields);
  return {
    ponder: ponder && { query: print(ponder.document), sent: undefined, variables: ponder.variables },
    own: own?.document ?? null,
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
      ? "the query has no operation"
      : `the query has ${operations.length} operations; operationName must name one of them`,
  );
}
