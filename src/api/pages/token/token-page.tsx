/** `/collections/{chain_id}/{address}/{token_id}`: all that is known of one token. */

import type { Child } from "hono/jsx";
import { findLockStandard } from "../../../domain/lock-standards.ts";
import type { Holder } from "../../catalog/holdings-store.ts";
import { VERSION_MAX } from "../../catalog/module.ts";
import type { TokenView } from "../../catalog/tokens/token-view.ts";
import { ApiError } from "../../http/errors.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Badge, Card, Empty, Facts, Table, When } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { chainName, explorerUrl } from "../chains.ts";
import { collectionName, standardNames } from "../collection/collection-list.tsx";
import { soon, stillLoading } from "../collection/loading.tsx";
import { displayName, rarityText } from "../collection/token-card.tsx";
import { Copied, Wallet, Whole } from "../copyable.tsx";
import {
  collectionOf,
  collectionPath,
  isIndexReady,
  type PagesContext,
  type Site,
  tokenIdOf,
  tokenPath,
  walletPath,
} from "../env.ts";
import { NotReady, render } from "../frame.tsx";
import { type Neighbours, readNeighbours } from "../listed-store.ts";
import { Description, Foreign, formatAmount, shortId, shownText } from "../text.tsx";
import { readLockedSince } from "./lock-store.ts";
import { Refresh, readProgress } from "./refresh.tsx";
import { MetadataState, TRANSFERS_AT_ONCE, Transfers, VERSIONS_AT_ONCE } from "./token-history.tsx";
import { mediaSources, TokenMedia } from "./token-media.tsx";
import { Properties } from "./token-properties.tsx";

// Ten transfers a page: more than any token has.
const PAGE_MAX = 100_000;
const HOLDERS_MAX = 10;

export async function tokenPage(site: Site, c: PagesContext): Promise<Response> {
  const collection = await collectionOf(site, c);
  const tokenId = tokenIdOf(c);
  const { chainId, address } = collection;
  const named = { chain_id: chainId, collection_address: address, token_id: tokenId };
  const progress = await readProgress(site, collection, c.req.query("refresh"), tokenId);
  // The part that the script swaps in for the current progress.
  if (c.req.query("part") === "refresh" && progress)
    return c.html(<Refresh site={site} path={tokenPath(named)} progress={progress} />, 200, {
      "Cache-Control": "private, no-cache",
    });

  const at = positive(c.req.query("transfers"), PAGE_MAX) ?? 1;
  const before = positive(c.req.query("before"), VERSION_MAX);
  const { holdings, reports } = site.catalogModule;
  const place = { offset: (at - 1) * TRANSFERS_AT_ONCE, limit: TRANSFERS_AT_ONCE };
  const found = await soon(
    Promise.all([
      reports.ofToken(collection, tokenId, { limit: VERSIONS_AT_ONCE, before }),
      holdings.transfers(collection, [tokenId], place),
      site.catalogModule.viewCollection(collection),
      isIndexReady(site, chainId),
      readNeighbours(site.database, site.tables, { chainId, collection: address }, tokenId),
    ]),
  );
  // Trait shares come from the collection's search index.
  if (found === undefined) return stillLoading(site, c);
  const [history, transfers, view, isReady, neighbours] = found;
  if (!history || !view) throw new ApiError("TOKEN_NOT_FOUND");
  const { token } = history;
  const description = shownText(token.description);
  const [since, owners, holders] = await Promise.all([
    lockedSince(site, token),
    token.standard === "erc1155" ? holdings.owners(collection, [tokenId]) : new Map<string, number>(),
    token.standard === "erc1155"
      ? holdings.topHolders({ chainId, collection: address, tokenId }, HOLDERS_MAX)
      : [],
  ]);
  return render(
    site,
    c,
    {
      title: `${displayName(token)} · ${collectionName(view)}`,
      about: {
        description: description ?? `${displayName(token)} · ${collectionName(view)}`,
        path: tokenPath(named),
        image: token.image.status === "cached" ? token.image.url : undefined,
      },
      width: "gallery",
      sources: mediaSources(history),
      scripts: ["token.js"],
    },
    <>
      {!isReady && <NotReady />}
      <div id="token" class="token-page">
        <TokenMedia site={site} token={token} asImage={c.req.query("show") === "image"} />
        <div class="about">
          <div id="summary" class="summary">
            <header class="token-head">
              <div class="row spread">
                <a href={site.to(collectionPath(token))}>
                  <Foreign text={collectionName(view)} max={100} />
                </a>
                <Others site={site} token={token} neighbours={neighbours} />
              </div>
              <h1>
                <Foreign text={displayName(token)} max={300} />
              </h1>
              <State token={token} since={since} />
              <Ownership site={site} token={token} owners={owners.get(tokenId) ?? 0} />
            </header>
            {description !== undefined && <Description text={description} />}
          </div>
          <Refresh
            site={site}
            path={tokenPath(named)}
            progress={progress}
            isOffered={!token.burned || progress !== undefined}
          />
          <div id="known">
            <Properties site={site} token={token} />
          </div>
        </div>
        <div id="details" class="details">
          <Card title={words().token.details}>
            <Facts rows={factsOf(site, token)} />
          </Card>
          {token.standard === "erc1155" && <Holders site={site} holders={holders} />}
        </div>
        <div id="wide-part" class="wide-part">
          <Transfers
            site={site}
            token={token}
            transfers={transfers.get(tokenId) ?? { total: 0, transfers: [] }}
            at={at}
          />
          <MetadataState site={site} {...history} before={before} />
        </div>
        <Copied />
      </div>
    </>,
  );
}

/** An integer from 1 to `max`; undefined for anything else. */
const positive = (text: string | undefined, max: number): number | undefined =>
  text !== undefined && /^[1-9]\d{0,15}$/.test(text) && Number(text) <= max ? Number(text) : undefined;

async function lockedSince({ database, tables }: Site, token: TokenView): Promise<Date | undefined> {
  const { chain_id: chainId, collection_address: collection, token_id: tokenId, lock } = token;
  if (lock.since_block === null) return undefined;
  return readLockedSince(database, tables, { chainId, collection, tokenId }, lock.since_block);
}

/** Whether the token may be traded, and why not. */
const State = ({ token, since }: { token: TokenView; since: Date | undefined }) => {
  const text = words().token;
  const { lock, burned, tradable, opens_at } = token;
  return (
    <p class="row">
      {burned && <Badge tone="bad">{text.burned}</Badge>}
      {lock.locked && <Badge tone="warn">{text.locked}</Badge>}
      {tradable && <Badge tone="good">{text.tradable}</Badge>}
      {lock.locked && since && (
        <span class="soft">
          {text.since} <When at={since} />
        </span>
      )}
      {token.rarity && <Badge>{rarityText(token.rarity)}</Badge>}
      {opens_at !== null && !burned && (
        <>
          <Badge>{text.notOpen}</Badge>
          <span class="soft">
            {text.opens} <When at={new Date(opens_at)} />
          </span>
        </>
      )}
      {!tradable && !burned && !lock.locked && opens_at === null && (
        <>
          <Badge>{text.notTradable}</Badge>
          <span class="soft">{text.behind}</span>
        </>
      )}
    </p>
  );
};

/** Links to the tokens before and after it, by id. */
const Others = ({ site, token, neighbours }: { site: Site; token: TokenView; neighbours: Neighbours }) => {
  const text = words().token;
  const ends = [
    { rel: "prev", id: neighbours.previous, label: text.previous, path: "M10 3 5 8l5 5" },
    { rel: "next", id: neighbours.next, label: text.next, path: "m6 3 5 5-5 5" },
  ];
  return (
    <nav class="neighbours" aria-label={text.others}>
      {ends.map(({ rel, id, label, path }) =>
        id === undefined ? null : (
          <a
            class="button slim"
            rel={rel}
            href={site.to(tokenPath({ ...token, token_id: id }))}
            title={label(shortId(id))}
          >
            <span class="visually-hidden">{label(shortId(id))}</span>
            <svg
              width="16"
              height="16"
              viewBox="0 0 16 16"
              fill="none"
              stroke="currentColor"
              aria-hidden="true"
            >
              <path d={path} stroke-width="2" stroke-linecap="round" stroke-linejoin="round" />
            </svg>
          </a>
        ),
      )}
    </nav>
  );
};

/** The token's owner or owners. */
const Ownership = ({ site, token, owners }: { site: Site; token: TokenView; owners: number }) => {
  const text = words().token;
  const { standard, owner, supply } = token;
  if (standard === "erc1155") {
    const amount = supply ? formatAmount(supply) : text.unknown;
    return <p>{text.supplyOf(amount, owners, formatNumber(owners))}</p>;
  }
  return (
    <p>
      {text.owner} {owner ? <Wallet site={site} address={owner} /> : text.nobody}
    </p>
  );
};

function factsOf(site: Site, token: TokenView) {
  const { lock, rarity, standard, token_id, chain_id, collection_address } = token;
  const { token: text, copy } = words();
  const contract = explorerUrl(chain_id, "address", collection_address);
  const facts: (readonly [string, Child])[] = [
    [text.id, <Whole value={token_id} what={copy.token} />],
    [text.contract, <Whole value={collection_address} what={copy.contract} href={contract} />],
    [text.chain, `${chainName(chain_id)}${standard ? `, ${standardNames[standard]}` : ""}`],
  ];
  if (rarity)
    facts.push([
      text.rarity,
      text.rarityOf(formatNumber(rarity.rank), formatNumber(rarity.of), rarity.score.toFixed(2)),
    ]);
  if (!lock.locked) return facts;
  const block = lock.since_block === null ? undefined : formatNumber(lock.since_block);
  return [
    ...facts,
    [text.lock, text.locks(lock.lock_count, formatNumber(lock.lock_count), block)] as const,
    [text.lockStandard, lock.standards.map((name) => findLockStandard(name).title).join(", ")] as const,
    ...lock.approved_contracts.map(
      (address) =>
        [
          text.lockedBy,
          <Whole value={address} what={copy.locker} href={site.to(walletPath(address))} />,
        ] as const,
    ),
  ];
}

interface HoldersProps {
  readonly site: Site;
  readonly holders: readonly Holder[];
}

/** The largest holders. */
const Holders = ({ site, holders }: HoldersProps) => {
  const text = words().token;
  return (
    <Card
      title={text.holders}
      hint={holders.length < HOLDERS_MAX ? undefined : text.holdersHint(HOLDERS_MAX)}
    >
      {holders.length === 0 ? (
        <Empty>{text.noHolders}</Empty>
      ) : (
        <Table
          caption={text.holdersCaption}
          columns={[words().wallet.title, { head: words().activity.quantity, isNumber: true }]}
          rows={holders.map(({ holder, balance }) => [
            <Wallet site={site} address={holder} />,
            formatAmount(balance),
          ])}
        />
      )}
    </Card>
  );
};
