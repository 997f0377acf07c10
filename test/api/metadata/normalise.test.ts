/** What is stored of a document, field by field, including hostile ones. */

import { describe, expect, it } from "vitest";
import { ISSUES_MAX } from "../../../src/api/metadata/document/issues.ts";
import { normalise } from "../../../src/api/metadata/document/normalise.ts";

const sound = { name: "Hero", image: "https://host.example/1.png" };

/** Reads a document that is an object. */
function read(document: object) {
  const normalised = normalise(document);
  if (!normalised) throw new Error("the document was refused");
  const { metadata, issues, complete } = normalised;
  return { metadata, codes: issues.map(({ code }) => code), issues, complete };
}

describe("the document", () => {
  it.each(["null", "0", '"{}"', "true", "[]", '[{"name": "Hero"}]'])("is refused when it is %s", (json) => {
    expect(normalise(JSON.parse(json))).toBeUndefined();
  });

  it("needs a name and an image and nothing else", () => {
    const { metadata, codes, complete } = read(sound);

    expect(metadata).toEqual({
      ...sound,
      description: null,
      video: null,
      animation_url: null,
      external_url: null,
      traits: [],
    });
    expect({ codes, complete }).toEqual({ codes: [], complete: true });
  });

  it.each(["name", "image"])("is incomplete without a %s, and keeps the rest", (field) => {
    const odd = [undefined, null, "", " ", 0, false, [], {}];

    for (const value of odd) {
      const { metadata, issues, complete } = read({ ...sound, description: "kept", [field]: value });

      expect(metadata).toMatchObject({ [field]: null, description: "kept" });
      expect(issues).toMatchObject([{ code: `missing_${field}`, level: "error", path: field }]);
      expect(complete).toBe(false);
    }
  });

  it.each(["description", "video", "animation_url", "external_url"])("may hold a %s", (field) => {
    expect(read({ ...sound, [field]: "text" }).metadata).toMatchObject({ [field]: "text" });

    for (const absent of [undefined, null, ""]) {
      const { metadata, codes } = read({ ...sound, [field]: absent });
      expect({ value: metadata[field as "video"], codes }).toEqual({ value: null, codes: [] });
    }
    for (const odd of [0, false, [], {}]) {
      const { metadata, issues, complete } = read({ ...sound, [field]: odd });
      expect(metadata).toMatchObject({ [field]: null });
      expect(issues).toMatchObject([{ code: "wrong_type", level: "warning", path: field }]);
      expect(complete).toBe(true);
    }
  });
});

describe("an image, a video or an animation", () => {
  const CID = "QmXoypizjW3WknFiJnKLwHCnL72vedxjQkDDP1mXWo6uco";
  const usable = [
    "https://img.example/1.png",
    "HTTP://img.example/a b.png",
    " https://img.example/1.png ",
    `ipfs://${CID}`,
    `ipfs://ipfs/${CID}/1.png`,
    `IPFS:/${CID}`,
    `/ipfs/${CID}/1.png`,
    CID,
  ];
  // No image of a page, but one that other programs may load.
  const elsewhere = [
    "data:image/png;base64,AAAA",
    " DATA:image/svg+xml;utf8,<svg>\n</svg>",
    "data:,x",
    "ar://-G92LjB-wFj-FCGx040NgniW_Ypy_Cbh3Jq1HUD6l7A",
    "ar://-G92LjB-wFj-FCGx040NgniW_Ypy_Cbh3Jq1HUD6l7A/1.png",
  ];
  const broken = [
    "b",
    "undefined",
    "/1.png",
    "1.png",
    "//img.example/1.png",
    "https://",
    "ipfs://nothing",
    "ipfs://undefined/1.png",
    "ipns://name",
    "ar://short",
    "data:image/png;base64",
    "data:image/png;base64,",
    "javascript:alert(1)",
    "<svg></svg>",
  ];

  it.each(["image", "video", "animation_url"])(
    "is kept whatever its %s, and reported when no page can show it",
    (field) => {
      for (const value of usable) {
        const { metadata, codes } = read({ ...sound, [field]: value });
        expect({ value: metadata[field as "image"], codes }).toEqual({ value, codes: [] });
      }
      for (const value of [...elsewhere, ...broken]) {
        const { metadata, issues, complete } = read({ ...sound, [field]: value });
        const message = `${field} must be an http, https or ipfs URL; it is "${value}"`;
        const isNone = field === "image" && broken.includes(value);
        const issue = isNone
          ? { code: "unusable_image", level: "error" }
          : { code: "unusable_url", level: "warning" };
        expect(metadata).toMatchObject({ [field]: value });
        expect(issues).toEqual([{ ...issue, path: field, message }]);
        expect(complete).toBe(!isNone);
      }
    },
  );

  it("is quoted in few words that PostgreSQL takes", () => {
    const image = `${"x".repeat(99)}\u{1f600}${"x".repeat(1_000_000)}`;

    const { metadata, issues } = read({ ...sound, image });

    expect(metadata.image).toBe(image);
    expect(issues[0]?.message).toBe(
      `image must be an http, https or ipfs URL; it is "${"x".repeat(99)}\ufffd…"`,
    );
  });

  it("is judged nowhere else: an external_url is shown to nobody", () => {
    expect(read({ ...sound, external_url: "b" }).codes).toEqual([]);
  });
});

describe("attributes and properties", () => {
  const attributes = [{ trait_type: "A", value: "a" }];
  const properties = { P: "p" };

  it.each([
    { given: { attributes }, kept: ["A"], codes: [] },
    { given: { properties }, kept: ["P"], codes: [] },
    { given: { attributes, properties: null }, kept: ["A"], codes: [] },
    { given: { attributes: null, properties }, kept: ["P"], codes: [] },
    { given: { attributes, properties }, kept: ["A"], codes: ["attributes_and_properties"] },
    { given: { attributes: [], properties }, kept: [], codes: ["attributes_and_properties"] },
    { given: { attributes, properties: [] }, kept: ["A"], codes: ["attributes_and_properties"] },
    { given: { attributes: { A: "a" } }, kept: [], codes: ["attributes_not_array"] },
    { given: { attributes: "A" }, kept: [], codes: ["attributes_not_array"] },
    { given: { attributes: false }, kept: [], codes: ["attributes_not_array"] },
    { given: { properties: attributes }, kept: [], codes: ["properties_not_object"] },
    { given: { properties: "P" }, kept: [], codes: ["properties_not_object"] },
    { given: { properties: 0 }, kept: [], codes: ["properties_not_object"] },
    { given: { attributes: [attributes] }, kept: [], codes: ["entry_not_object"] },
    { given: { properties: { properties } }, kept: [], codes: ["invalid_property"] },
  ])("$given keeps $kept", ({ given, kept, codes }) => {
    const read_ = read({ ...sound, ...given });

    expect(read_.metadata.traits.map(({ trait_type }) => trait_type)).toEqual(kept);
    expect(read_.codes).toEqual(codes);
    expect(read_.complete).toBe(true);
  });

  it("says what arrived instead, in the words of JSON", () => {
    const messages = (json: string) => normalise(JSON.parse(json))?.issues.map(({ message }) => message);

    expect(messages('{"name": [], "image": null, "attributes": {}}')).toEqual([
      "name is required; it is an array",
      "image is required; it is null",
      "attributes must be an array; it is an object",
    ]);
    expect(
      messages('{"name": "n", "image": "https://i.example", "properties": {"P": 1e999, "": "v"}}'),
    ).toEqual([
      "a property must be a string or a number; it is a number too large to hold",
      "a property needs a name",
    ]);
  });
});

describe("hostile documents", () => {
  it("find keys of every object inert", () => {
    const document = JSON.parse(
      `{"__proto__": {"name": "stolen", "attributes": []}, "constructor": {"prototype": {"image": "stolen"}},
        "attributes": [{"__proto__": {"value": "stolen"}, "trait_type": "constructor", "value": "v"}]}`,
    );

    const { metadata, codes } = read(document);

    expect(metadata).toMatchObject({
      name: null,
      image: null,
      traits: [{ trait_type: "constructor", value: "v" }],
    });
    expect(codes).toEqual(["missing_name", "missing_image"]);
    expect(({} as Record<string, unknown>).name).toBeUndefined();
  });

  it("are read by their own keys, never by inherited ones", () => {
    const entry = Object.create({ trait_type: "T", value: "v", display_type: "string" });

    const { metadata, codes } = read(Object.create(sound, { attributes: { value: [entry] } }));

    expect(metadata).toMatchObject({ name: null, image: null, traits: [] });
    expect(codes).toEqual(["missing_name", "missing_image", "missing_trait_type"]);
  });

  it("say what is blank, not that it is a string", () => {
    const attributes = [{ trait_type: " ", value: "v" }];

    expect(normalise({ name: " \t", image: "", attributes })?.issues.map(({ message }) => message)).toEqual([
      "name is required; it is blank",
      "image is required; it is empty",
      "trait_type must be a string that is not blank; it is blank",
    ]);
  });

  it("leave nothing in the text that PostgreSQL refuses", () => {
    const broken = "a\u0000b\ud800c\udc00";
    const mended = "a\ufffdb\ufffdc\ufffd";

    const { metadata } = read({
      name: broken,
      image: broken,
      description: broken,
      video: broken,
      attributes: [{ trait_type: broken, value: broken }],
    });

    expect(metadata).toMatchObject({ name: mended, image: mended, description: mended, video: mended });
    expect(metadata.traits).toMatchObject([{ trait_type: mended, value: mended }]);
    expect(read({ ...sound, properties: { [broken]: broken } }).metadata.traits).toMatchObject([
      { trait_type: mended, value: mended },
    ]);
    expect(read({ ...sound, name: "😀" }).metadata.name).toBe("😀");
  });

  it("can't flood the report: past the limit issues are counted and not listed", () => {
    const { issues, complete } = read({ attributes: Array.from({ length: ISSUES_MAX + 50 }, () => 0) });

    expect(issues).toHaveLength(ISSUES_MAX);
    expect(issues.at(-1)?.message).toMatch(/; 52 more are not listed$/);
    expect(complete).toBe(false);
  });
});
