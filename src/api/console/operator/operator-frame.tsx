/** The shared parts of the operator's pages. */

import type { PropsWithChildren } from "hono/jsx";
import { collectionKey } from "../../../domain/token-ref.ts";
import { Tabs, Title } from "../../ui/parts.tsx";
import type { Site } from "../env.ts";

const tabs = {
  "": "Requests",
  "/apps": "Apps",
  "/collections": "Collections",
  "/refreshes": "Refresh queue",
  "/hosts": "Hosts",
  "/traits": "Display types",
  "/audit": "Audit log",
} as const;

export type OperatorTab = keyof typeof tabs;

export const operatorPath = (tab: OperatorTab = ""): string => `/console/operator${tab}`;

export const OperatorFrame = ({
  site,
  tab,
  children,
}: PropsWithChildren<{ site: Site; tab: OperatorTab }>) => (
  <>
    <Title>Operator</Title>
    <Tabs
      label="Operator's pages"
      to={site.to}
      links={Object.entries(tabs).map(([path, text]) => ({
        href: operatorPath(path as OperatorTab),
        text,
        isCurrent: path === tab,
      }))}
    />
    {children}
  </>
);

/** A collection's display name, with its identifier. */
export const CollectionName = ({ site, name }: { site: Site; name: string }) => {
  const found = site.collections.all.find((each) => collectionKey(each) === name);
  return (
    <>
      {found?.name && <div>{found.name}</div>}
      <code class="soft">{name}</code>
    </>
  );
};

/** The options of a form field that names a collection. */
export const collectionOptions = (site: Site) =>
  site.collections.all.map((collection) => {
    const value = collectionKey(collection);
    return { value, text: collection.name ? `${collection.name} (${value})` : value };
  });

/** The collection named in a form; throws COLLECTION_NOT_FOUND if it is not served. */
export function collectionNamed(site: Site, name = "") {
  const [chainId, address = ""] = name.split(":");
  return site.collections.find(address, Number(chainId));
}
