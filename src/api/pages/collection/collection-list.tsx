/** `/collections`: the served collections. */

import { withTimeout } from "../../async/timeout.ts";
import type { CollectionView } from "../../catalog/collection-view.ts";
import { viewCollections } from "../../catalog/module.ts";
import type { TokenView } from "../../catalog/tokens/token-view.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Empty, Title } from "../../ui/parts.tsx";
import { shortAddress } from "../../ui/short-address.ts";
import { policyOrigin } from "../../ui/site.ts";
import { words } from "../../ui/visitor.ts";
import { chainName } from "../chains.ts";
import { collectionPath, isEveryIndexReady, type PagesContext, type Site } from "../env.ts";
import { NotAllReady, render } from "../frame.tsx";
import { Foreign, shownText } from "../text.tsx";
import { Picture } from "./token-card.tsx";

const PREVIEWS = 3;
// Collections beyond this number have no token previews.
const PREVIEWED_MAX = 24;
// The first search of a large collection loads its search index; the list does not wait for that.
const PREVIEW_MS = 1_500;

export async function collectionList(site: Site, c: PagesContext): Promise<Response> {
  const { layout, collections } = words();
  const { all } = site.collections;
  const [views, previews, isReady] = await Promise.all([
    viewCollections(site.catalogModule, all),
    readPreviews(site, all),
    isEveryIndexReady(site),
  ]);
  return render(
    site,
    c,
    {
      title: layout.collections,
      about: { description: collections.description, path: "/collections" },
      width: "gallery",
      nav: "collections",
      sources: { img: bannerOrigins(views) },
    },
    <>
      {!isReady && <NotAllReady />}
      <Title hint={collections.count(views.length, formatNumber(views.length))}>{layout.collections}</Title>
      {views.length === 0 && <Empty>{collections.none}</Empty>}
      <ul class="collections">
        {views.map((view, at) => (
          <li>
            <CollectionCard site={site} view={view} tokens={previews[at] ?? []} />
          </li>
        ))}
      </ul>
    </>,
  );
}

/** Tokens of the first collections, whose pictures their cards show. */
export const readPreviews = (site: Site, collections: Site["collections"]["all"]) =>
  Promise.all(
    collections.slice(0, PREVIEWED_MAX).map((each) => withTimeout(PREVIEW_MS, previewOf(site, each))),
  );

async function previewOf(
  { catalogModule: { catalog } }: Site,
  collection: Site["collections"]["all"][number],
): Promise<readonly TokenView[]> {
  const page = await catalog.findPage(collection, {
    filter: { criteria: [], ranges: [] },
    sort: { by: "id", descending: false },
    limit: PREVIEWS * 3,
  });
  const tokens = await catalog.listPage(collection, page);
  return tokens.filter(({ image }) => image.status === "cached").slice(0, PREVIEWS);
}

/** Where the collections' banners come from, for the page's content policy. */
export const bannerOrigins = (views: readonly CollectionView[]): string[] => [
  ...new Set(views.flatMap(({ information }) => policyOrigin(information?.banner ?? "") ?? [])),
];

/** A collection's display name: the operator's, its creators', its contract's, or its address. */
export const collectionName = ({
  name,
  collection_address,
}: Pick<CollectionView, "name" | "collection_address">): string => name ?? shortAddress(collection_address);

/** A picture named by the creators. Its space is reserved, and its host does not learn the visitor's page. */
export const Banner = ({ url }: { url: string | null | undefined }) =>
  url && policyOrigin(url) !== undefined ? (
    <img class="banner" src={url} alt="" width={1200} height={300} referrerpolicy="no-referrer" />
  ) : null;

export const CollectionCard = ({
  site,
  view,
  tokens,
  level: Heading = "h2",
}: {
  site: Site;
  view: CollectionView;
  tokens: readonly TokenView[];
  /** The heading's level, below that of its section. */
  level?: "h2" | "h3";
}) => {
  const description = shownText(view.information?.description);
  return (
    <a class="collection" href={site.to(collectionPath(view))}>
      <span class="cover">
        {view.information?.banner ? (
          <Banner url={view.information.banner} />
        ) : (
          tokens.map((token) => (
            <span class="frame">
              <Picture site={site} token={token} isEager />
            </span>
          ))
        )}
      </span>
      <Heading>
        <Foreign text={collectionName(view)} max={100} />
      </Heading>
      <p class="soft small">{factsOf(view).join(" · ")}</p>
      {description !== undefined && (
        <p class="summary">
          <Foreign text={description} max={300} />
        </p>
      )}
    </a>
  );
};

/** With a non-breaking hyphen. */
export const standardNames = { erc721: "ERC\u2011721", erc1155: "ERC\u20111155" } as const;

/** The collection's figures and standard, as far as known. */
export function factsOf({ items, owners, standard, chain_id, royalty }: CollectionView): string[] {
  const { collections: facts } = words();
  return [
    ...(items === null ? [] : [facts.items(items, formatNumber(items))]),
    ...(owners === null ? [] : [facts.owners(owners, formatNumber(owners))]),
    ...(standard === null ? [] : [standardNames[standard]]),
    chainName(chain_id),
    ...(royalty === null ? [] : [facts.royalty(royalty.percent)]),
  ];
}
