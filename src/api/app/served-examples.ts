/** Examples that work: those of the served collections in place of the ones that the routes are written with. */

import { collectionKey } from "../../domain/token-ref.ts";
import { EXAMPLE_ADDRESS, EXAMPLE_CHAIN_ID } from "../http/fields.ts";
import type { ServedCollections } from "./openapi.ts";

const CHAIN_PARAMETERS = new Set(["chain_id", "chainId"]);

/**
 * The document with the first served collection in its examples. Where one chain is served, it is the default of each
 * chain parameter; where there are several, they are named. Without collections the document is returned as it is.
 */
export function withServedExamples<Document extends object>(
  document: Document,
  collections: ServedCollections,
): Document {
  const [first] = collections;
  if (!first) return document;
  const chains = [...new Set(collections.map(({ chainId }) => chainId))];
  const examples = new Map<unknown, unknown>([
    [EXAMPLE_CHAIN_ID, first.chainId],
    [EXAMPLE_ADDRESS, first.address],
    [collectionKey({ chainId: EXAMPLE_CHAIN_ID, address: EXAMPLE_ADDRESS }), collectionKey(first)],
  ]);
  const served = (key: string, value: unknown): unknown => {
    if (key === "example") return examples.get(value) ?? value;
    return isChainParameter(value) ? withChains(value, chains) : value;
  };
  return JSON.parse(JSON.stringify(document, served)) as Document;
}

interface ChainParameter {
  readonly schema: { readonly description?: string };
  readonly description?: string;
}

const isChainParameter = (value: unknown): value is ChainParameter =>
  typeof value === "object" &&
  value !== null &&
  "in" in value &&
  "schema" in value &&
  CHAIN_PARAMETERS.has((value as { name?: string }).name ?? "");

function withChains(parameter: ChainParameter, chains: readonly number[]): ChainParameter {
  const [only] = chains;
  const said = parameter.description ?? parameter.schema.description ?? "";
  return {
    ...parameter,
    description: `${said} Served: ${chains.join(", ")}.`.trim(),
    schema: { ...parameter.schema, ...(chains.length === 1 && { default: only }) },
  };
}
