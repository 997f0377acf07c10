/** What an app may do, or asks for, and how a grant or a withdrawal changes it. */

import { isTier, type Tier, tierNames } from "../../http/limits/tiers.ts";
import type { AppRow, RequestKind } from "./app-store.ts";

/** That of a new app in the console. */
export const FIRST_TIER: Tier = "basic";
/** The permission to write every collection's information, which only the operator's CLI grants. */
export const ALL_COLLECTIONS = "all";

/** A permission that the operator grants or withdraws. */
export interface Permission {
  readonly kind: RequestKind;
  readonly subject: string;
}

/** What an app asks for that is about a collection's content, and none of its own permissions. */
export const contentKinds: readonly RequestKind[] = ["host", "display_type"];
export const isContent = (kind: RequestKind): boolean => contentKinds.includes(kind);

/** This tier and those below it. */
function tiersUpTo(tier: string): readonly string[] {
  const names: readonly string[] = tierNames;
  return names.slice(0, names.indexOf(tier) + 1);
}

/** What the app need not ask for; of tiers, also those below its own. */
export const isGranted = ({ apis, collections, tier }: AppRow, { kind, subject }: Permission): boolean => {
  if (isContent(kind)) return false;
  if (kind === "api") return apis.includes(subject);
  if (kind === "tier") return tiersUpTo(tier).includes(subject);
  return collections === null || collections.includes(subject);
};

export const withPermission = (app: AppRow, { kind, subject }: Permission): AppRow => {
  // An operator may lower a tier.
  if (kind === "tier") return isTier(subject) ? { ...app, tier: subject } : app;
  if (isContent(kind) || isGranted(app, { kind, subject })) return app;
  if (kind === "api") return { ...app, apis: [...app.apis, subject] };
  return { ...app, collections: [...(app.collections ?? []), subject] };
};

export const withoutPermission = (app: AppRow, { kind, subject }: Permission): AppRow => {
  if (kind === "api") return { ...app, apis: app.apis.filter((each) => each !== subject) };
  if (kind === "tier") return { ...app, tier: FIRST_TIER };
  if (subject === ALL_COLLECTIONS) return { ...app, collections: [] };
  return { ...app, collections: app.collections?.filter((each) => each !== subject) ?? null };
};

/** The requests that a grant settles. */
export const settledBy = ({ kind, subject }: Permission): readonly string[] =>
  kind === "tier" ? tiersUpTo(subject) : [subject];
