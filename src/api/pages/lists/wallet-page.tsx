/** `/wallets/{address}`: a wallet's tokens in all collections, and its activity. */

import { parseAddress } from "../../../domain/token-ref.ts";
import { walletTypes } from "../../catalog/module.ts";
import { ApiError } from "../../http/errors.ts";
import { clip } from "../../http/fields.ts";
import { Card, Empty, Title } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { explorerName, explorerUrl } from "../chains.ts";
import { TokenGrid } from "../collection/token-card.tsx";
import { Copied, Whole } from "../copyable.tsx";
import { type PagesContext, type Site, walletPath } from "../env.ts";
import { render } from "../frame.tsx";
import { formatNumber, shortAddress } from "../text.tsx";
import { ACTIVITY_AT_ONCE, ActivityList, readType } from "./activity-list.tsx";
import { Pager } from "./pager.tsx";

const TOKENS_AT_ONCE = 24;

export async function walletPage(site: Site, c: PagesContext): Promise<Response> {
  const text = c.req.param("wallet") ?? "";
  const wallet = parseAddress(text);
  if (wallet === undefined) {
    const message = `"${clip(text)}" is not an address: 0x and 40 hex digits`;
    throw new ApiError("INVALID_REQUEST", [{ path: "address", message }]);
  }
  const path = walletPath(wallet);
  if (wallet !== text) return c.redirect(site.to(path), 301);

  const type = readType(c, walletTypes);
  const { tokens: tokensCursor, cursor } = c.req.query();
  const { collections, catalogModule } = site;
  const { activity, walletTokens } = catalogModule;
  const [held, page] = await Promise.all([
    walletTokens.page(wallet, {
      collections: collections.all,
      includeDelegated: false,
      limit: TOKENS_AT_ONCE,
      cursor: tokensCursor,
    }),
    activity.page(
      { of: "wallet", chainIds: collections.chainIds(), wallet },
      { types: type && [type], limit: ACTIVITY_AT_ONCE, cursor },
    ),
  ]);
  const count = `${formatNumber(held.total)} ${held.total === 1 ? "token" : "tokens"}`;
  return render(
    site,
    c,
    {
      title: `Wallet ${shortAddress(wallet)}`,
      about: { description: words().lists.wallet(shortAddress(wallet)), path, isUnlisted: true },
      width: "gallery",
      scripts: ["copy.js"],
    },
    <>
      <Title
        hint={
          <>
            <Whole value={wallet} what="the wallet’s address" />
            <Explorers chainIds={collections.chainIds()} wallet={wallet} />
          </>
        }
      >
        Wallet
      </Title>
      <div id="tokens">
        <Card title="Tokens" hint={count}>
          {held.items.length === 0 ? (
            <Empty>
              {tokensCursor === undefined
                ? "It owns no token of a collection served here."
                : "No more tokens"}
            </Empty>
          ) : (
            <TokenGrid
              site={site}
              tokens={held.items.map(({ token }) => token)}
              isFirstPage={tokensCursor === undefined}
            />
          )}
          <Pager
            site={site}
            path={path}
            field="tokens"
            cursor={tokensCursor}
            next={held.nextCursor}
            words={["First", "More"]}
            fragment="tokens"
          />
        </Card>
      </div>
      <ActivityList
        site={site}
        page={page}
        path={path}
        types={walletTypes}
        type={type}
        cursor={cursor}
        of="wallet"
        collections={collections.all}
      />
      <Copied />
    </>,
  );
}

/** The wallet at the block explorers of the served chains. */
const Explorers = ({ chainIds, wallet }: { chainIds: readonly number[]; wallet: string }) => (
  <span class="explorers">
    {chainIds.map((chainId) => {
      const href = explorerUrl(chainId, "address", wallet);
      return href === undefined ? null : (
        <a class="small" href={href} rel="nofollow noopener noreferrer">
          {words().explorer.address(explorerName(chainId))}
        </a>
      );
    })}
  </span>
);
