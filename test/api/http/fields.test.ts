import { describe, expect, it } from "vitest";
import {
  addressField,
  chainIdField,
  collectionNameField,
  collectionRefField,
  tokenIdField,
} from "../../../src/api/http/fields.ts";
import { clip } from "../../../src/domain/printable.ts";

const UINT256_MAX = (2n ** 256n - 1n).toString();
const MIXED = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const LOWER = MIXED.toLowerCase();

describe("an address", () => {
  it("is taken in any case and given in lower case", () => {
    expect(addressField.parse(MIXED)).toBe(LOWER);
    expect(addressField.parse(LOWER)).toBe(LOWER);
  });

  it.each([
    "",
    "0x",
    LOWER.slice(2),
    `${LOWER}0`,
    LOWER.slice(0, -1),
    `${LOWER.slice(0, -1)}g`,
    ` ${LOWER}`,
    `${LOWER}\n`,
  ])("is not %j, and what arrived is repeated", (text) => {
    const { error } = addressField.safeParse(text);

    expect(error?.issues).toHaveLength(1);
    expect(error?.issues[0]?.message).toContain(`"${text}"`);
  });

  it("is repeated in an answer no longer than anyone reads", () => {
    const { error } = addressField.safeParse("x".repeat(100_000));

    expect(error?.issues[0]?.message.length).toBeLessThan(200);
  });
});

describe("the name of a collection in a path", () => {
  const refused = (text: string) => collectionNameField.safeParse(text).error?.issues[0]?.message;

  it("is an address in lower case, or a slug as it is", () => {
    expect(collectionNameField.parse(MIXED)).toBe(LOWER);
    for (const slug of ["heroes", "0xfacet", "a_-1", "a".repeat(39), "z".repeat(200)])
      expect(collectionNameField.parse(slug)).toBe(slug);
  });

  it.each(["", "Heroes", "a b", "a/b", "heroes\n", "z".repeat(201)])(
    "is not %j, and what a slug consists of is said",
    (text) => {
      expect(refused(text)).toBe(
        `"${clip(text)}" is neither an address (0x and 40 hex digits) nor a slug (1 to 200 of a-z, 0-9, - and _)`,
      );
    },
  );

  it.each(["0x", "0xface", LOWER.slice(2), LOWER.slice(0, -1), `${LOWER}0`])(
    "is not %j, since a slug must not look like an address",
    (text) => {
      expect(refused(text)).toBe(
        `"${text}" is neither an address (0x and 40 hex digits) nor a slug (which must not look like one)`,
      );
    },
  );
});

describe("a token id", () => {
  it.each(["0", "7", "10", UINT256_MAX])("may be %s", (text) => {
    expect(tokenIdField.parse(text)).toBe(text);
  });

  it.each([
    "",
    "00",
    "01",
    "-1",
    "+1",
    "1.0",
    "1e3",
    "0x1",
    " 1",
    "1\n",
    "١",
    (BigInt(UINT256_MAX) + 1n).toString(),
    "9".repeat(78),
  ])("is not %j", (text) => {
    expect(tokenIdField.safeParse(text).success).toBe(false);
  });
});

describe("a chain id", () => {
  it("is a positive number in decimal digits, or absent", () => {
    expect(chainIdField.parse("2020")).toBe(2020);
    expect(chainIdField.parse(undefined)).toBeUndefined();
    for (const text of ["", "0", "-1", "01", "1.5", "1e3", "x", "9".repeat(16)]) {
      expect(chainIdField.safeParse(text).success).toBe(false);
    }
  });
});

describe("a collection as the operator names it", () => {
  it("is an address, given in lower case, or a slug, alone or after its chain", () => {
    expect(collectionRefField.parse(`31337:${MIXED}`)).toEqual({ chainId: 31337, name: LOWER });
    expect(collectionRefField.parse(MIXED)).toEqual({ chainId: undefined, name: LOWER });
    expect(collectionRefField.parse("31337:heroes")).toEqual({ chainId: 31337, name: "heroes" });
    expect(collectionRefField.parse("heroes")).toEqual({ chainId: undefined, name: "heroes" });
    expect(collectionRefField.parse("31337")).toEqual({ chainId: undefined, name: "31337" });
    for (const text of [
      "",
      `:${LOWER}`,
      `0:${LOWER}`,
      `x:${LOWER}`,
      "31337:",
      "31337:0x1",
      `31337:${LOWER}:1`,
      "31337:Heroes",
      "two words",
      LOWER.slice(2),
    ]) {
      expect(collectionRefField.safeParse(text).success).toBe(false);
    }
  });
});

describe("what is repeated of a request", () => {
  it("is cut at 80 characters", () => {
    expect(clip("short")).toBe("short");
    expect(clip("x".repeat(80))).toHaveLength(80);
    expect(clip("x".repeat(81))).toBe(`${"x".repeat(80)}…`);
  });

  it("is not cut within a character", () => {
    expect(clip(`${"x".repeat(79)}😀 and more`)).toBe(`${"x".repeat(79)}…`);
  });
});
