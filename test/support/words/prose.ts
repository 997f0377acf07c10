/** Finds texts for people in code. */

import ts from "typescript";

/** Two words, or one that begins with a capital: what names, paths and classes are not. */
export const PROSE = /\p{L}[\p{L}’']*[,;:.!?]? \p{L}|^\s*\p{Lu}\p{Ll}+[.:…]?\s*$/u;

type Literal = ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression;

export const isLiteral = (node: ts.Node): node is Literal =>
  ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);

/** The parts of a literal that stand in the code. */
export const partsOf = (node: Literal): readonly string[] =>
  ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
    : [node.text];
