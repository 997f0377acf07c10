/** The rows of an export: tokens with traits and lock state, or owners; and their columns in flat formats. */

import { valueText } from "../../metadata/rules.ts";
import type { Owner } from "../holders/owners-store.ts";
import type { TokenView } from "../tokens/token-view.ts";

type ExportedTrait = Omit<TokenView["traits"][number], "count" | "percentage">;

/** A token as its own route answers it, without what depends on other tokens, on the page or on the caller's moment. */
export type ExportedToken = Pick<
  TokenView,
  | "chain_id"
  | "collection_address"
  | "token_id"
  | "standard"
  | "owner"
  | "supply"
  | "name"
  | "description"
  | "lock"
> & {
  readonly image: Pick<TokenView["image"], "status" | "url" | "reason">;
  readonly traits: readonly ExportedTrait[];
  readonly metadata: Omit<TokenView["metadata"], "issues">;
};

export type CellType = "text" | "number" | "boolean";
/** Null and undefined are empty cells. */
export type Cell = string | number | boolean | null | undefined;

export interface Column<Row> {
  readonly name: string;
  readonly type: CellType;
  readonly of: (row: Row) => Cell;
}

const list = (values: readonly string[]): string => values.join(" ");

const tokenColumns: readonly Column<ExportedToken>[] = [
  { name: "chain_id", type: "number", of: (token) => token.chain_id },
  { name: "collection_address", type: "text", of: (token) => token.collection_address },
  { name: "token_id", type: "text", of: (token) => token.token_id },
  { name: "standard", type: "text", of: (token) => token.standard },
  { name: "owner", type: "text", of: (token) => token.owner },
  { name: "supply", type: "text", of: (token) => token.supply },
  { name: "name", type: "text", of: (token) => token.name },
  { name: "description", type: "text", of: (token) => token.description },
  { name: "image_status", type: "text", of: (token) => token.image.status },
  { name: "image_url", type: "text", of: (token) => token.image.url },
  { name: "locked", type: "boolean", of: (token) => token.lock.locked },
  { name: "lock_count", type: "number", of: (token) => token.lock.lock_count },
  { name: "lock_standards", type: "text", of: (token) => list(token.lock.standards) },
  { name: "lock_approved_contracts", type: "text", of: (token) => list(token.lock.approved_contracts) },
  { name: "locked_since_block", type: "number", of: (token) => token.lock.since_block },
  { name: "metadata_status", type: "text", of: (token) => token.metadata.status },
  { name: "metadata_reason", type: "text", of: (token) => token.metadata.reason },
  { name: "metadata_version", type: "number", of: (token) => token.metadata.version },
  { name: "content_hash", type: "text", of: (token) => token.metadata.content_hash },
  { name: "fetched_at", type: "text", of: (token) => token.metadata.fetched_at },
];

/** More trait types than this become one column of JSON: spreadsheets and readers suffer from thousands of columns. */
export const TRAIT_COLUMNS_MAX = 200;

/** So does a longer name: a writer holds its columns' names, and Parquet repeats them in each row group. */
export const TRAIT_NAME_CHARACTERS_MAX = 1_000;

/**
 * `traitNames` may have one more than `TRAIT_COLUMNS_MAX`, which means too many, and each name one character more than
 * `TRAIT_NAME_CHARACTERS_MAX`, which means too long.
 */
export function columnsOfTokens(traitNames: readonly string[]): readonly Column<ExportedToken>[] {
  const isTooLong = (name: string): boolean => [...name].length > TRAIT_NAME_CHARACTERS_MAX;
  if (traitNames.length > TRAIT_COLUMNS_MAX || traitNames.some(isTooLong))
    return [...tokenColumns, { name: "traits", type: "text", of: ({ traits }) => JSON.stringify(traits) }];
  return [
    ...tokenColumns,
    ...traitNames.map(
      (name): Column<ExportedToken> => ({
        name: `trait:${name}`,
        type: "text",
        of: ({ traits }) => traitCell(traits.filter((trait) => trait.trait_type === name)),
      }),
    ),
  ];
}

/** The value as text; several values of one type are a JSON array. */
function traitCell(traits: readonly ExportedTrait[]): Cell {
  if (traits.length > 1) return JSON.stringify(traits.map(({ value }) => value));
  return traits[0] && valueText(traits[0].value);
}

export const ownerColumns: readonly Column<Owner>[] = [
  { name: "owner", type: "text", of: ({ owner }) => owner },
  { name: "quantity", type: "text", of: ({ quantity }) => quantity },
];
