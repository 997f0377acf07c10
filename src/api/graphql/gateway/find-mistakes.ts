/** Validation by graphql-js, whose errors take no more time than the document. */

import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  specifiedRules,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  validate,
} from "graphql";
import { sizeRule } from "./limits.ts";

// Nobody needs more places of one mistake.
const PLACES_MAX = 10;

/**
 * The mistakes of a document, each with its first places. graphql-js looks for the line of each place from the start of the
 * text, and one error may have thousands of them: while it validates, there is no text to look through.
 */
export function findMistakes(schema: GraphQLSchema, document: DocumentNode): GraphQLError[] {
  return findMistakesBy([...specifiedRules, sizeRule], schema, document);
}

/** Whether a literal of a document is not of the type of its place. The document need not be valid. */
export const hasWrongLiteral = (schema: GraphQLSchema, document: DocumentNode): boolean =>
  findMistakesBy([ValuesOfCorrectTypeRule], schema, document).length > 0;

function findMistakesBy(
  rules: readonly ValidationRule[],
  schema: GraphQLSchema,
  document: DocumentNode,
): GraphQLError[] {
  const source = document.loc?.source as { body: string } | undefined;
  const body = source?.body ?? "";
  if (source) source.body = "";
  let mistakes: readonly GraphQLError[];
  try {
    mistakes = validate(schema, document, rules);
  } finally {
    if (source) source.body = body;
  }
  return mistakes.map(
    ({ message, nodes, extensions }) =>
      new GraphQLError(message, { nodes: nodes?.slice(0, PLACES_MAX), extensions }),
  );
}
