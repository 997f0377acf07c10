import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chipsOf,
  dayOf,
  fieldOf,
  queryOf,
  readQuery,
  withoutConditions,
} from "../../../src/api/pages/collection/filter-query.ts";

const DAY = 86_400;
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 });
const read = (query: string) => readQuery(new URLSearchParams(query));

describe("the day of seconds", () => {
  it.each([
    [0, "1970-01-01"],
    [-1, "1969-12-31"],
    [8.64e12, "8640000000000"],
    [8.64e12 + 1, "8640000000001"],
    [1e300, "1e+300"],
    [Number.POSITIVE_INFINITY, "Infinity"],
    [Number.NaN, "NaN"],
  ])("%d is %s, and no fault where there is none", (seconds, day) => {
    expect(dayOf(seconds)).toBe(day);
  });
});

describe("the address of a trait's value", () => {
  it("is read as that value, whatever the trait and the value are called", () => {
    fc.assert(
      fc.property(text, fc.string({ unit: "grapheme" }), (trait_type, value) => {
        const { filter, problems } = read(queryOf({ trait_type, display_type: "string", value }));
        expect([filter.criteria, filter.ranges, problems]).toEqual([
          [{ name: trait_type, values: [value] }],
          [],
          [],
        ]);
      }),
    );
  });

  it("is read as that number, exactly", () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(text, number, (name, value) => {
        const { filter, problems } = read(queryOf({ trait_type: name, display_type: "number", value }));
        // JSON, and so a document, has no negative zero.
        expect([filter.ranges, problems]).toEqual([[{ name, from: value + 0, to: value + 0 }], []]);
      }),
    );
  });

  it("is read as a range that holds that date, of a day at most", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: -99_999_999_999, max: 99_999_999_999 }), (name, value) => {
        const [range] = read(queryOf({ trait_type: name, display_type: "date", value })).filter.ranges;
        const { from = Number.NaN, to = Number.NaN } = range ?? {};
        expect(from <= value && value <= to && to - from < DAY).toBe(true);
      }),
    );
  });
});

describe("an address that repeats itself", () => {
  it("holds each value of a trait once, where it came first", () => {
    const { filter, query, conditions } = read(
      "?is:Class=Mage&is:Title=&is:Class=Rogue&is:Class=Mage&is:Title=",
    );

    expect(filter.criteria).toEqual([
      { name: "Class", values: ["Mage", "Rogue"] },
      { name: "Title", values: [""] },
    ]);
    expect(query).toBe("is%3AClass=Mage&is%3ATitle=&is%3AClass=Rogue");
    expect(conditions.map(({ trait }) => trait)).toEqual(["Class", "Title", "Class"]);
  });

  it("counts each value once towards the limits of the API", () => {
    const { filter, problems } = read(Array.from({ length: 150 }, () => "is:Class=Mage").join("&"));
    expect([filter.criteria, problems]).toEqual([[{ name: "Class", values: ["Mage"] }], []]);
  });

  it("holds a value once that the database stores as another", () => {
    expect(read("?is:Class%00=M%00&is:Class%EF%BF%BD=M%EF%BF%BD").filter.criteria).toEqual([
      { name: "Class\uFFFD", values: ["M\uFFFD"] },
    ]);
  });

  it("goes by the first value of a field that holds one, which is the one that is shown", () => {
    const { filter, query, field, conditions } = read(
      "?q=a&from:Level=1&q=b&locked=true&from:Level=5&to:Level=9&locked=false&to:Level=7",
    );

    expect([filter.text, filter.locked, filter.ranges]).toEqual([
      "a",
      true,
      [{ name: "Level", from: 1, to: 9 }],
    ]);
    expect([field("q"), field("from:Level"), field("to:Level")]).toEqual(["a", "1", "9"]);
    expect(query).toBe("q=a&from%3ALevel=1&locked=true&to%3ALevel=9");
    expect(conditions).toHaveLength(3);
  });
});

describe("an address", () => {
  it("stays what it is when it is read and written again, but for what is not ours", () => {
    const { query } = read("?utm=x&q=a+b&is%3AClass=Mage&to%3ALevel=&is%3ATitle=&locked=true&cursor=abc");
    expect(query).toBe("q=a+b&is%3AClass=Mage&is%3ATitle=&locked=true");
    expect(read(query).query).toBe(query);
  });

  it("may hold as many conditions as the API takes, and says when it holds more", () => {
    const conditions = (count: number) =>
      read(Array.from({ length: count }, (_, index) => `is:t${index}=x`).join("&"));

    expect(conditions(20).filter.criteria).toHaveLength(20);
    expect(conditions(21).problems).toEqual(["has 21 criteria; the limit is 20"]);
    expect(read(`q=${"x".repeat(201)}`).problems).toEqual(["q: has 201 characters; the limit is 200"]);
  });
});

describe("a range whose ends are one value", () => {
  it.each([
    ["from:Level=33&to:Level=33", "33"],
    ["from:Level=33&to:Level=34", "33 to 34"],
    ["from:Born=2023-07-06&to:Born=2023-07-06", "6 Jul 2023"],
    ["from:Born=2023-07-06&to:Born=2023-07-07", "6 Jul 2023 to 7 Jul 2023"],
  ])("is named once: %s", (query, text) => {
    expect(chipsOf(read(query)).map((chip) => chip.text)).toEqual([text]);
  });
});

describe("an address without its conditions", () => {
  it.each([
    ["q=a&sort=rarity&is:Class=Mage", "sort=rarity"],
    ["q=a&is:sort=x", ""],
    ["q=a&sort=by_luck", ""],
  ])("keeps an order that is understood: %s", (query, without) => {
    expect(withoutConditions(read(query))).toBe(without);
  });
});

describe("a field of the form", () => {
  const lines = fc.string({ unit: fc.constantFrom("a", "%", "*", ":", "&", "\n", "\r", "\r\n", "語") });
  /** As an HTML parser reads an attribute, and as a form is then sent. */
  const sent = (value: string): string => value.replace(/\r\n?/g, "\n").replace(/\r\n|\r|\n/g, "\r\n");

  it("brings back its trait and its value, line breaks included", () => {
    fc.assert(
      fc.property(lines, lines, (trait, value) => {
        const entry = [`is:${trait}`, value] as const;
        const [name, text] = fieldOf(entry).map(sent) as [string, string];

        expect(readQuery(new URLSearchParams([[name, text]])).entries).toEqual([entry]);
      }),
    );
  });

  it.each(["from", "to"])("brings back the trait of a bound that is typed into it: %s", (end) => {
    const [name = ""] = fieldOf([`${end}:a\r\nb%`, ""]).map(sent);

    expect(readQuery(new URLSearchParams([[name, "5"]])).entries).toEqual([[`${end}:a\r\nb%`, "5"]]);
  });

  it("is named as in a link where a form changes nothing of it", () => {
    expect(fieldOf(["is:Class", "100% *"])).toEqual(["is:Class", "100% *"]);
    expect(fieldOf(["q", "a\nb"])).toEqual(["q", "a\nb"]);
  });

  it("is taken as it is if it is no percent-encoding", () => {
    expect(read("is*:%25=%25E4").filter.criteria).toEqual([{ name: "%", values: ["%E4"] }]);
  });
});
