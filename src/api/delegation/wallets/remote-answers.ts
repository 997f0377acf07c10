/** The shapes that deployed registries answer in (docs.delegate.xyz, and the clients that read them). */

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

/** An array of delegations; NONE is how a registry names what is no delegation any more. */
export const recordsSchema = z.array(record).transform((all) =>
  all
    .filter((each): each is Delegated => each.type !== "NONE")
    .map(({ type, from, to, contract, tokenId, rights, amount }): ForeignRecord => {
      return {
        type,
        from,
        to,
        // Those that have no contract write null, leave it out, or pad it with zeros.
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
 * Reads JSON whose ids and amounts may be numbers past 2^53, which JSON.parse would round. Inside a text, the quotes that
 * are looked for have a backslash before them.
 */
export const parseExact = (text: string): unknown =>
  JSON.parse(text.replace(/"(tokenId|amount)"(\s*:\s*)([0-9]+)(?=\s*[,}])/g, '"$1"$2"$3"'));
