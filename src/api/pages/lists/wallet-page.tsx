/** `/wallets/{address}`: a wallet's tokens in all collections, and its activity. */

import { clip } from "../../../domain/printable.ts";
import { parseAddress } from "../../../domain/token-ref.ts";
import { walletTypes } from "../../catalog/module.ts";
import { ApiError } from "../../http/errors.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Card, Empty, Title } from "../../ui/parts.tsx";
import { shortAddress } from "../../ui/short-address.ts";
import { words } from "../../ui/visitor.ts";
import { explorerName, explorerUrl } from "../chains.ts";
import { TokenGrid } from "../collection/token-card.tsx";
import { Copied, Whole } from "../copyable.tsx";
import { isEveryIndexReady, type PagesContext, type Site, walletPath } from "../env.ts";
import { NotAllReady, render } from "../frame.tsx";
import { ACTIVITY_AT_ONCE, ActivityList, readType } from "./activity-list.tsx";
import { Pager } from "./pager.tsx";

const TOKENS_AT_ONCE = 24;

export async function walletPage(site: Site, c: PagesContext): Promise<Response> {
  const asked = c.req.param("wallet") ?? "";
  const wallet = parseAddress(asked);
  if (wallet === undefined) {
    const message = `"${clip(asked)}" is not an address: 0x and 40 hex digits`;
    throw new ApiError("INVALID_REQUEST", [{ path: "address", message }]);
  }
  const path = walletPath(wallet);
  if (wallet !== asked) return c.redirect(`${site.to(path)}${new URL(c.req.url).search}`, 301);

  const type = readType(c, walletTypes);
  const { tokens: tokensCursor, cursor } = c.req.query();
  const { collections, catalogModule } = site;
  const { activity, walletTokens } = catalogModule;
  const [held, page, isReady] = await Promise.all([
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
    isEveryIndexReady(site),
  ]);
  const text = words().wallet;
  const count = words().collection.count(held.total, formatNumber(held.total));
  return render(
    site,
    c,
    {
      title: text.titleOf(shortAddress(wallet)),
      about: { description: text.description(shortAddress(wallet)), path, isUnlisted: true },
      width: "gallery",
      scripts: ["copy.js"],
    },
    <>
      {!isReady && <NotAllReady />}
      <Title
        hint={
          <>
            <Whole value={wallet} what={words().copy.wallet} />
            <Explorers chainIds={collections.chainIds()} wallet={wallet} />
          </>
        }
      >
        {text.title}
      </Title>
      <div id="tokens">
        <Card title={text.tokens} hint={count}>
          {held.items.length === 0 ? (
            <Empty>{tokensCursor === undefined ? text.none : text.noMore}</Empty>
          ) : (
            <TokenGrid
              site={site}
              tokens={held.items.map(({ token }) => token)}
              held={held.items.map(({ quantity }) => quantity)}
              isFirstPage={tokensCursor === undefined}
            />
          )}
          <Pager
            site={site}
            path={path}
            field="tokens"
            cursor={tokensCursor}
            next={held.nextCursor}
            words={[text.first, text.more]}
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
          {words().chain.explorer(explorerName(chainId))}
        </a>
      );
    })}
  </span>
);
