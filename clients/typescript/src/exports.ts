/** A whole collection, row by row, out of one long answer. */

import type { components } from "./api.ts";
import { parseBody, VitrineError } from "./errors.ts";
import { type CallOptions, networkErrors, type Sender } from "./request.ts";
import { type TokenId, tokenIdText } from "./token-id.ts";

type Token = components["schemas"]["Token"];

/** What belongs to the token alone; docs/exports.md describes the fields. */
export type ExportedToken = Pick<
  Token,
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
  readonly image: Pick<Token["image"], "status" | "url" | "reason">;
  readonly traits: readonly Omit<Token["traits"][number], "count" | "percentage">[];
  readonly metadata: Omit<Token["metadata"], "issues">;
};

export interface ExportedOwner {
  readonly owner: string;
  /** A decimal number. */
  readonly quantity: string;
}

interface Common extends CallOptions {
  /** Needed where several chains have the address. */
  readonly chainId?: number;
}

export interface TokenExportOptions extends Common {
  /** Only tokens after this one: the last id received resumes an export, of a newer moment. */
  readonly after?: TokenId;
  /** Inclusive. */
  readonly fromTokenId?: TokenId;
  /** Inclusive. */
  readonly toTokenId?: TokenId;
}

export interface OwnerExportOptions extends Common {
  /** Only owners after this address. */
  readonly after?: string;
  /** The owners at the end of this block. */
  readonly atBlock?: number;
}

const PATH = "/market/collections/{collection_address}/export";

/** The rows of one moment. Throws a `NETWORK` error when the answer is cut. Leaving the loop ends the request. */
async function* readRows<Row>(
  sender: Sender,
  collection: string,
  query: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Row> {
  const leave = new AbortController();
  const response = await sender.open(PATH, {
    method: "GET",
    path: { collection_address: collection },
    query: { format: "ndjson", ...query },
    headers: { accept: "application/x-ndjson" },
    signal: signal ? AbortSignal.any([signal, leave.signal]) : leave.signal,
  });
  try {
    if (!response.body) return;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await networkErrors(() => reader.read(), signal);
      if (done) break;
      const lines = (text + value).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) yield parseBody(line, "row", response.status) as Row;
    }
    if (text !== "") throw new VitrineError("The export ended within a row", { code: "NETWORK" });
  } finally {
    leave.abort();
  }
}

/** The tokens of a collection, by id. */
export function exportTokens(
  sender: Sender,
  collection: string,
  { chainId, after, fromTokenId, toTokenId, signal }: TokenExportOptions,
): AsyncGenerator<ExportedToken> {
  const text = (id: TokenId | undefined) => (id === undefined ? undefined : tokenIdText(id));
  const query = {
    what: "tokens",
    chain_id: chainId,
    after: text(after),
    from_token_id: text(fromTokenId),
    to_token_id: text(toTokenId),
  };
  return readRows(sender, collection, query, signal);
}

/** The owners of a collection, by address. */
export function exportOwners(
  sender: Sender,
  collection: string,
  { chainId, after, atBlock, signal }: OwnerExportOptions,
): AsyncGenerator<ExportedOwner> {
  const query = { what: "owners", chain_id: chainId, after, at_block: atBlock };
  return readRows(sender, collection, query, signal);
}
