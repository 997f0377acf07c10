/** What Ponder takes over from us: a parsed document, and the result of validating it. */

import { type DocumentNode, type FieldNode, Kind, parse } from "graphql";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ponderRequest } from "../../../src/api/graphql/ponder/ponder-request.ts";
import { createSentDocuments } from "../../../src/api/graphql/ponder/sent-documents.ts";
import { createPonderEndpoint, type PonderEndpoint } from "./ponder-endpoint.ts";

const LOCKS = "{ tokens(limit: 1) { items { lockCount } } }";
const IDS = "{ tokens(limit: 1) { items { id } } }";

let ponder: PonderEndpoint;

beforeAll(async () => {
  ponder = await createPonderEndpoint();
});
afterAll(() => ponder.close());

async function ask(text: string, document?: DocumentNode): Promise<unknown> {
  const sent = document && { text, document };
  return (await ponder.handle(ponderRequest(JSON.stringify({ query: text })), sent)).json();
}

it("Ponder parses a text itself only if its document is not sent", async () => {
  const ofLocks = { data: { tokens: { items: [{ lockCount: 1 }] } } };
  const ofIds = { data: { tokens: { items: [{ id: "1" }] } } };

  expect(await ask(LOCKS)).toEqual(ofLocks);
  expect(await ask(LOCKS, parse(IDS))).toEqual(ofIds);
  expect(await ask(LOCKS)).toEqual(ofLocks);
});

it("Ponder validates each document, and none twice", async () => {
  const unknown = "{ tokens(limit: 1) { items { price } } }";
  const message = expect.stringContaining('Cannot query field "price"');
  const refused = { errors: [expect.objectContaining({ message })] };

  expect(await ask(unknown, parse(unknown))).toEqual(refused);

  const document = parse(IDS);
  expect(await ask(IDS, document)).toEqual({ data: { tokens: { items: [{ id: "1" }] } } });
  rename(document, "id", "price");
  // Execution skips a field that no type has.
  expect(await ask(IDS, document)).toEqual({ data: { tokens: { items: [{}] } } });
});

it("a document that Ponder refuses is refused again, in the same words", async () => {
  const deep = `{ tokens(limit: 1) { items { ${"collection { tokens { items { ".repeat(40)}id${" } } }".repeat(40)} } } }`;
  const document = parse(deep);

  const [first, second] = [await ask(deep, document), await ask(deep, document)];

  expect(first).toEqual({ errors: [expect.objectContaining({ message: expect.stringMatching(/depth/i) })] });
  expect(second).toEqual(first);
});

it("has a document for as long as one of its requests is answered, and whether or not it fails", async () => {
  const { cache, during } = createSentDocuments();
  const document = parse(IDS);
  const known = () => cache.documentCache.get(IDS);
  const ends: (() => void)[] = [];
  const send = () => during({ text: IDS, document }, () => new Promise<void>((end) => ends.push(end)));

  expect(known()).toBeUndefined();
  const first = during({ text: IDS, document }, () => Promise.reject(new Error("the database is away")));
  const [second, third] = [send(), send()];
  await expect(first).rejects.toThrow("the database is away");
  expect(known()).toBe(document);
  ends[0]?.();
  await second;
  expect(known()).toBe(document);
  ends[1]?.();
  await third;
  expect(known()).toBeUndefined();

  cache.documentCache.set(IDS, document);
  expect(known()).toBeUndefined();
});

/** Changes the document in place, as nothing but this test does. */
function rename(document: DocumentNode, from: string, to: string): void {
  const fieldsOf = (node: unknown): FieldNode[] => {
    if (typeof node !== "object" || node === null) return [];
    const inner = Object.entries(node).flatMap(([key, value]) => (key === "loc" ? [] : fieldsOf(value)));
    return (node as FieldNode).kind === Kind.FIELD ? [node as FieldNode, ...inner] : inner;
  };
  for (const field of fieldsOf(document))
    if (field.name.value === from) Object.assign(field, { name: { ...field.name, value: to } });
}
