/** Values that are too long to be read or marked by hand: a button copies them whole. Scripts show it where it works. */

import { collectionPath, type Site } from "./env.ts";
import { shortAddress } from "./text.tsx";

export const CopyButton = ({ value, what }: { value: string; what: string }) => (
  <button type="button" class="copy" data-copy={value} aria-label={`Copy ${what}`} />
);

/** A value in full. */
export const Whole = ({ value, what }: { value: string; what: string }) => (
  <span class="whole">
    <code>{value}</code>
    <CopyButton value={value} what={what} />
  </span>
);

/** Where a page tells that something was copied; one for all its buttons. */
export const Copied = () => <p id="copied" class="visually-hidden" role="status" />;

interface WalletProps {
  readonly site: Site;
  readonly token: { readonly chain_id: number; readonly collection_address: string };
  readonly address: string;
}

/** A wallet, leading to what it holds of the collection. */
export const Wallet = ({ site, token, address }: WalletProps) => (
  <span class="nowrap">
    <a class="mono" href={`${site.to(collectionPath(token))}?owner=${address}`} title={address}>
      {shortAddress(address)}
    </a>
    <CopyButton value={address} what={shortAddress(address)} />
  </span>
);
