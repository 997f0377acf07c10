/** The response formats of deployed registries (docs.delegate.xyz, and the clients that read them). */

import { z } from "zod";
import { parseAddress } from "../../../domain/token-ref.ts";
import { type ForeignRecord, foreignTypes } from "../registry/record.ts";
import { EMPTY_RIGHTS } from "../registry/rights.ts";

const address = z.string().transform((text, context) => {
  const parsed = parseAddress(text);
  if (parsed) return parsed;
  context.addIssue({ code: "custom", message: "is not an address" });
  return z.NEVER;
});
const uint = z.union([z.string().regex(/^[0-9]{1,78}$/), z.int().nonnegative().transform(String)]);

const record = z.object({
  type: z.enum(["NONE", ...foreignTypes]),
  from: address,
  to: address,
  contract: address.nullish(),
  tokenId: uint.nullish(),
  rights: z.string().nullish(),
  amount: uint.nullish(),
});

type RemoteRecord = z.output<typeof record>;

export interface RemoteRecords {
  readonly records: readonly ForeignRecord[];
  /** How many records could not be read. */
  readonly unreadable: number;
}

/**
 * An array of delegations; NONE is the type of one that no longer exists. A record that can't be read hides no other,
 * but an answer in which none can be read is of a shape that is not known.
 */
export const recordsSchema = z.array(z.unknown()).transform((all, context): RemoteRecords => {
  const read = all.flatMap((each) => record.safeParse(each).data ?? []);
  if (all.length > 0 && read.length === 0) {
    context.addIssue({ code: "custom", message: "has no record that can be read" });
    return z.NEVER;
  }
  return { records: read.flatMap(asForeign), unreadable: all.length - read.length };
});

function asForeign({ type, from, to, contract, tokenId, rights, amount }: RemoteRecord): ForeignRecord[] {
  if (type === "NONE") return [];
  return [
    {
      type,
      from,
      to,
      // Delegations without a contract set it to null, omit it, or pad it with zeros.
      contract: type === "ALL" ? null : (contract ?? null),
      tokenId: type === "ALL" || type === "CONTRACT" || type === "ERC20" ? null : (tokenId ?? null),
      rights: rights === "" || rights === "0x" ? EMPTY_RIGHTS : (rights?.toLowerCase() ?? null),
      amount: amount ?? null,
    },
  ];
}

/** An array, or only whether the whole wallet is delegated. */
export const betweenSchema = z.union([z.boolean(), recordsSchema]);

/**
 * Parses JSON whose ids and amounts may be numbers above 2^53, which JSON.parse would round. Strings are safe: inside
 * them, the quotes that the pattern needs are escaped.
 */
export const parseExact = (text: string): unknown =>
  JSON.parse(text.replace(/"(tokenId|amount)"(\s*:\s*)([0-9]+)(?=\s*[,}])/g, '"$1"$2"$3"'));
