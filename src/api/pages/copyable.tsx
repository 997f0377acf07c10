/** Values too long to read or select by hand, with a button that copies them. A script shows it where it works. */

import { type Site, walletPath } from "./env.ts";
import { shortAddress } from "./text.tsx";

export const CopyButton = ({ value, what }: { value: string; what: string }) => (
  <button type="button" class="copy" data-copy={value} aria-label={`Copy ${what}`} />
);

/** A complete value. */
export const Whole = ({ value, what }: { value: string; what: string }) => (
  <span class="whole">
    <code>{value}</code>
    <CopyButton value={value} what={what} />
  </span>
);

/** Announces that something was copied; one per page for all its buttons. */
export const Copied = () => <p id="copied" class="visually-hidden" role="status" />;

interface WalletProps {
  readonly site: Site;
  readonly address: string;
}

/** A wallet, linked to its page. */
export const Wallet = ({ site, address }: WalletProps) => (
  <span class="nowrap">
    <a class="mono" href={site.to(walletPath(address))} title={address}>
      {shortAddress(address)}
    </a>
    <CopyButton value={address} what={shortAddress(address)} />
  </span>
);
