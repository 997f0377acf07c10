/** `/collections/{chain_id}/{address}`: a collection's tokens, filtered, searched and sorted by URL parameters. */

import { clip } from "../../../domain/printable.ts";
import type { ContractRef } from "../../../domain/token-ref.ts";
import type { CollectionView } from "../../catalog/collection-view.ts";
import { plainSorts } from "../../catalog/rules.ts";
import type { TokenView } from "../../catalog/tokens/token-view.ts";
import { ApiError } from "../../http/errors.ts";
import type { TokenFilter, TokenPage } from "../../search/query.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Empty, Notice } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { collectionOf, collectionPath, isIndexReady, type PagesContext, type Site } from "../env.ts";
import { NotReady, render } from "../frame.tsx";
import { plain, shownText } from "../text.tsx";
import { Chips, clearedPath } from "./chips.tsx";
import { CollectionHead, headSources } from "./collection-head.tsx";
import { collectionName, factsOf } from "./collection-list.tsx";
import { DensityForm, DensitySwitch } from "./density.tsx";
import { FilterPanel } from "./filter-panel.tsx";
import { type Asked, readQuery } from "./filter-query.ts";
import { soon, stillLoading } from "./loading.tsx";
import { hasShortName, isRange, mostCommon, type PanelFacets, steady } from "./panel-facets.ts";
import { TokenGrid } from "./token-card.tsx";

const PAGE_TOKENS = 24;
const SORTED_TRAITS_MAX = 20;
const PROBLEMS_MAX = 20;
const EVERYTHING: TokenFilter = { criteria: [], ranges: [] };

const hasConditions = ({ criteria, ranges, text, owners, locked }: TokenFilter): boolean =>
  criteria.length > 0 || ranges.length > 0 || [text, owners, locked].some((each) => each !== undefined);

export async function collectionPage(site: Site, c: PagesContext): Promise<Response> {
  const collection = await collectionOf(site, c);
  const asked = readQuery(new URL(c.req.url).searchParams);
  const { filter, sort, cursor } = asked;
  const isPart = c.req.query("part") === "tokens";
  const { catalog } = site.catalogModule;
  // Requested together, so that both see the same state of the search index.
  const answers = await soon(
    Promise.all([
      catalog.findPage(collection, { filter, sort, cursor, limit: PAGE_TOKENS }),
      isPart ? undefined : site.search.panel(collection, filter),
      isPart || !hasConditions(filter) ? undefined : site.search.panel(collection, EVERYTHING),
    ]),
  );
  if (answers === undefined) return stillLoading(site, c);
  const [page, filtered, whole] = answers;
  const facets = filtered && whole ? steady(whole, filtered) : filtered;
  const path = site.to(collectionPath(pathOf(collection)));
  const listed = catalog.listPage(collection, page);
  // The part that the script appends to the grid.
  if (facets === undefined) {
    const results = { site, asked, page, tokens: await listed, path };
    return c.html(<Tokens {...results} />, 200, { "Cache-Control": "private, no-cache" });
  }

  const [view, tokens, isReady] = await Promise.all([
    site.catalogModule.viewCollection(collection),
    listed,
    isIndexReady(site, collection.chainId),
  ]);
  const results = { site, asked, page, tokens, path };
  if (!view) throw new ApiError("COLLECTION_NOT_FOUND");
  const { collection: text } = words();
  return render(
    site,
    c,
    {
      title: collectionName(view),
      about: {
        description:
          shownText(view.information?.description) ?? `${collectionName(view)}: ${factsOf(view).join(", ")}`,
        path: collectionPath(view),
        image: view.information?.avatar ?? view.information?.banner,
      },
      width: "gallery",
      nav: "collections",
      sources: headSources(view),
      scripts: ["collection.js"],
      status: asked.problems.length > 0 ? 400 : 200,
    },
    <>
      {!isReady && <NotReady />}
      <CollectionHead site={site} view={view} />
      {/* A browser would restore what was ticked and not applied. */}
      <form id="shop" class="shop" method="get" action={path} autocomplete="off" novalidate>
        <Toolbar asked={asked} facets={facets} view={view} />
        <div class="shop-body">
          <Panel asked={asked} facets={facets} path={path} />
          <section
            id="results"
            aria-label={text.tokens}
            data-shown={text.shown("{count}")}
            data-all-shown={text.allShown}
            data-more={text.more}
            data-loading={text.loading}
            data-more-failed={text.moreFailed}
            data-numbers={words().locale.numbers}
          >
            <p id="failed" class="notice bad" role="alert" hidden>
              {text.failed}{" "}
              <button type="submit" class="button slim">
                {text.again}
              </button>
            </p>
            <div id="problems">
              {asked.problems.slice(0, PROBLEMS_MAX).map((problem) => (
                <Notice tone="bad">{clip(problem, 300)}</Notice>
              ))}
              {asked.problems.length > PROBLEMS_MAX && (
                <Notice tone="bad">
                  {words().text.andMore(formatNumber(asked.problems.length - PROBLEMS_MAX))}
                </Notice>
              )}
            </div>
            <Chips asked={asked} facets={facets} path={path} />
            <p id="count" class="soft" role="status" tabindex={-1}>
              <span id="all">{text.count(page.total, formatNumber(page.total))}</span>
              {/* The script announces here how many have loaded. */}
              <span id="so-far">{cursor !== undefined && text.shown(formatNumber(tokens.length))}</span>
            </p>
            <div id="found">
              {tokens.length === 0 && <NoTokens asked={asked} path={path} isReady={isReady} />}
              <Tokens {...results} />
            </div>
          </section>
        </div>
      </form>
      <DensityForm to={site.to} />
    </>,
  );
}

const pathOf = ({ chainId, address }: ContractRef) => ({
  chain_id: chainId,
  collection_address: address,
});

interface ToolbarProps {
  readonly asked: Asked;
  readonly facets: PanelFacets;
  readonly view: CollectionView;
}

const Toolbar = ({ asked, facets, view }: ToolbarProps) => {
  const { collection, filters } = words();
  return (
    <div class="toolbar">
      <button type="button" class="button filters-button" popovertarget="filters">
        {filters.title}
        {asked.conditions.length > 0 && <span class="badge">{formatNumber(asked.conditions.length)}</span>}
      </button>
      <div class="search">
        <label class="visually-hidden" for="q">
          {collection.searchFor(collectionName(view))}
        </label>
        <input
          type="search"
          id="q"
          name="q"
          value={asked.field("q")}
          placeholder={collection.placeholder}
          maxlength={200}
          autocomplete="off"
        />
      </div>
      <div class="sort">
        <label class="visually-hidden" for="sort">
          {collection.sort}
        </label>
        <select id="sort" name="sort">
          {sortsOf(facets, asked).map(({ value, text }) => (
            <option value={value} selected={value === asked.field("sort")}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <DensitySwitch />
      <noscript>
        <button type="submit" class="button primary">
          {collection.search}
        </button>
      </noscript>
    </div>
  );
};

/** The default sort is the empty value, which keeps URLs short. The requested sort is always included. */
const sortsOf = ({ traits }: PanelFacets, asked: Asked): { value: string; text: string }[] => {
  const labels: Readonly<Record<string, unknown>> = words().sorts;
  const sortable = traits.filter((facet) => isRange(facet) && hasShortName(facet));
  const sorts = [
    ...Object.keys(plainSorts).map((name, at) => ({
      value: at === 0 ? "" : name,
      text: String(labels[name] ?? name),
    })),
    ...mostCommon(sortable, SORTED_TRAITS_MAX).flatMap(({ trait_type }) => [
      { value: `trait:${trait_type}:desc`, text: words().sorts.down(plain(trait_type)) },
      { value: `trait:${trait_type}:asc`, text: words().sorts.up(plain(trait_type)) },
    ]),
  ];
  const value = asked.field("sort");
  if (asked.sort.by !== "trait" || sorts.some((each) => each.value === value)) return sorts;
  const label = asked.sort.descending ? words().sorts.down : words().sorts.up;
  return [...sorts, { value, text: label(plain(asked.sort.name)) }];
};

/** Beside the tokens on wide screens; on a phone a sheet that the button opens, with or without script. */
const Panel = ({ asked, facets, path }: { asked: Asked; facets: PanelFacets; path: string }) => (
  <aside id="filters" class="filters" popover="auto" aria-label={words().filters.title}>
    <a class="skip" href="#count">
      {words().filters.skip}
    </a>
    <div class="filters-head">
      <h2>{words().filters.title}</h2>
      <button type="button" class="button slim close" popovertarget="filters" popovertargetaction="hide">
        {words().filters.close}
      </button>
    </div>
    <div id="facets">
      <FilterPanel facets={facets} asked={asked} />
    </div>
    <div class="filters-foot">
      {/* The sheet covers the alert, which screen readers announce. */}
      <p id="failed-here" hidden>
        {words().collection.failedShort}
      </p>
      <a id="clear" class="button" href={clearedPath(path, asked)}>
        {words().filters.clear}
      </a>
      <button type="submit" class="button primary">
        {/* Only a script can keep this number current. */}
        {words().filters.show}{" "}
        <span id="total" hidden>
          {formatNumber(facets.total)}
        </span>{" "}
        <span id="of-total">{words().filters.ofTotal(facets.total)}</span>
      </button>
    </div>
  </aside>
);

const NoTokens = ({ asked, path, isReady }: { asked: Asked; path: string; isReady: boolean }) => {
  const { collection } = words();
  if (asked.conditions.length > 0)
    return (
      <Empty>
        {collection.noMatch} <a href={clearedPath(path, asked)}>{collection.clearFilters}</a>
      </Empty>
    );
  return <Empty>{isReady ? collection.noneMinted : collection.notRead}</Empty>;
};

interface TokensProps {
  readonly site: Site;
  readonly asked: Asked;
  readonly page: TokenPage;
  readonly tokens: readonly TokenView[];
  readonly path: string;
}

const Tokens = ({ site, asked: { query, cursor }, page: { nextCursor }, tokens, path }: TokensProps) => {
  const more = new URLSearchParams(query);
  if (nextCursor !== null) more.set("cursor", nextCursor);
  return (
    <>
      <TokenGrid site={site} tokens={tokens} isFirstPage={cursor === undefined} />
      <p id="more" class="more">
        {cursor !== undefined && (
          <a class="button back" href={query ? `${path}?${query}` : path}>
            {words().collection.back}
          </a>
        )}
        {nextCursor !== null && (
          <a class="button" rel="next" href={`${path}?${more}`}>
            {words().collection.more}
          </a>
        )}
      </p>
    </>
  );
};
