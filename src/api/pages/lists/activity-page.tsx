/** `/collections/{chain_id}/{address}/activity` and `…/{token_id}/activity`. */

import { activityTypes } from "../../catalog/module.ts";
import { ApiError } from "../../http/errors.ts";
import { Title } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { collectionName } from "../collection/collection-list.tsx";
import { displayName } from "../collection/token-card.tsx";
import { Copied } from "../copyable.tsx";
import {
  collectionOf,
  collectionPath,
  isIndexReady,
  namesOf,
  type PagesContext,
  type Site,
  tokenIdOf,
  tokenPath,
} from "../env.ts";
import { NotReady, render } from "../frame.tsx";
import { Foreign } from "../text.tsx";
import { ACTIVITY_AT_ONCE, ActivityList, readType } from "./activity-list.tsx";

export async function activityPage(site: Site, c: PagesContext): Promise<Response> {
  const collection = await collectionOf(site, c);
  const tokenId = c.req.param("token") === undefined ? undefined : tokenIdOf(c);
  const { activity, catalog } = site.catalogModule;
  const { chainId, address } = collection;
  const type = readType(c, activityTypes);
  const cursor = c.req.query("cursor");
  const token = tokenId === undefined ? undefined : await catalog.findToken(collection, tokenId);
  if (tokenId !== undefined && !token) throw new ApiError("TOKEN_NOT_FOUND");
  const place = { chainId, address };
  const [page, view, isReady] = await Promise.all([
    activity.page(
      tokenId === undefined ? { of: "collection", ...place } : { of: "token", ...place, tokenId },
      {
        types: type && [type],
        limit: ACTIVITY_AT_ONCE,
        cursor,
      },
    ),
    site.catalogModule.viewCollection(collection),
    isIndexReady(site, chainId),
  ]);
  if (!view) throw new ApiError("COLLECTION_NOT_FOUND");
  const name = token ? displayName(token) : collectionName(view);
  const above = token ? tokenPath(token) : collectionPath(namesOf(collection));
  return render(
    site,
    c,
    {
      title: words().activity.titleOf(name),
      about: { description: words().activity.description(name), path: `${above}/activity` },
      scripts: ["copy.js"],
    },
    <>
      {!isReady && <NotReady />}
      <Title
        hint={
          <a href={site.to(above)}>
            <Foreign text={name} max={100} />
          </a>
        }
      >
        {words().activity.title}
      </Title>
      <ActivityList
        site={site}
        page={page}
        path={`${above}/activity`}
        types={activityTypes}
        type={type}
        cursor={cursor}
        of={token ? "token" : "collection"}
        collections={[collection]}
      />
      <Copied />
    </>,
  );
}
