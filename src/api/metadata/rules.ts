/** The pure rules of metadata for other modules. Importing it has no side effects. */

export { issueMeanings, issueSchema } from "./document/issue-schema.ts";
export { NORMALISER } from "./document/normalise.ts";
export { isExact, numberSources } from "./document/number-source.ts";
export { displayTypes, valueText } from "./document/traits.ts";
export { showVersion } from "./traits/shown-traits.ts";
export { textKey } from "./traits/text-key.ts";
export { COUNTED_MAX } from "./traits/trait-counts.ts";
export { burnedIn, burnedReason } from "./uri/burned.ts";
