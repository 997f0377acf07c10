/** The tables of access, as its typed statements use them. */

import { bigint, boolean, jsonb, text, uuid } from "drizzle-orm/pg-core";
import { bytea, timestamptz, vitrine } from "../db/orm.ts";
import type { Tier } from "../http/limits/tiers.ts";

export const app = vitrine.table("app", {
  id: uuid().primaryKey(),
  name: text().notNull(),
  apis: text().array().notNull(),
  /** `chainId:address` each, or null for every collection. */
  collections: text().array(),
  createdAt: timestamptz().notNull().defaultNow(),
  /** The owner's wallet; null for the operator's apps. */
  owner: text(),
  tier: text().$type<Tier>().notNull().default("advanced"),
  /** The first request that a gateway API answered without an error; null for none. */
  firstSuccessAt: timestamptz(),
});

export const accessRequest = vitrine.table("access_request", {
  id: uuid().primaryKey(),
  appId: uuid().notNull(),
  kind: text({ enum: ["api", "collection", "tier", "host", "display_type"] }).notNull(),
  subject: text().notNull(),
  createdAt: timestamptz().notNull().defaultNow(),
  decidedAt: timestamptz(),
  decidedBy: text(),
  isApproved: boolean(),
});

export const audit = vitrine.table("audit", {
  id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
  at: timestamptz().notNull().defaultNow(),
  actor: text().notNull(),
  action: text().notNull(),
  subject: text().notNull(),
  detail: jsonb().$type<Readonly<Record<string, unknown>>>().notNull().default({}),
});

export const loginLink = vitrine.table("login_link", {
  hash: bytea().primaryKey(),
  createdAt: timestamptz().notNull().defaultNow(),
  expiresAt: timestamptz().notNull(),
  usedAt: timestamptz(),
});

export const session = vitrine.table("session", {
  hash: bytea().primaryKey(),
  address: text(),
  createdAt: timestamptz().notNull().defaultNow(),
  expiresAt: timestamptz().notNull(),
});

export const signInNonce = vitrine.table("sign_in_nonce", {
  nonce: text().primaryKey(),
  purpose: text().notNull(),
  expiresAt: timestamptz().notNull(),
});
