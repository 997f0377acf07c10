/** The webhooks of a partner's app in the console. */

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { TestDatabase } from "../../support/database/database.ts";
import type { createTestApp } from "../../support/processes/app.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

export const WEBHOOK_URL = "https://partner.example/hooks";

export interface WebhookTab {
  readonly partner: Visitor;
  /** Its path. */
  readonly tab: string;
  /** Sends the form for a new webhook; returns the webhook's path and the page that answers. */
  create(fields?: Record<string, string>): Promise<{ readonly path: string; readonly text: string }>;
}

/** Deletes all apps and signs a partner in who has one. */
export async function openWebhookTab(
  { database }: TestDatabase,
  api: ReturnType<typeof createTestApp>,
): Promise<WebhookTab> {
  await database.query(
    "truncate vitrine.app, vitrine.session, vitrine.audit, vitrine.webhook, vitrine.webhook_delivery cascade",
  );
  const partner = createVisitor(api);
  await partner.signIn(privateKeyToAccount(generatePrivateKey()));
  const tab = `${await partner.createApp("Studio")}/webhooks`;
  await database.query("update vitrine.app set apis = '{market-partner}'");
  return {
    partner,
    tab,
    async create(fields = {}) {
      const { text } = await partner.post(tab, { url: WEBHOOK_URL, ...fields });
      return { path: /action="([^"]+)\/test"/.exec(text)?.[1] ?? "", text };
    },
  };
}

/** The secret that a page shows. */
export const secretIn = (text: string): string | undefined => /value="(whsec_[^"]+)"/.exec(text)?.[1];
