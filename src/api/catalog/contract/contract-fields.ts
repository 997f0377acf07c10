/** What a collection shows of its contract's document (ERC-7572), and of its royalty (ERC-2981). */

import { ZERO_ADDRESS } from "../../chain/index/transfer-kind.ts";
import { reachableUrl } from "../../fetch/reachable-url.ts";
import { webHostOf } from "../../media/rules.ts";
import { parseUrl } from "../../text/parse-url.ts";
import { storable } from "../../text/storable.ts";

export interface ContractFields {
  readonly name: string | null;
  readonly description: string | null;
  readonly avatar: string | null;
  readonly banner: string | null;
  readonly website: string | null;
}

export interface Royalty {
  readonly receiver: string;
  /** 0 to 100. */
  readonly percent: number;
}

export const noFields: ContractFields = {
  name: null,
  description: null,
  avatar: null,
  banner: null,
  website: null,
};

// As for what the creators submit.
const NAME_CHARACTERS_MAX = 100;
const DESCRIPTION_CHARACTERS_MAX = 1_000;
const LINK_CHARACTERS_MAX = 2_048;

/** The price that royalties are asked for; the answer is in hundredths of a percent. */
export const SALE_PRICE = 10_000n;

/**
 * The fields of a document, whatever it holds: a field of another type, or a link that pages can't use, is null. IPFS
 * links lead to the first gateway.
 */
export function readFields(document: unknown, gateways: readonly string[]): ContractFields {
  if (typeof document !== "object" || document === null || Array.isArray(document)) return noFields;
  const values = document as Readonly<Record<string, unknown>>;
  const text = (name: string, max: number): string | null => {
    const value = values[name];
    if (typeof value !== "string" || value.trim() === "") return null;
    // Cut at a character, never inside one.
    return storable([...value.trim().slice(0, 2 * max)].slice(0, max).join(""));
  };
  const link = (...names: readonly string[]): string | null => {
    for (const name of names) {
      const value = values[name];
      if (typeof value !== "string" || value.length > LINK_CHARACTERS_MAX) continue;
      // Names in IPFS paths may be written without escapes.
      const url = parseUrl(reachableUrl(value.trim(), gateways) ?? "")?.href;
      if (url !== undefined && url.length <= LINK_CHARACTERS_MAX && webHostOf(url) !== undefined) return url;
    }
    return null;
  };
  return {
    name: text("name", NAME_CHARACTERS_MAX),
    description: text("description", DESCRIPTION_CHARACTERS_MAX),
    avatar: link("image", "image_url"),
    banner: link("banner_image", "banner_image_url", "banner"),
    website: link("external_link", "external_url"),
  };
}

/**
 * The collection's default royalty: the most frequent of its tokens' answers to `royaltyInfo(id, 10000)`. Null without
 * a receiver, and where the contract asks for more than the price.
 */
export function royaltyOf(
  answers: readonly { readonly receiver: string; readonly amount: bigint }[],
): Royalty | null {
  const counts = new Map<string, { readonly royalty: Royalty | null; times: number }>();
  for (const { receiver, amount } of answers) {
    const key = `${receiver.toLowerCase()} ${amount}`;
    const isValid = amount <= SALE_PRICE && receiver !== ZERO_ADDRESS;
    const royalty = isValid ? { receiver: receiver.toLowerCase(), percent: Number(amount) / 100 } : null;
    const known = counts.get(key) ?? { royalty, times: 0 };
    known.times++;
    counts.set(key, known);
  }
  return [...counts.values()].toSorted((a, b) => b.times - a.times)[0]?.royalty ?? null;
}
