/** The shared parts of the operator's pages. */

import type { Child } from "hono/jsx";
import { collectionKey } from "../../../domain/token-ref.ts";
import { Tabs, Title } from "../../ui/parts.tsx";
import type { ConsoleContext, Site } from "../env.ts";
import { render } from "../frame.tsx";

const tabs = {
  "/overview": "Overview",
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

/** Renders the page of a tab, with the tab's name as its title. */
export const renderOperator = (
  site: Site,
  c: ConsoleContext,
  tab: OperatorTab,
  content: Child,
  options: { readonly status?: 200 | 400 } = {},
) =>
  // The number of open requests in the navigation is live on every tab.
  render(
    site,
    c,
    { title: tabs[tab], scripts: ["live.js"], ...options },
    <Frame site={site} tab={tab} content={content} />,
  );

const Frame = ({ site, tab, content }: { site: Site; tab: OperatorTab; content: Child }) => (
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
    {content}
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
