/** Tokens in a grid: cached image, name, id, and a badge if locked. */

import type { TokenView } from "../../catalog/tokens/token-view.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Badge } from "../../ui/parts.tsx";
import { shortAddress } from "../../ui/short-address.ts";
import { words } from "../../ui/visitor.ts";
import { picturePath, type Site, tokenPath, walletPath } from "../env.ts";
import { placeholderUrl } from "../placeholder.ts";
import { formatAmount, Line, plain, shortId } from "../text.tsx";
import { chainOfTwin } from "../twins.ts";

/** Pictures are cached at this size, whatever the original's. */
export const PICTURE_PX = 480;

// As many as fit above the fold on most screens.
const EAGER = 4;

/**
 * How wide pictures are shown, for `sizes`. Cards are up to 15rem wide. Phones get variants of 240 pixels whatever their
 * density, as if cards were narrower: 24 variants of 480 pixels are too much for a mobile connection.
 */
const CARD_SIZES = "(max-width: 30rem) 80px, 240px";
export const STAGE_SIZES = `${PICTURE_PX}px`;

/** A token's picture, or a note on why there is none. Its space is reserved, so nothing moves when it loads. */
export const Picture = ({
  site,
  token,
  alt = "",
  sizes = CARD_SIZES,
  isEager = false,
}: {
  site: Site;
  token: Pick<TokenView, "image" | "metadata">;
  alt?: string;
  sizes?: string;
  isEager?: boolean;
}) => {
  const { status, url, placeholder, variants } = token.image;
  const path = status === "cached" ? picturePath(site, url) : undefined;
  const isUnread = status === "none" && token.metadata.version === null;
  if (path === undefined) {
    const reading = token.metadata.status === "failed" ? "failed" : "unread";
    return <span class="no-picture">{words().pictures[isUnread ? reading : status]}</span>;
  }
  const behind = placeholder === null ? undefined : placeholderUrl(placeholder);
  const srcset = variants.flatMap((variant) => {
    const source = picturePath(site, variant.url);
    return source === undefined ? [] : `${source} ${variant.width}w`;
  });
  return (
    <>
      {behind !== undefined && (
        // Not an <img>, which scripts and assistive technology would take for a picture of the page.
        <svg class="placeholder" viewBox="0 0 8 8" aria-hidden="true">
          <image href={behind} width={8} height={8} />
        </svg>
      )}
      <picture>
        {srcset.length > 0 && <source type="image/webp" srcset={srcset.join(", ")} sizes={sizes} />}
        <img
          src={path}
          alt={alt}
          width={PICTURE_PX}
          height={PICTURE_PX}
          loading={isEager ? "eager" : "lazy"}
          decoding="async"
          data-missing={sizes === STAGE_SIZES ? words().pictures.missing : undefined}
        />
      </picture>
    </>
  );
};

/** A token's display name: its name, or its id if it has none. */
export const displayName = ({ name, token_id }: Pick<TokenView, "name" | "token_id">): string =>
  name && plain(name) !== "" ? name : words().card.unnamed(shortId(token_id));

/** A token's rank among all, in words. */
export const rarityText = ({ rank, of }: NonNullable<TokenView["rarity"]>): string =>
  words().card.rarity(formatNumber(rank), formatNumber(of));

export const TokenGrid = ({
  site,
  tokens,
  held,
  isFirstPage,
  isMixed = false,
}: {
  site: Site;
  tokens: readonly TokenView[];
  /** How many of each the wallet has whose tokens these are. */
  held?: readonly string[];
  isFirstPage: boolean;
  /** Tokens of several collections: where two have one name, each card names its chain. */
  isMixed?: boolean;
}) => (
  <ul class="tokens" id="grid">
    {tokens.map((token, at) => (
      <li class="token-card">
        <TokenLink
          site={site}
          token={token}
          isEager={isFirstPage && at < EAGER}
          chain={isMixed ? chainOfTwin(site, token) : undefined}
        />
        {held ? <Held token={token} quantity={held[at]} /> : <Holder site={site} token={token} />}
      </li>
    ))}
  </ul>
);

interface TokenLinkProps {
  readonly site: Site;
  readonly token: TokenView;
  readonly isEager: boolean;
  readonly chain: string | undefined;
}

const TokenLink = ({ site, token, isEager, chain }: TokenLinkProps) => {
  const { card } = words();
  const name = displayName(token);
  return (
    <a class="token" href={site.to(tokenPath(token))}>
      <span class="frame">
        <Picture site={site} token={token} isEager={isEager} />
        {token.lock.locked && (
          <span class="lock-badge">
            <Badge tone="warn">{card.locked}</Badge>
          </span>
        )}
      </span>
      <Line class="token-name" text={name} max={120} title={plain(name)} />
      <span class="token-facts">
        <span class="token-id">{`#${shortId(token.token_id)}`}</span>
        {token.rarity && (
          <span class="token-rarity" title={rarityText(token.rarity)}>
            {card.rank(formatNumber(token.rarity.rank))}
          </span>
        )}
      </span>
      {chain !== undefined && <span class="token-facts token-chain">{chain}</span>}
    </a>
  );
};

/** On the page of a wallet, which needs no link to itself: of how many this one is, if there can be several. */
const Held = ({ token, quantity }: { token: TokenView; quantity: string | undefined }) => {
  const { standard, supply } = token;
  if (standard !== "erc1155" || quantity === undefined) return null;
  const of = supply ? formatAmount(supply) : undefined;
  return <p class="token-owner">{words().card.held(formatAmount(quantity), of)}</p>;
};

/** Outside of the link to the token, because it leads to a wallet. */
const Holder = ({ site, token }: { site: Site; token: TokenView }) => {
  const { card } = words();
  const { standard, owner, supply } = token;
  if (standard === "erc1155")
    return supply ? <p class="token-owner">{card.supply(formatAmount(supply))}</p> : null;
  if (!owner) return null;
  return (
    <p class="token-owner">
      {card.owner}{" "}
      <a href={site.to(walletPath(owner))} title={owner}>
        {shortAddress(owner)}
      </a>
    </p>
  );
};
