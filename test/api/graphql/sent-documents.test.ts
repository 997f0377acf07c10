/** What Ponder takes over from us: a parsed document, and the result of validating it. */

import { type DocumentNode, type FieldNode, Kind, parse } from "graphql";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ponderRequest } from "../../../src/api/graphql/ponder/ponder-request.ts";
import {
  createSentDocument,
  createSentDocuments,
  type SentDocument,
} from "../../../src/api/graphql/ponder/sent-documents.ts";
import { createHarness } from "./endpoint-harness.ts";
import { createPonderEndpoint, type PonderEndpoint } from "./ponder-endpoint.ts";

const LOCKS = "{ tokens(limit: 1) { items { lockCount } } }";
const IDS = "{ tokens(limit: 1) { items { id } } }";

let ponder: PonderEndpoint;

beforeAll(async () => {
  ponder = await createPonderEndpoint();
});
afterAll(() => ponder.close());

async function ask(text: string, document?: DocumentNode): Promise<unknown> {
  return send(document ? createSentDocument(text, document) : { text });
}

async function send(sent: SentDocument | { readonly text: string }): Promise<unknown> {
  const request = ponderRequest(JSON.stringify({ query: sent.text }));
  return (await ponder.handle(request, "document" in sent ? sent : undefined)).json();
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
  const sent = createSentDocument(IDS, document);
  expect(await send(sent)).toEqual({ data: { tokens: { items: [{ id: "1" }] } } });
  rename(document, "id", "price");
  // Execution skips a field that no type has.
  expect(await send(sent)).toEqual({ data: { tokens: { items: [{}] } } });
});

it("a document that Ponder refuses is refused again, in the same words", async () => {
  const deep = `{ tokens(limit: 1) { items { ${"collection { tokens { items { ".repeat(40)}id${" } } }".repeat(40)} } } }`;
  const sent = createSentDocument(deep, parse(deep));

  const [first, second] = [await send(sent), await send(sent)];

  expect(first).toEqual({ errors: [expect.objectContaining({ message: expect.stringMatching(/depth/i) })] });
  expect(second).toEqual(first);
});

it("has a document for as long as one of its requests is answered, and whether or not it fails", async () => {
  const { cache, during } = createSentDocuments();
  const document = parse(IDS);
  const known = () => cache.documentCache.get(IDS);
  const ends: (() => void)[] = [];
  const sent = { ...createSentDocument(IDS, document), document };
  const send = () => during(sent, () => new Promise<void>((end) => ends.push(end)));

  expect(known()).toBeUndefined();
  const first = during(sent, () => Promise.reject(new Error("the database is away")));
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

it("the endpoint sends a whole query with its document, none with its errors, and a part of one without", async () => {
  const sent: (DocumentNode | undefined)[] = [];
  const { askForText } = await createHarness({
    handle(request, document) {
      sent.push(document?.document);
      return ponder.handle(request, document);
    },
  });
  const askTwice = async (text: string) => {
    sent.length = 0;
    const [first, second] = [await askForText(text), await askForText(text)];
    expect(first).toBe(second);
    return [...sent];
  };
  sent.length = 0;

  const whole = await askTwice(IDS);
  expect(whole[0]).toBeDefined();
  expect(whole[1]).toBe(whole[0]);
  // Yoga keeps errors as long as their document.
  const refused = await askTwice("{ tokens(limit: 1) { items { price } } }");
  expect(refused[0]).toBeDefined();
  expect(refused[1]).not.toBe(refused[0]);
  // One text may have sixty parts, each with a copy of the same fragment.
  expect(await askTwice("{ viewer tokens(limit: 1) { items { id } } }")).toEqual([undefined, undefined]);
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
