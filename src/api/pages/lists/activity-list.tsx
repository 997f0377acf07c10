/** Activity of a token, a collection or a wallet, as a table with links by type and to the next page. */

import type { Child } from "hono/jsx";
import type { CollectionConfig } from "../../../config.ts";
import type { Activity, ActivityPage, ActivityType } from "../../catalog/activity/activity.ts";
import { ApiError } from "../../http/errors.ts";
import { clip } from "../../http/fields.ts";
import { Card, Table, Tabs, When } from "../../ui/parts.tsx";
import { Transaction, Wallet } from "../copyable.tsx";
import { collectionPath, namesOf, type PagesContext, type Site, tokenPath } from "../env.ts";
import { shortAddress, shortId } from "../text.tsx";
import { Pager } from "./pager.tsx";

export const ACTIVITY_AT_ONCE = 25;

const NOBODY = `0x${"0".repeat(40)}`;

const names: Readonly<Record<ActivityType, string>> = {
  mint: "Minted",
  transfer: "Transferred",
  burn: "Burned",
  lock: "Locked",
  unlock: "Unlocked",
  metadata: "Metadata updated",
};

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
}: ActivityListProps) => (
  <div id="activity">
    <Tabs
      label="Types of activity"
      to={site.to}
      links={[
        { href: `${path}#activity`, text: "All", isCurrent: type === undefined },
        ...types.map((each) => ({
          href: `${path}?type=${each}#activity`,
          text: names[each],
          isCurrent: type === each,
        })),
      ]}
    />
    <Card title="Activity" hint="Newest first">
      <Table
        caption="Activity, newest first"
        columns={[
          "What",
          ...(of === "token" ? [] : ["Token"]),
          "From",
          "To",
          { head: "Quantity", isNumber: true },
          "When",
          "Transaction",
        ]}
        rows={page.items.map((item) => [
          names[item.type],
          ...(of === "token" ? [] : [<Subject site={site} item={item} of={of} collections={collections} />]),
          party(site, item.from),
          party(site, item.to),
          item.quantity === null ? none : BigInt(item.quantity).toLocaleString("en-US"),
          <When at={item.at} />,
          item.transactionHash === null ? (
            none
          ) : (
            <Transaction chainId={item.chainId} hash={item.transactionHash} />
          ),
        ])}
        empty={cursor === undefined ? "No activity indexed" : "No older activity"}
      />
      <Pager
        site={site}
        path={path}
        kept={type === undefined ? {} : { type }}
        cursor={cursor}
        next={page.nextCursor}
        words={["Newest", "Older"]}
        fragment="activity"
      />
    </Card>
  </div>
);

const none = <span class="soft">none</span>;

const party = (site: Site, address: string | null): Child =>
  address === null || address === NOBODY ? none : <Wallet site={site} address={address} />;

const Subject = ({
  site,
  item,
  of,
  collections,
}: Pick<ActivityListProps, "site" | "of" | "collections"> & { item: Activity }) => {
  const { chainId, collection: address, tokenId, lastTokenId } = item;
  const named = namesOf({ chainId, address });
  const found = collections.find((each) => each.chainId === chainId && each.address === address);
  return (
    <span class="stack-tight">
      {tokenId === null ? (
        <span class="soft">all tokens</span>
      ) : (
        <a href={site.to(tokenPath({ ...named, token_id: tokenId }))}>
          {`#${shortId(tokenId)}${lastTokenId === null ? "" : ` to #${shortId(lastTokenId)}`}`}
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
