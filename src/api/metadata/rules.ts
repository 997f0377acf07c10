/** The pure rules of metadata that other modules share. Loading it starts and opens nothing. */

export { issueSchema } from "./document/issue-schema.ts";
export { describe, storable } from "./document/json.ts";
export { NORMALISER } from "./document/normalise.ts";
export { numberSources } from "./document/number-source.ts";
export { displayTypes, valueText } from "./document/traits.ts";
export { showVersion } from "./traits/shown-traits.ts";
export { textKey } from "./traits/text-key.ts";
export { burnedIn, burnedReason } from "./uri/burned.ts";
