/** The shared frame of an app's tabs. */

import type { PropsWithChildren } from "hono/jsx";
import type { AppRow } from "../../access/apps/app-store.ts";
import { Tabs, Title } from "../../ui/parts.tsx";
import type { Site } from "../env.ts";
import { shortAddress } from "../frame.tsx";

const tabs = {
  "": "Information",
  "/permissions": "Permissions",
  "/collections": "Collections",
  "/requests": "Requests",
  "/limits": "Limits",
  "/webhooks": "Webhooks",
  "/health": "Health",
} as const;

export type AppTab = keyof typeof tabs;

export const pathOf = (app: { readonly id: string }, tab: AppTab = ""): string =>
  `/console/apps/${app.id}${tab}`;

export const AppFrame = ({
  site,
  app,
  tab,
  children,
}: PropsWithChildren<{ site: Site; app: AppRow; tab: AppTab }>) => (
  <>
    <Title hint={app.owner ? `App of ${shortAddress(app.owner)}` : "App of the operator"}>{app.name}</Title>
    <Tabs
      label={`Pages of ${app.name}`}
      to={site.to}
      links={Object.entries(tabs).map(([path, text]) => ({
        href: pathOf(app, path as AppTab),
        text,
        isCurrent: path === tab,
      }))}
    />
    {children}
  </>
);
