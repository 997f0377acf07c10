/** Texts that Ponder takes for a BigInt and we refuse: for it, "" is 0, and "0x0b" is 11. */

import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  TokenKind,
} from "graphql";
import { BIG_NUMBER } from "../gateway/exact-scalars.ts";

/** The names of the arguments and input fields of a schema that take a BigInt, or a list of them. */
export function findBigIntNames(schema: GraphQLSchema): ReadonlySet<string> {
  const inputs = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (isInputObjectType(type)) return Object.values(type.getFields());
    return isObjectType(type) ? Object.values(type.getFields()).flatMap(({ args }) => args) : [];
  });
  return new Set(inputs.filter(({ type }) => getNamedType(type).name === "BigInt").map(({ name }) => name));
}

/**
 * Whether a document may have such a text where a BigInt belongs: after one of `names`, or as the default of a variable.
 * Validation knows the type of each place, but takes a tenth of the total time for a new text, and every address is such
 * a text.
 */
export function mayHaveLooseNumber(document: DocumentNode, names: ReadonlySet<string>): boolean {
  let isPlace = false;
  for (let token = document.loc?.startToken; token; token = token.next ?? undefined) {
    if (token.kind === TokenKind.EQUALS) isPlace = true;
    if (token.kind === TokenKind.NAME && token.next?.kind === TokenKind.COLON)
      isPlace = names.has(token.value);
    const isText = token.kind === TokenKind.STRING || token.kind === TokenKind.BLOCK_STRING;
    if (isPlace && isText && isLoose(token.value)) return true;
  }
  return false;
}

// Whatever BigInt takes, Number takes.
const isLoose = (text: string): boolean => !BIG_NUMBER.test(text) && !Number.isNaN(Number(text));
