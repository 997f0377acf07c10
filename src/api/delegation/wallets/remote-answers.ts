/** The response formats of deployed registries (docs.delegate.xyz, and the clients that read them). */

import { z } from "zod";
import { parseAddress } from "../../../domain/token-ref.ts";
import { type ForeignRecord, foreignTypes } from "../registry/record.ts";

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
type Delegated = RemoteRecord & { readonly type: ForeignRecord["type"] };

/** An array of delegations; NONE is the type of one that no longer exists. */
export const recordsSchema = z.array(record).transform((all) =>
  all
    .filter((each): each is Delegated => each.type !== "NONE")
    .map(({ type, from, to, contract, tokenId, rights, amount }): ForeignRecord => {
      return {
        type,
        from,
        to,
        // Delegations without a contract set it to null, omit it, or pad it with zeros.
        contract: type === "ALL" ? null : (contract ?? null),
        tokenId: type === "ALL" || type === "CONTRACT" || type === "ERC20" ? null : (tokenId ?? null),
        rights: rights?.toLowerCase() ?? null,
        amount: amount ?? null,
      };
    }),
);

/** An array, or only whether the whole wallet is delegated. */
export const betweenSchema = z.union([z.boolean(), recordsSchema]);

/**
 * Parses JSON whose ids and amounts may be numbers above 2^53, which JSON.parse would round. Strings are safe: inside
 * them, the quotes that the pattern needs are escaped.
 */
export const parseExact = (text: string): unknown =>
  JSON.parse(text.replace(/"(tokenId|amount)"(\s*:\s*)([0-9]+)(?=\s*[,}])/g, '"$1"$2"$3"'));
