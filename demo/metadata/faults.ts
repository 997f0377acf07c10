/** The tokens whose metadata is wrong on purpose, one fault each, so that every fault can be observed. */
import type { Answer, Document, Kind } from "./answer.ts";

export type Fault = {
  kind: Kind;
  id: number;
  name: string;
  /** One sentence for people who look at the token. */
  about: string;
  /** Turns the valid document into the host's answer. */
  apply(document: Document, base: string): Answer;
};

const SLOW_MS = 2_000;
const MS_PER_SECOND = 1_000;

const hero = (id: number, name: string, about: string, apply: Fault["apply"]): Fault => ({
  kind: "heroes",
  id,
  name,
  about,
  apply,
});
const item = (id: number, name: string, about: string, apply: Fault["apply"]): Fault => ({
  ...hero(id, name, about, apply),
  kind: "items",
});

const entriesOf = (document: Document): Document[] => document.attributes as Document[];

/** Replaces fields of one trait type's entry and keeps the others. */
const withEntry = (document: Document, traitType: string, fields: Document): Answer => ({
  body: {
    ...document,
    attributes: entriesOf(document).map((entry) =>
      entry.trait_type === traitType ? { ...entry, ...fields } : entry,
    ),
  },
});

const withAttributes = (document: Document, ...entries: unknown[]): Answer => ({
  body: { ...document, attributes: [...entriesOf(document), ...entries] },
});

const without = (document: Document, field: string): Answer => {
  const { [field]: _, ...rest } = document;
  return { body: rest };
};

/** Every fault by token; a token that is not listed has a valid document. */
export const FAULTS: readonly Fault[] = [
  hero(33, "mismatched-value", "Level is a number trait with a quoted value", (document) =>
    withEntry(document, "Level", { value: "12" }),
  ),
  hero(34, "attributes-and-properties", "Both attributes and properties are present", (document) => ({
    body: { ...document, properties: { Class: "Impostor", Serial: 34 } },
  })),
  hero(35, "missing-image", "The required image is missing", (document) => without(document, "image")),
  hero(
    36,
    "unknown-display-type",
    "Stamina has the display type boost_number, which is not one of the four",
    (document) =>
      withAttributes(document, { trait_type: "Stamina", display_type: "boost_number", value: 10 }),
  ),
  hero(37, "nested-attributes", "An array and a group object wrap some entries", (document) =>
    withAttributes(document, [{ trait_type: "Nested", value: "array" }], {
      group: { trait_type: "Nested", value: "object" },
    }),
  ),
  hero(38, "not-found", "The document answers 404", () => ({ status: 404, body: { error: "no such hero" } })),
  hero(39, "invalid-json", "The document breaks off in the middle", (document) => ({
    body: JSON.stringify(document).slice(0, 120),
  })),
  hero(40, "small-image", "The image is 300x300", (document, base) => ({
    body: { ...document, image: `${base}/art/heroes/40-small.png` },
  })),
  hero(41, "slow", "The document takes two seconds", (document) => ({ body: document, delayMs: SLOW_MS })),
  hero(42, "heavy-image", "The image weighs two megabytes", (document, base) => ({
    body: { ...document, image: `${base}/art/heroes/42-heavy.png` },
  })),
  hero(43, "wrong-image-format", "The image is a WebP", (document, base) => ({
    body: { ...document, image: `${base}/art/heroes/43.webp` },
  })),
  hero(44, "missing-name", "The required name is missing", (document) => without(document, "name")),
  hero(45, "date-in-milliseconds", "Born is counted in milliseconds", (document) => {
    const born = entriesOf(document).find((entry) => entry.trait_type === "Born")?.value as number;
    return withEntry(document, "Born", { value: born * MS_PER_SECOND });
  }),
  hero(46, "max-below-value", "Level is 90 of at most 10", (document) =>
    withEntry(document, "Level", { value: 90, max_value: 10 }),
  ),
  hero(47, "bot-challenge", "The document is behind a bot check", () => ({
    status: 403,
    headers: { "content-type": "text/html; charset=utf-8", "cf-mitigated": "challenge" },
    body: "<!doctype html><title>Just a moment...</title><p>Checking your browser.</p>",
  })),
  hero(48, "not-an-object", "The document is a JSON array", (document) => ({ body: [document] })),
  item(11, "markup", "The name and the description carry HTML", (document) => ({
    body: {
      ...document,
      name: "<b>Bold</b> & <script>alert(1)</script>",
      description: '<img src="x" onerror="alert(1)">',
    },
  })),
  item(12, "animation-is-image", "animation_url leads to a picture", (document, base) => ({
    body: { ...document, animation_url: `${base}/art/items/12.png` },
  })),
  item(16, "broken-image", "The image answers 404", (document, base) => ({
    body: { ...document, image: `${base}/art/items/gone.png` },
  })),
];
