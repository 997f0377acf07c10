/** The head of a collection's page: banner, name, figures, and the creators' information. */

import type { CollectionView } from "../../catalog/collection-view.ts";
import { type PageSources, policyOrigin } from "../../ui/site.ts";
import { Copied, Whole } from "../copyable.tsx";
import { collectionPath, type Site } from "../env.ts";
import { Description, Foreign } from "../text.tsx";
import { Banner, collectionName, factsOf } from "./collection-list.tsx";

/** The origins of its banner and avatar. */
export function headSources({ information }: CollectionView): PageSources {
  const urls = [information?.banner, information?.avatar].flatMap((url) => policyOrigin(url ?? "") ?? []);
  return { img: [...new Set(urls)] };
}

const LINKS = [
  ["website", "Website"],
  ["discord", "Discord"],
  ["x", "X"],
] as const;

const AVATAR_PX = 96;

export const CollectionHead = ({ site, view }: { site: Site; view: CollectionView }) => {
  const { information } = view;
  const avatar = information?.avatar;
  const hasLinks = LINKS.some(([field]) => information?.[field]);
  return (
    <header class="collection-head">
      <Banner url={information?.banner} />
      <div class="collection-title">
        {avatar && policyOrigin(avatar) !== undefined && (
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
          <p class="soft">
            {information?.creator_name && (
              <>
                by <Foreign text={information.creator_name} max={100} />
                {" · "}
              </>
            )}
            {factsOf(view).join(" · ")}
          </p>
          {view.anomalies.map(({ kind, count, first_block, detail }) => (
            <p class="soft small" title={detail}>
              Not indexed in full: {kind.replaceAll("_", " ")}, {count} {count === 1 ? "log" : "logs"} since
              block {first_block}
            </p>
          ))}
          <p class="soft small">
            <Whole value={view.collection_address} what="the contract’s address" />
          </p>
          <ul class="links">
            {(["owners", "activity"] as const).map((name) => (
              <li>
                <a class="button slim" href={site.to(`${collectionPath(view)}/${name}`)}>
                  {name === "owners" ? "Owners" : "Activity"}
                </a>
              </li>
            ))}
          </ul>
          {hasLinks && (
            <ul class="links">
              {LINKS.map(([field, text]) => {
                const href = information?.[field];
                return href ? (
                  <li>
                    {/* The creators chose this link: it gets no referrer and no access to this page. */}
                    <a class="button slim" href={href} rel="nofollow noopener noreferrer">
                      {text}
                    </a>
                  </li>
                ) : null;
              })}
            </ul>
          )}
          {information?.description && <Description text={information.description} />}
        </div>
      </div>
      <Copied />
    </header>
  );
};
