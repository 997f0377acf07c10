/** The shared parts of the operator's pages. */

import type { Child } from "hono/jsx";
import { collectionKey, parseCollectionKey } from "../../../domain/token-ref.ts";
import { Tabs, Title } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import type { ConsoleContext, Site } from "../env.ts";
import { render } from "../frame.tsx";

/** The names of the tabs' texts, by path. */
const tabs = {
  "/overview": "overview",
  "": "requests",
  "/apps": "apps",
  "/collections": "collections",
  "/refreshes": "queue",
  "/hosts": "hosts",
  "/traits": "types",
  "/audit": "audit",
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
    { title: words().operator.tabs[tabs[tab]], scripts: ["live.js"], ...options },
    <Frame site={site} tab={tab} content={content} />,
  );

const Frame = ({ site, tab, content }: { site: Site; tab: OperatorTab; content: Child }) => {
  const { operator } = words();
  return (
    <>
      <Title>{operator.title}</Title>
      <Tabs
        label={operator.pages}
        to={site.to}
        links={Object.entries(tabs).map(([path, name]) => ({
          href: operatorPath(path as OperatorTab),
          text: operator.tabs[name],
          isCurrent: path === tab,
        }))}
      />
      {content}
    </>
  );
};

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
  const { chainId, address } = parseCollectionKey(name);
  return site.collections.find(address, chainId);
}
