/** Any tokens, filters and sorts, drawn from few names and values so that they overlap. */

import fc from "fast-check";
import type { DisplayType, Trait } from "../../../src/api/metadata/document/traits.ts";
import type { NameQuery, TokenFilter, TokenSort, ValuePrefix } from "../../../src/api/search/query.ts";

const TOKEN_IDS = ["0", "1", "9", "10", "9007199254740993", "9007199254740992", (2n ** 256n - 1n).toString()];
export const OWNERS = [
  "0x00000000000000000000000000000000000000aa",
  "0x00000000000000000000000000000000000000bb",
];
const DOCUMENTS = ["0000000000000001", "8000000000000000", "ffffffff00000000"].map((start) =>
  start.padEnd(64, "a"),
);
const TEXTS = ["", "0", "mage", "Mage", "Ma", "é", "e\u0301", "İ", "💎", "\uFFFD", "%", "true"];
const NUMBERS = [0, -7.5, 3, 30, 1e21];

export const tokenId = fc.oneof(fc.constantFrom(...TOKEN_IDS), fc.nat(40).map(String));
export const traitType = fc.constantFrom("Level", "level", "Élan ");
export const displayType = fc.constantFrom<DisplayType>("string", "number", "date", "bool");

const typed = (display_type: DisplayType, value: fc.Arbitrary<Trait["value"]>): fc.Arbitrary<Trait> =>
  fc.record({ trait_type: traitType, display_type: fc.constant(display_type), value });
export const trait: fc.Arbitrary<Trait> = fc.oneof(
  typed("string", fc.constantFrom(...TEXTS)),
  typed("number", fc.constantFrom(...NUMBERS)),
  typed("date", fc.constantFrom(0, -1)),
  typed("bool", fc.boolean()),
);

const text = fc.option(fc.constantFrom(...TEXTS, "Hero 2", "hero 10"), { nil: null });

export const token = fc.record({
  tokenId,
  name: text,
  description: text,
  servedAt: fc.option(fc.nat(5), { nil: null }),
  sinceBlock: fc.option(fc.nat(5), { nil: null }),
  traits: fc.array(trait, { maxLength: 5 }),
  burned: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
  locked: fc.boolean(),
  document: fc.option(fc.constantFrom(...DOCUMENTS), { nil: null }),
  owner: fc.constantFrom(...OWNERS),
  delegatedTo: fc.option(fc.constantFrom(...OWNERS), { nil: undefined }),
});

const range = fc.record(
  { name: traitType, from: fc.constantFrom(...NUMBERS), to: fc.constantFrom(...NUMBERS) },
  { requiredKeys: ["name"] },
);

const criterion = fc.record({
  name: traitType,
  values: fc.array(fc.constantFrom(...TEXTS, ...NUMBERS.map(String), "false"), { maxLength: 6 }),
});
const conditions = {
  criteria: fc.array(criterion, { maxLength: 2 }),
  ranges: fc.array(range, { maxLength: 1 }),
  text: fc.constantFrom(...TEXTS, "HERO", "ro 1"),
  name: fc.constantFrom("", "HERO", "a", "ro 1"),
  owners: fc.uniqueArray(fc.constantFrom(...OWNERS), { minLength: 1 }),
  includeDelegated: fc.boolean(),
  locked: fc.boolean(),
};
const none: TokenFilter = { criteria: [], ranges: [] };
const one = Object.entries(conditions).map(([name, condition]) =>
  fc
    .record({ [name]: condition as fc.Arbitrary<unknown> })
    .map((given): TokenFilter => ({ ...none, ...given })),
);

export const valuePrefix: fc.Arbitrary<ValuePrefix> = fc.record({
  name: fc.oneof({ weight: 5, arbitrary: traitType }, fc.constant("None")),
  prefix: fc.constantFrom("", "m", "MA", "é", "3", "-", "t", "x", "\uFFFD", "\0"),
  limit: fc.integer({ min: 1, max: 7 }),
});

export const nameQuery: fc.Arbitrary<NameQuery> = fc.record(
  {
    text: fc.constantFrom("m", "MA", "mage", "hero", "HERO 1", "o", "2", "\uFFFD", "zz", "\0"),
    tokenId,
    limit: fc.integer({ min: 1, max: 7 }),
  },
  { requiredKeys: ["text", "limit"] },
);

/** None, one, or many conditions: many match hardly anything. */
export const filter: fc.Arbitrary<TokenFilter> = fc.oneof(
  fc.constant(none),
  fc.oneof(...one),
  fc.record(conditions, { requiredKeys: ["criteria", "ranges"] }),
);

export const sort: fc.Arbitrary<TokenSort> = fc.oneof(
  fc.record({ by: fc.constantFrom("id" as const, "name" as const), descending: fc.boolean() }),
  fc.record({ by: fc.constantFrom("latest" as const, "updated" as const, "rarity" as const) }),
  fc.record({ by: fc.constant("trait" as const), name: traitType, descending: fc.boolean() }),
);
