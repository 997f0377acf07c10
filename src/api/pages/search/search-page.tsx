/** `/search`: collections and tokens by name and id, over all collections, and the wallet of an address. */

import { parseAddress } from "../../../domain/token-ref.ts";
import { soughtSchema } from "../../catalog/module.ts";
import type { TokenView } from "../../catalog/tokens/token-view.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Empty, Notice, Title } from "../../ui/parts.tsx";
import { shortAddress } from "../../ui/short-address.ts";
import { words } from "../../ui/visitor.ts";
import { bannerOrigins, CollectionCard, readPreviews } from "../collection/collection-list.tsx";
import { soon, stillLoading } from "../collection/loading.tsx";
import { TokenGrid } from "../collection/token-card.tsx";
import { collectionPath, isEveryIndexReady, type PagesContext, type Site, walletPath } from "../env.ts";
import { NotAllReady, render } from "../frame.tsx";
import { Foreign, plain } from "../text.tsx";
import { countOf, firstOf } from "./shown.ts";
import { Suggestions } from "./suggestions.tsx";

const SUGGESTED = 5;
const SHOWN = 24;
const NOTHING = { collections: [], tokens: [], unsearched: 0, isCut: false };

export async function searchPage(site: Site, c: PagesContext): Promise<Response> {
  const text = (c.req.query("q") ?? "").trim();
  const read = soughtSchema.safeParse(text);
  const problem = text === "" || read.success ? undefined : read.error.issues[0]?.message;
  const isPart = c.req.query("part") === "suggestions";
  const limit = isPart ? SUGGESTED : SHOWN;
  const { across } = site.catalogModule;
  // One more than is shown: whether there are others.
  const answer = read.success ? await soon(across.find(read.data, { limit: limit + 1 })) : NOTHING;
  if (answer === undefined) return stillLoading(site, c);
  const found = firstOf(answer, limit);
  const wallet = parseAddress(text);
  if (isPart)
    return c.html(<Suggestions site={site} text={text} found={found} wallet={wallet} />, 200, {
      "Cache-Control": "private, no-cache",
    });

  const { search } = words();
  const { collections, tokens, unsearched } = found;
  const configs = collections.flatMap(
    ({ chain_id, collection_address }) =>
      site.collections.all.find(
        ({ chainId, address }) => chainId === chain_id && address === collection_address,
      ) ?? [],
  );
  const [previews, isReady] = await Promise.all([readPreviews(site, configs), isEveryIndexReady(site)]);
  const isEmpty = collections.length === 0 && tokens.length === 0 && wallet === undefined;
  return render(
    site,
    c,
    {
      title: text === "" ? search.title : search.titleOf(text),
      width: "gallery",
      search: text,
      about: { description: search.description, isUnlisted: true },
      sources: { img: bannerOrigins(collections) },
      status: problem === undefined ? 200 : 400,
    },
    <>
      {!isReady && <NotAllReady />}
      <Title hint={text === "" ? search.hint : countOf(found, wallet)}>
        {text === "" ? search.title : <Foreign text={search.titleOf(text)} />}
      </Title>
      {problem !== undefined && <Notice tone="bad">{`q: ${problem}`}</Notice>}
      {text !== "" && problem === undefined && isEmpty && <Empty>{search.none}</Empty>}
      {unsearched > 0 && <Notice tone="warn">{search.unsearched(formatNumber(unsearched))}</Notice>}
      {wallet !== undefined && (
        <p>
          <a class="button" href={site.to(walletPath(wallet))}>
            {search.wallet(shortAddress(wallet))}
          </a>
        </p>
      )}
      {collections.length > 0 && (
        <section class="stack" aria-labelledby="found-collections">
          <h2 id="found-collections">{words().layout.collections}</h2>
          <ul class="collections">
            {collections.map((view, at) => (
              <li>
                <CollectionCard site={site} view={view} tokens={previews[at] ?? []} level="h3" />
              </li>
            ))}
          </ul>
          {found.hasMore.collections && (
            <p>
              <a class="button" href={site.to("/collections")}>
                {words().problems.all}
              </a>
            </p>
          )}
        </section>
      )}
      {tokens.length > 0 && (
        <section class="stack" aria-labelledby="found-tokens">
          <h2 id="found-tokens">{search.tokens}</h2>
          <TokenGrid site={site} tokens={tokens} isFirstPage isMixed />
          {found.hasMore.tokens && <Others site={site} text={text} tokens={tokens} />}
        </section>
      )}
    </>,
  );
}

/** To the search of each collection that has tokens here: it finds all of them. */
const Others = ({ site, text, tokens }: { site: Site; text: string; tokens: readonly TokenView[] }) => {
  const places = new Map(tokens.map((token) => [collectionPath(token), token]));
  return (
    <p class="row">
      {[...places].map(([path, { chain_id, collection_address }]) => {
        const name = site.collections.all.find(
          ({ chainId, address }) => chainId === chain_id && address === collection_address,
        )?.name;
        return (
          <a class="button" href={`${site.to(path)}?${new URLSearchParams({ q: text })}`}>
            {words().collection.searchFor(plain(name ?? shortAddress(collection_address)))}
          </a>
        );
      })}
    </p>
  );
};
