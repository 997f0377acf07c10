/** Properties of every document, whatever JSON it contains. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { issueTable } from "../../../src/api/metadata/document/issues.ts";
import { replaceStrings } from "../../../src/api/metadata/document/json.ts";
import { type Normalised, normalise } from "../../../src/api/metadata/document/normalise.ts";
import { displayTypes, type Trait } from "../../../src/api/metadata/document/traits.ts";
import { readDocument } from "../../../src/api/metadata/uri/resolve.ts";

// Issues of an entry that is stored all the same.
const ISSUES_OF_KEPT: readonly string[] = ["invalid_max_value", "number_precision"];
const RUNS = { numRuns: 1_000 };
const ENTRIES_MAX = 12;

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc.constantFrom("", " ", "{id}", "\u0000", "\ud800"),
);
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -0, 1e11, 1e11 - 1, 1e300, Number.POSITIVE_INFINITY),
);
const json = fc.oneof(text, number, fc.boolean(), fc.jsonValue({ maxDepth: 4, noUnicodeString: false }));
const displayType = fc.oneof(fc.constantFrom(...displayTypes, null, "", "Number", "__proto__"), json);
const key = fc.oneof(text, fc.constantFrom("__proto__", "constructor", "toString", "trait_type"));
/** As JSON.parse creates it: `__proto__` is an ordinary key. */
const object = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
  const made: Record<string, unknown> = {};
  for (const [name, value] of entries)
    Object.defineProperty(made, name, { value, enumerable: true, writable: true, configurable: true });
  return made;
};
const dictionary = fc.array(fc.tuple(key, json), { maxLength: ENTRIES_MAX }).map(object);
const likelyEntry = fc.record(
  {
    trait_type: fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: json }),
    value: fc.oneof(text, number, fc.boolean(), json),
    display_type: displayType,
    max_value: fc.oneof(number, json),
  },
  { requiredKeys: [] },
);
const attributes = fc.array(fc.oneof({ weight: 6, arbitrary: likelyEntry }, dictionary, json), {
  maxLength: ENTRIES_MAX,
});
const document = fc.record(
  {
    name: fc.oneof(text, json),
    image: fc.oneof(fc.webUrl(), json),
    description: fc.oneof(text, json),
    video: json,
    animation_url: json,
    external_url: json,
    attributes: fc.oneof({ weight: 6, arbitrary: attributes }, json),
    properties: fc.oneof({ weight: 6, arbitrary: dictionary }, json),
  },
  { requiredKeys: [] },
);

function read(value: unknown): Normalised {
  const normalised = normalise(value);
  if (!normalised) throw new Error("the document was refused");
  return normalised;
}
const isStorable = (value: string): boolean => value.isWellFormed() && !value.includes("\u0000");
const textsOf = ({ metadata, issues }: Normalised): string[] => {
  const { traits, ...fields } = metadata;
  const ofTraits = traits.flatMap(({ trait_type, value }) => [trait_type, String(value)]);
  const ofIssues = issues.flatMap(({ path, message }) => [path, message]);
  return [...Object.values(fields).filter((field) => field !== null), ...ofTraits, ...ofIssues];
};
/** The rules of an attribute entry, implemented independently. */
function isSound({ trait_type, display_type, value, max_value, ...others }: Trait): boolean {
  const isNumber = typeof value === "number" && Number.isFinite(value);
  const matches = {
    string: typeof value === "string",
    number: isNumber,
    date: isNumber && Number.isInteger(value) && value > -1e11 && value < 1e11,
    bool: typeof value === "boolean",
  }[display_type];
  const hasCeiling = max_value === undefined || (display_type === "number" && max_value >= (value as number));
  return trait_type.trim() !== "" && matches && hasCeiling && Object.keys(others).length === 0;
}

describe("any JSON value", () => {
  it("is read or refused without throwing, and only objects are read", () => {
    fc.assert(
      fc.property(fc.oneof(json, document), (value) => {
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
        expect(normalise(value) !== undefined).toBe(isObject);
      }),
      RUNS,
    );
  });

  it("is read or refused from its text, too, with and without an id to fill in", () => {
    fc.assert(
      fc.property(fc.oneof(json, document), fc.constantFrom("", "0", "314592"), (value, tokenId) => {
        const answer = readDocument(Buffer.from(JSON.stringify(value) ?? "null"), tokenId);

        if (answer.kind === "document") expect(textsOf(answer.document).every(isStorable)).toBe(true);
        else expect(answer.reason).toBe("not_an_object");
      }),
      RUNS,
    );
  });
});

describe("any document", () => {
  it("gives text that PostgreSQL takes, in what is kept and in what is said of the rest", () => {
    fc.assert(
      fc.property(document, (value) => {
        expect(textsOf(read(value)).filter((each) => !isStorable(each))).toEqual([]);
      }),
      RUNS,
    );
  });

  it("keeps only traits that obey the rules", () => {
    fc.assert(
      fc.property(document, (value) => {
        expect(read(value).metadata.traits.filter((trait) => !isSound(trait))).toEqual([]);
      }),
      RUNS,
    );
  });

  it("keeps every attribute entry or names it in an issue, never both but for its ceiling", () => {
    fc.assert(
      fc.property(attributes, (entries) => {
        const { metadata, issues } = read({ name: "n", image: "https://i.example", attributes: entries });
        const left = issues.filter(({ code }) => !ISSUES_OF_KEPT.includes(code)).map(({ path }) => path);

        const leftOut = entries.filter((_, index) =>
          left.some((path) => path.startsWith(`attributes[${index}]`)),
        );
        expect(left).toHaveLength(leftOut.length);
        expect(metadata.traits.length + leftOut.length).toBe(entries.length);
      }),
      RUNS,
    );
  });

  it("keeps every property or has an issue for it", () => {
    fc.assert(
      fc.property(dictionary, (properties) => {
        const { metadata, issues } = read({ name: "n", image: "https://i.example", properties });

        expect(metadata.traits.length + issues.length).toBe(Object.keys(properties).length);
        expect(metadata.traits.every(({ display_type }) => display_type === "string")).toBe(true);
      }),
      RUNS,
    );
  });

  it("is complete exactly when it has a name and an image, and has an error for each that is missing or unusable", () => {
    fc.assert(
      fc.property(document, (value) => {
        const { metadata, issues, complete } = read(value);
        const lacking = (["name", "image"] as const).filter(
          (field) =>
            metadata[field] === null ||
            (field === "image" && issues.some(({ code }) => code === "unusable_image")),
        );

        expect(issues.filter(({ level }) => level === "error").map(({ path }) => path)).toEqual(lacking);
        expect(complete).toBe(lacking.length === 0);
        for (const { code, level } of issues) expect(issueTable[code].level).toBe(level);
      }),
      RUNS,
    );
  });

  it("read from what was kept of it is the same again, with nothing more to say", () => {
    fc.assert(
      fc.property(document, (value) => {
        const { metadata } = read(value);
        const { traits, ...fields } = metadata;

        const again = read(JSON.parse(JSON.stringify({ ...fields, attributes: traits })));

        expect(JSON.stringify(again.metadata)).toBe(JSON.stringify(metadata));
        // URLs and large numbers are stored unchanged, so their issues remain.
        const more = again.issues.filter(
          ({ code, level }) => level !== "error" && code !== "unusable_url" && code !== "number_precision",
        );
        expect(more).toEqual([]);
      }),
      RUNS,
    );
  });

  it("is left as it was", () => {
    fc.assert(
      fc.property(document, (value) => {
        const before = JSON.stringify(value);
        normalise(value);

        expect(JSON.stringify(value)).toBe(before);
      }),
      RUNS,
    );
  });

  it("says the same whatever other keys its entries hold", () => {
    fc.assert(
      fc.property(likelyEntry, dictionary, (entry, others) => {
        const more = object([...Object.entries(others), ...Object.entries(entry)]);
        for (const known of ["trait_type", "value", "display_type", "max_value"])
          if (!Object.hasOwn(entry, known)) delete more[known];

        const readAs = (each: object) => read({ name: "n", image: "https://i.example", attributes: [each] });
        expect(readAs(more)).toEqual(readAs(entry));
      }),
      RUNS,
    );
  });
});

it("string values are replaced as by JSON.parse with a reviver", () => {
  const replace = (each: string): string => each.replaceAll("{id}", "7");
  const withIds = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.stringify(value).replaceAll(" ", "{id}"));

  fc.assert(
    fc.property(withIds, (source) => {
      const revived: unknown = JSON.parse(source, (_key, value) =>
        typeof value === "string" ? replace(value) : value,
      );

      expect(JSON.stringify(replaceStrings(JSON.parse(source), replace))).toBe(JSON.stringify(revived));
    }),
    RUNS,
  );
});
