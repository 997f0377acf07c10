/** What the search box of the bar suggests: options of a list, each a link. */

import type { PropsWithChildren } from "hono/jsx";
import type { CollectionView } from "../../catalog/collection-view.ts";
import type { TokenView } from "../../catalog/tokens/token-view.ts";
import { shortAddress } from "../../ui/short-address.ts";
import { words } from "../../ui/visitor.ts";
import { chainName } from "../chains.ts";
import { collectionName } from "../collection/collection-list.tsx";
import { displayName } from "../collection/token-card.tsx";
import { collectionPath, picturePath, type Site, tokenPath, walletPath } from "../env.ts";
import { Foreign, Line, plain, shortId } from "../text.tsx";
import { chainOfTwin } from "../twins.ts";
import { countOf, type Shown } from "./shown.ts";

const THUMB_PX = 36;

interface SuggestionsProps {
  readonly site: Site;
  readonly text: string;
  readonly found: Shown;
  readonly wallet: string | undefined;
}

export const Suggestions = ({ site, text, found, wallet }: SuggestionsProps) => {
  const { layout, search } = words();
  const { collections, tokens } = found;
  const count = collections.length + tokens.length + (wallet === undefined ? 0 : 1);
  return (
    <>
      {/* The script announces it. */}
      <div data-said={count === 0 ? search.nothing : countOf(found, wallet)} hidden />
      {wallet !== undefined && (
        <Option id="suggested-wallet" href={site.to(walletPath(wallet))}>
          <span class="name">{search.wallet(shortAddress(wallet))}</span>
        </Option>
      )}
      {collections.length > 0 && (
        <Group id="suggested-collections" title={layout.collections}>
          {collections.map((view, at) => (
            <Option id={`suggested-collection-${at}`} href={site.to(collectionPath(view))}>
              <CollectionOption view={view} />
            </Option>
          ))}
        </Group>
      )}
      {tokens.length > 0 && (
        <Group id="suggested-tokens" title={search.tokens}>
          {tokens.map((token, at) => (
            <Option id={`suggested-token-${at}`} href={site.to(tokenPath(token))}>
              <TokenOption site={site} token={token} />
            </Option>
          ))}
        </Group>
      )}
      <Option id="suggested-all" href={`${site.to("/search")}?${new URLSearchParams({ q: text })}`}>
        <span class="name soft">{count === 0 ? search.nothing : search.all(plain(text))}</span>
      </Option>
    </>
  );
};

const Group = ({ id, title, children }: PropsWithChildren<{ id: string; title: string }>) => (
  // biome-ignore lint/a11y/useSemanticElements: a group of a list's options (WAI-ARIA 1.2), not of fields.
  <div role="group" aria-labelledby={id}>
    <div id={id} class="group-name" role="presentation">
      {title}
    </div>
    {children}
  </div>
);

// The arrow keys of the field reach it, as in any combobox.
const Option = ({ id, href, children }: PropsWithChildren<{ id: string; href: string }>) => (
  <a role="option" id={id} href={href} tabindex={-1}>
    {children}
  </a>
);

const CollectionOption = ({ view }: { view: CollectionView }) => (
  <>
    <Line class="name" text={collectionName(view)} max={100} />
    <span class="soft small">{chainName(view.chain_id)}</span>
  </>
);

const TokenOption = ({ site, token }: { site: Site; token: TokenView }) => {
  const { chain_id: chainId, collection_address: address, image } = token;
  const collection = site.collections.all.find(
    (each) => each.chainId === chainId && each.address === address,
  );
  const smallest = image.variants.at(-1)?.url ?? image.url;
  const picture = image.status === "cached" ? picturePath(site, smallest) : undefined;
  const chain = chainOfTwin(site, token);
  return (
    <>
      {picture === undefined ? (
        <span class="thumb" />
      ) : (
        <img class="thumb" src={picture} alt="" width={THUMB_PX} height={THUMB_PX} />
      )}
      <Line class="name" text={displayName(token)} max={120} />
      <span class="soft small">
        <Foreign text={collection?.name ?? `#${shortId(token.token_id)}`} max={60} />
      </span>
      {chain !== undefined && <span class="soft small">{chain}</span>}
    </>
  );
};
