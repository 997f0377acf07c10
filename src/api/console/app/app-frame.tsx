/** The shared frame of an app's tabs. */

import type { PropsWithChildren } from "hono/jsx";
import type { AppRow } from "../../access/apps/app-store.ts";
import { Tabs, Title } from "../../ui/parts.tsx";
import { shortAddress } from "../../ui/short-address.ts";
import { words } from "../../ui/visitor.ts";
import type { Site } from "../env.ts";

const tabs = {
  "": "information",
  "/permissions": "permissions",
  "/collections": "collections",
  "/requests": "requests",
  "/limits": "limits",
  "/webhooks": "webhooks",
  "/health": "health",
} as const;

export type AppTab = keyof typeof tabs;

export const pathOf = (app: { readonly id: string }, tab: AppTab = ""): string =>
  `/console/apps/${app.id}${tab}`;

export const AppFrame = ({
  site,
  app,
  tab,
  children,
}: PropsWithChildren<{ site: Site; app: AppRow; tab: AppTab }>) => {
  const text = words().consoleApp;
  return (
    <>
      <Title hint={app.owner ? text.frame.appOf(shortAddress(app.owner)) : text.frame.ofOperator}>
        {app.name}
      </Title>
      <Tabs
        label={text.frame.pagesOf(app.name)}
        to={site.to}
        links={Object.entries(tabs).map(([path, name]) => ({
          href: pathOf(app, path as AppTab),
          text: text.tabs[name],
          isCurrent: path === tab,
        }))}
      />
      {children}
    </>
  );
};
