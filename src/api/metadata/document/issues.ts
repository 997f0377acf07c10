/** The closed set of metadata issues: one table for code, README and OpenAPI. */

export type IssueLevel = "error" | "warning" | "info";

/**
 * `error`: a required part is missing or unreadable. `warning`: something is not shown. `info`: nothing is lost, but
 * the owner may want to know.
 */
export const issueTable = {
  not_an_object: { level: "error", meaning: "The document is not a JSON object." },
  missing_name: { level: "error", meaning: "`name` is required and is missing, blank or not a string." },
  missing_image: { level: "error", meaning: "`image` is required and is missing, blank or not a string." },
  unusable_image: {
    level: "error",
    meaning:
      "`image` can never be loaded: it has no scheme or an unknown one, or is malformed, such as `ipfs://` without a CID; it is kept, and no page can show it.",
  },
  wrong_type: {
    level: "warning",
    meaning: "An optional field is not a string; it is ignored.",
  },
  unusable_url: {
    level: "warning",
    meaning:
      "`video` or `animation_url` is not an http, https or ipfs URL, or `image` is a `data:` or `ar:` URI; it is kept, and no page can show it.",
  },
  attributes_and_properties: { level: "warning", meaning: "Both are present; `properties` is ignored." },
  attributes_not_array: { level: "warning", meaning: "`attributes` is not an array; it is ignored." },
  properties_not_object: { level: "warning", meaning: "`properties` is not an object; it is ignored." },
  entry_not_object: { level: "warning", meaning: "An attribute entry is not an object; it is ignored." },
  missing_trait_type: {
    level: "warning",
    meaning: "An attribute entry has no `trait_type` string; it is ignored.",
  },
  missing_value: { level: "warning", meaning: "An attribute entry has no `value`; it is ignored." },
  unknown_display_type: {
    level: "warning",
    meaning: "`display_type` is not one of string, number, date, bool; the entry is ignored.",
  },
  value_mismatch: {
    level: "warning",
    meaning: "`value` does not match `display_type`; the entry is ignored.",
  },
  invalid_date: {
    level: "warning",
    meaning: "A `date` is not a whole number of Unix seconds; the entry is ignored.",
  },
  invalid_max_value: {
    level: "warning",
    meaning: "`max_value` is not a number or is below `value`; it is ignored.",
  },
  invalid_property: {
    level: "warning",
    meaning: "A property is neither a string nor a finite number; it is ignored.",
  },
  number_precision: {
    level: "warning",
    meaning:
      "A number is not kept as it is written but as the nearest IEEE 754 double, or a number attribute is beyond 2^53, where not every integer is one.",
  },
  too_many_traits: {
    level: "warning",
    meaning: "The document has more than 1,000 traits; those after the first 1,000 are ignored.",
  },
  display_type_conflict: {
    level: "warning",
    meaning:
      "The trait type is known with another `display_type`; the entry, which the message names by its trait type and value, is hidden until the operator approves it.",
  },
} as const satisfies Record<string, { level: IssueLevel; meaning: string }>;

export type IssueCode = keyof typeof issueTable;

export interface Issue {
  readonly code: IssueCode;
  readonly level: IssueLevel;
  /** The path in the document, such as `attributes[3].value`; empty for the whole document. */
  readonly path: string;
  readonly message: string;
}

export function issue(code: IssueCode, path: string, message: string): Issue {
  return { code, level: issueTable[code].level, path, message };
}

// A 2 MiB document can contain a million bad entries; each issue is held in memory, stored and returned.
export const ISSUES_MAX = 200;

/** Collects issues; beyond the limit they are only counted, in the last one's message. */
export interface IssueList {
  add(code: IssueCode, path: string, message: string): void;
  list(): readonly Issue[];
}

export function createIssueList(first: readonly Issue[] = []): IssueList {
  const listed: Issue[] = [...first];
  let more = 0;
  return {
    add(code, path, message) {
      if (listed.length < ISSUES_MAX) listed.push(issue(code, path, message));
      else more++;
    },
    list() {
      const last = listed.at(-1);
      if (more === 0 || !last) return listed;
      return [...listed.slice(0, -1), { ...last, message: `${last.message}; ${more} more are not listed` }];
    },
  };
}

/** Appends issues within the same limit. */
export function addIssues(issues: readonly Issue[], more: readonly Issue[]): readonly Issue[] {
  const list = createIssueList(issues);
  for (const { code, path, message } of more) list.add(code, path, message);
  return list.list();
}
