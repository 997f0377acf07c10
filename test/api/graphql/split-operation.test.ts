import { Kind, parse, print } from "graphql";
import { describe, expect, it } from "vitest";
import { splitOperation } from "../../../src/api/graphql/gateway/split-operation.ts";

const PONDER_FIELDS = new Set(["token", "tokens", "_meta"]);

interface Halves {
  readonly ponder: string | null;
  readonly ponderVariables?: readonly string[];
  readonly own: string | null;
}

/** Splits the operation at `position` of a document. */
function split(text: string, position = 0) {
  const document = parse(text);
  const operation = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)[position];
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error("the document holds no such operation");
  return splitOperation(document, operation, PONDER_FIELDS);
}

const normal = (text: string | null): string | null => text && print(parse(text));

const cases: [title: string, text: string, halves: Halves][] = [
  ["only Ponder's", "{ tokens { items { id } } }", { ponder: "{ tokens { items { id } } }", own: null }],
  ["only ours", "{ viewer }", { ponder: null, own: "{ viewer }" }],
  [
    "an alias that has the name of the other side's field",
    "{ viewer: tokens { totalCount } tokens: viewer }",
    { ponder: "{ viewer: tokens { totalCount } }", own: "{ tokens: viewer }" },
  ],
  [
    "a response key selected twice, which stays twice on its side",
    "{ t: tokens { totalCount } viewer t: tokens { items { id } } }",
    { ponder: "{ t: tokens { totalCount } t: tokens { items { id } } }", own: "{ viewer }" },
  ],
  [
    "nested fields with the name of a root field, which stay as they are",
    "{ item { tokens } token { viewer } }",
    { ponder: "{ token { viewer } }", own: "{ item { tokens } }" },
  ],
  [
    "fragments on Query inside each other, each cut for its side",
    "{ ...A } fragment A on Query { viewer tokens { totalCount } ...B } fragment B on Query { _meta { status } item { id } }",
    {
      ponder:
        "{ ...A } fragment A on Query { tokens { totalCount } ...B } fragment B on Query { _meta { status } }",
      own: "{ ...A } fragment A on Query { viewer ...B } fragment B on Query { item { id } }",
    },
  ],
  [
    "a fragment that falls to one side, which the other neither spreads nor defines",
    "{ ...A tokens { totalCount } } fragment A on Query { viewer }",
    { ponder: "{ tokens { totalCount } }", own: "{ ...A } fragment A on Query { viewer }" },
  ],
  [
    "a fragment spread twice under different directives",
    "query ($a: Boolean!, $b: Boolean!) { ...A @include(if: $a) ...A @skip(if: $b) viewer } fragment A on Query { _meta { status } }",
    {
      ponder:
        "query ($a: Boolean!, $b: Boolean!) { ...A @include(if: $a) ...A @skip(if: $b) } fragment A on Query { _meta { status } }",
      ponderVariables: ["a", "b"],
      own: "{ viewer }",
    },
  ],
  [
    "inline fragments with and without a type, emptied ones dropped",
    "query ($a: Boolean!) { ... on Query @include(if: $a) { viewer ... { _meta { status } } } ... @skip(if: $a) { item { id } } }",
    {
      ponder: "query ($a: Boolean!) { ... on Query @include(if: $a) { ... { _meta { status } } } }",
      ponderVariables: ["a"],
      own: "query ($a: Boolean!) { ... on Query @include(if: $a) { viewer } ... @skip(if: $a) { item { id } } }",
    },
  ],
  [
    "fragments below the root, kept whole with all that they use",
    "query ($n: Int) { viewer tokens { ...P } } fragment P on tokenPage { items { ...T } } fragment T on token { others(limit: $n) { viewer } }",
    {
      ponder:
        "query ($n: Int) { tokens { ...P } } fragment P on tokenPage { items { ...T } } fragment T on token { others(limit: $n) { viewer } }",
      ponderVariables: ["n"],
      own: "{ viewer }",
    },
  ],
  [
    "variables, each with the side that uses it",
    'query Q($mine: Int = 1, $theirs: Int = 2, $both: String = "x") { item(id: $mine, s: $both) { id } tokens(limit: $theirs, where: { a: [$both] }) { totalCount } }',
    {
      ponder:
        'query Q($theirs: Int = 2, $both: String = "x") { tokens(limit: $theirs, where: { a: [$both] }) { totalCount } }',
      ponderVariables: ["theirs", "both"],
      own: 'query Q($mine: Int = 1, $both: String = "x") { item(id: $mine, s: $both) { id } }',
    },
  ],
  [
    "a directive of a field, whose variable goes with it",
    "query ($a: Boolean!, $b: Boolean!) { viewer @skip(if: $a) _meta @include(if: $b) { status } }",
    {
      ponder: "query ($b: Boolean!) { _meta @include(if: $b) { status } }",
      ponderVariables: ["b"],
      own: "query ($a: Boolean!) { viewer @skip(if: $a) }",
    },
  ],
  [
    "introspection and __typename at the root, which are ours",
    '{ __typename tokens { __typename } __schema { types { name } } __type(name: "token") { name } }',
    {
      ponder: "{ tokens { __typename } }",
      own: '{ __typename __schema { types { name } } __type(name: "token") { name } }',
    },
  ],
  [
    "a mutation, which is ours whatever its fields are called",
    "mutation { token tokens }",
    { ponder: null, own: "mutation { token tokens }" },
  ],
  [
    "the first of several operations, without what only the others use",
    "query A { ...F viewer } query B { ...G } fragment F on Query { _meta { status } } fragment G on Query { tokens { totalCount } }",
    { ponder: "query A { ...F } fragment F on Query { _meta { status } }", own: "query A { viewer }" },
  ],
];

describe("splitOperation", () => {
  it.each(cases)("splits %s", (_title, text, { ponder, ponderVariables = [], own }) => {
    const halves = split(text);

    expect(halves.ponder && print(halves.ponder.document)).toBe(normal(ponder));
    expect(halves.own && print(halves.own.document)).toBe(normal(own));
    if (ponder !== null) expect(halves.ponder?.variables).toEqual(ponderVariables);
  });

  it("splits the operation it is given, not the first", () => {
    const halves = split("query A { viewer } query B { _meta { status } }", 1);

    expect(halves.own).toBeNull();
    expect(halves.ponder && print(halves.ponder.document)).toBe(normal("query B { _meta { status } }"));
  });

  it("leaves the document it is given unchanged", () => {
    const text = print(parse("{ ...A viewer } fragment A on Query { viewer _meta { status } }"));
    const document = parse(text);
    const operation = document.definitions[0];
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error("no operation");

    splitOperation(document, operation, PONDER_FIELDS);

    expect(print(document)).toBe(text);
  });
});
