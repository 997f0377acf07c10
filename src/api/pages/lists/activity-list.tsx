/** Activity of a token, a collection or a wallet, as a table with links by type and to the next page. */

import type { Child } from "hono/jsx";
import type { CollectionConfig } from "../../../config.ts";
import { clip } from "../../../domain/printable.ts";
import type { Activity, ActivityPage, ActivityType } from "../../catalog/activity/activity.ts";
import { ApiError } from "../../http/errors.ts";
import { Card, Table, Tabs, When } from "../../ui/parts.tsx";
import { shortAddress } from "../../ui/short-address.ts";
import { words } from "../../ui/visitor.ts";
import { Transaction, Wallet } from "../copyable.tsx";
import { collectionPath, namesOf, type PagesContext, type Site, tokenPath } from "../env.ts";
import { formatAmount, shortId } from "../text.tsx";
import { Pager } from "./pager.tsx";

export const ACTIVITY_AT_ONCE = 25;

const NOBODY = `0x${"0".repeat(40)}`;

/** The type that the query names, or all. Throws INVALID_REQUEST for one that the list doesn't have. */
export function readType<Type extends ActivityType>(
  c: PagesContext,
  types: readonly Type[],
): Type | undefined {
  const asked = c.req.query("type");
  if (asked === undefined || asked === "") return undefined;
  const found = types.find((type) => type === asked);
  if (found) return found;
  const message = `must be one of ${types.join(", ")}; it is "${clip(asked)}"`;
  throw new ApiError("INVALID_REQUEST", [{ path: "type", message }]);
}

interface ActivityListProps {
  readonly site: Site;
  readonly page: ActivityPage;
  /** Of this list, without a query. */
  readonly path: string;
  readonly types: readonly ActivityType[];
  readonly type: ActivityType | undefined;
  readonly cursor: string | undefined;
  /** What each row names beside the event. */
  readonly of: "token" | "collection" | "wallet";
  readonly collections: readonly CollectionConfig[];
}

export const ActivityList = ({
  site,
  page,
  path,
  types,
  type,
  cursor,
  of,
  collections,
}: ActivityListProps) => {
  const { activity } = words();
  return (
    <div id="activity">
      <Tabs
        label={activity.kinds}
        to={site.to}
        links={[
          { href: `${path}#activity`, text: activity.all, isCurrent: type === undefined },
          ...types.map((each) => ({
            href: `${path}?type=${each}#activity`,
            text: activity.types[each],
            isCurrent: type === each,
          })),
        ]}
      />
      <Card title={activity.title} hint={activity.hint}>
        <Table
          caption={activity.caption}
          columns={[
            activity.what,
            ...(of === "token" ? [] : [activity.token]),
            activity.from,
            activity.to,
            { head: activity.quantity, isNumber: true },
            activity.when,
            activity.transaction,
          ]}
          rows={page.items.map((item) => [
            activity.types[item.type],
            ...(of === "token"
              ? []
              : [<Subject site={site} item={item} of={of} collections={collections} />]),
            party(site, item.from),
            party(site, item.to),
            item.quantity === null ? <None /> : formatAmount(item.quantity),
            <When at={item.at} />,
            item.transactionHash === null ? (
              <None />
            ) : (
              <Transaction chainId={item.chainId} hash={item.transactionHash} />
            ),
          ])}
          empty={cursor === undefined ? activity.none : activity.noOlder}
        />
        <Pager
          site={site}
          path={path}
          kept={type === undefined ? {} : { type }}
          cursor={cursor}
          next={page.nextCursor}
          words={[activity.newest, activity.older]}
          fragment="activity"
        />
      </Card>
    </div>
  );
};

const None = () => <span class="soft nothing">{words().text.none}</span>;

const party = (site: Site, address: string | null): Child =>
  address === null || address === NOBODY ? <None /> : <Wallet site={site} address={address} />;

const Subject = ({
  site,
  item,
  of,
  collections,
}: Pick<ActivityListProps, "site" | "of" | "collections"> & { item: Activity }) => {
  const { activity } = words();
  const { chainId, collection: address, tokenId, lastTokenId } = item;
  const named = namesOf({ chainId, address });
  const found = collections.find((each) => each.chainId === chainId && each.address === address);
  return (
    <span class="stack-tight">
      {tokenId === null ? (
        <span class="soft">{activity.allTokens}</span>
      ) : (
        <a href={site.to(tokenPath({ ...named, token_id: tokenId }))}>
          {lastTokenId === null
            ? `#${shortId(tokenId)}`
            : activity.range(`#${shortId(tokenId)}`, `#${shortId(lastTokenId)}`)}
        </a>
      )}
      {of === "wallet" && (
        <a class="small" href={site.to(collectionPath(named))}>
          {found?.name ?? shortAddress(address)}
        </a>
      )}
    </span>
  );
};
