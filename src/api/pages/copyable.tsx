/** Values too long to read or select by hand, with a button that copies them. A script shows it where it works. */

import { shortAddress } from "../ui/short-address.ts";
import { words } from "../ui/visitor.ts";
import { explorerUrl } from "./chains.ts";
import { type Site, walletPath } from "./env.ts";

const CopyButton = ({ value, what }: { value: string; what: string }) => (
  <button type="button" class="copy" data-copy={value} aria-label={words().copy.button(what)} />
);

/** A complete value, linked if there is a page for it. */
export const Whole = ({ value, what, href }: { value: string; what: string; href?: string | undefined }) => (
  <span class="whole">
    {href === undefined ? (
      <code>{value}</code>
    ) : (
      <a class="mono" href={href} rel={relOf(href)}>
        {value}
      </a>
    )}
    <CopyButton value={value} what={what} />
  </span>
);

/** Announces that something was copied; one per page for all its buttons. */
export const Copied = () => (
  <p
    id="copied"
    class="visually-hidden"
    role="status"
    data-done={words().copy.done}
    data-failed={words().copy.failed}
  />
);

// A block explorer learns nothing of the visitor's page.
const relOf = (href: string): string | undefined =>
  href.startsWith("/") ? undefined : "nofollow noopener noreferrer";

interface ContractProps {
  readonly chainId: number;
  readonly address: string;
  /** What its button copies. */
  readonly what: string;
}

/** A contract, linked to the chain's block explorer. */
export const Contract = ({ chainId, address, what }: ContractProps) => {
  const href = explorerUrl(chainId, "address", address);
  return (
    <span class="nowrap">
      {href === undefined ? (
        <code title={address}>{shortAddress(address)}</code>
      ) : (
        <a class="mono" href={href} rel={relOf(href)} title={address}>
          {shortAddress(address)}
        </a>
      )}
      <CopyButton value={address} what={what} />
    </span>
  );
};

const HASH_CHARACTERS = 10;

/** A transaction, linked to the chain's block explorer. */
export const Transaction = ({ chainId, hash }: { chainId: number; hash: string }) => {
  const href = explorerUrl(chainId, "tx", hash);
  const text = `${hash.slice(0, HASH_CHARACTERS)}…`;
  return (
    <span class="nowrap">
      {href === undefined ? (
        <code title={hash}>{text}</code>
      ) : (
        <a class="mono" href={href} rel={relOf(href)} title={hash}>
          {text}
        </a>
      )}
      <CopyButton value={hash} what={words().copy.transaction} />
    </span>
  );
};

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
