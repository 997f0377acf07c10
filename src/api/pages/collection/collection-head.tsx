/** The head of a collection's page, 120 pixels at a desk: banner, name, figures, and the creators' information. */

import type { CollectionView } from "../../catalog/collection-view.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { type PageSources, policyOrigin } from "../../ui/site.ts";
import { words } from "../../ui/visitor.ts";
import { chainName } from "../chains.ts";
import { Contract, Copied } from "../copyable.tsx";
import { collectionPath, type Site } from "../env.ts";
import { Description, Foreign, shownText } from "../text.tsx";
import { Banner, collectionName, standardNames } from "./collection-list.tsx";

/** The origins of its banner and avatar. */
export function headSources({ information }: CollectionView): PageSources {
  const urls = [information?.banner, information?.avatar].flatMap((url) => policyOrigin(url ?? "") ?? []);
  return { img: [...new Set(urls)] };
}

const LINKS = ["website", "discord", "x"] as const;

const AVATAR_PX = 88;
// One line at a desk.
const SUMMARY_CHARACTERS = 80;

const canShow = (url: string | null | undefined): url is string =>
  url != null && policyOrigin(url) !== undefined;

export const CollectionHead = ({ site, view }: { site: Site; view: CollectionView }) => {
  const { information } = view;
  const avatar = information?.avatar;
  const description = shownText(information?.description);
  return (
    <>
      <header class={canShow(information?.banner) ? "collection-head with-banner" : "collection-head"}>
        <Banner url={information?.banner} />
        {canShow(avatar) && (
          <img
            class="avatar"
            src={avatar}
            alt=""
            width={AVATAR_PX}
            height={AVATAR_PX}
            referrerpolicy="no-referrer"
          />
        )}
        <div class="collection-name">
          <h1>
            <Foreign text={collectionName(view)} max={100} />
          </h1>
          <Origin view={view} />
          {description !== undefined && <Description text={description} characters={SUMMARY_CHARACTERS} />}
        </div>
        <div class="collection-end">
          <Figures view={view} />
          <Links site={site} view={view} />
        </div>
        <Copied />
      </header>
      <Anomalies view={view} />
    </>
  );
};

/** Who made it, and where it is. */
const Origin = ({ view }: { view: CollectionView }) => {
  const { information, standard, chain_id, collection_address } = view;
  const { collection, copy } = words();
  return (
    <p class="soft small origin">
      {information?.creator_name && (
        <span>
          {collection.by} <Foreign text={information.creator_name} max={100} />
        </span>
      )}
      {standard !== null && <span>{standardNames[standard]}</span>}
      <span>{chainName(chain_id)}</span>
      <Contract chainId={chain_id} address={collection_address} what={copy.contract} />
    </p>
  );
};

const Figures = ({ view: { items, owners, royalty } }: { view: CollectionView }) => {
  const { collection } = words();
  const figures = [
    [collection.items, items === null ? undefined : formatNumber(items)],
    [collection.owners, owners === null ? undefined : formatNumber(owners)],
    [collection.royalty, royalty === null ? undefined : `${royalty.percent}%`],
  ] as const;
  return (
    <dl class="figures">
      {figures.map(([name, value]) =>
        value === undefined ? null : (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
};

const Links = ({ site, view }: { site: Site; view: CollectionView }) => {
  const { collection } = words();
  const path = collectionPath(view);
  return (
    <ul class="links">
      <li>
        <a class="button slim" href={site.to(`${path}/owners`)}>
          {collection.owners}
        </a>
      </li>
      <li>
        <a class="button slim" href={site.to(`${path}/activity`)}>
          {collection.activity}
        </a>
      </li>
      {LINKS.map((field) => {
        const href = view.information?.[field];
        return href ? (
          <li>
            {/* The creators chose this link: it gets no referrer and no access to this page. */}
            <a class="button slim" href={href} rel="nofollow noopener noreferrer">
              {collection[field]}
            </a>
          </li>
        ) : null;
      })}
    </ul>
  );
};

const Anomalies = ({ view }: { view: CollectionView }) => (
  <>
    {view.anomalies.map(({ kind, count, first_block, detail }) => (
      <p class="soft small" title={detail}>
        {words().collection.anomaly(kind.replaceAll("_", " "), count, first_block)}
      </p>
    ))}
  </>
);
