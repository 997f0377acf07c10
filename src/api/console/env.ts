/** The context that every console page works with. */

import type { Context } from "hono";
import type { AppRow } from "../access/apps/app-store.ts";
import type { Apps } from "../access/apps/apps.ts";
import type { Usage } from "../access/apps/usage.ts";
import type { AuditRow } from "../access/audit.ts";
import type { Secrets } from "../access/keys/encryption.ts";
import type { AccessService } from "../access/keys/service.ts";
import type { RateLimits } from "../access/limits/rate-limits.ts";
import type { Session, Sessions } from "../access/sign-in/sessions.ts";
import type { WalletProof } from "../access/sign-in/wallet-proof.ts";
import type { Freshness } from "../app/health.ts";
import type { CollectionViewDeps } from "../catalog/collection-view.ts";
import type { Collections } from "../catalog/collections.ts";
import type { HealthService } from "../catalog/health/health.ts";
import type { InformationService } from "../catalog/information/information.ts";
import type { Catalog } from "../catalog/service.ts";
import type { ChainClient } from "../chain/rpc/clients.ts";
import type { Database } from "../db/database.ts";
import { ApiError } from "../http/errors.ts";
import { parseForm } from "../http/form.ts";
import type { Logger } from "../logging/logger.ts";
import type { Allowlist } from "../media/display/allowlist.ts";
import type { MediaState } from "../media/storage/overview.ts";
import type { TraitApproval } from "../metadata/traits/trait-approval.ts";
import type { OperatorActions } from "../operator/actions.ts";
import type { CollectionRequests } from "../refresh/collections/collection-requests.ts";
import type { OperatorRequests } from "../refresh/operator-requests.ts";
import type { RefreshService } from "../refresh/service.ts";
import type { Search } from "../search/service.ts";
import { isUuid } from "../text/uuid.ts";
import type { PageVariables, To } from "../ui/site.ts";
import type { WebhookService } from "../webhooks/service.ts";

export interface ConsoleDeps {
  readonly database: Database;
  readonly access: AccessService;
  readonly apps: Apps;
  readonly sessions: Sessions;
  readonly proof: WalletProof;
  readonly usage: Usage;
  readonly rateLimits: RateLimits;
  readonly secrets: Secrets;
  readonly collections: Collections;
  readonly collectionHealth: HealthService;
  readonly information: InformationService;
  readonly catalog: Pick<Catalog, "findTokens">;
  readonly holdings: CollectionViewDeps["holdings"];
  readonly readContracts: CollectionViewDeps["readContracts"];
  readonly allowlist: Allowlist;
  readonly traitApproval: TraitApproval;
  readonly operatorRequests: OperatorRequests;
  readonly refresh: Pick<RefreshService, "request" | "findReceiptOf">;
  readonly collectionRequests: CollectionRequests;
  readonly actions: OperatorActions;
  readonly webhooks: WebhookService;
  readonly search: Pick<Search, "page">;
  /** The node whose development accounts are a wallet for everyone; undefined for none. */
  readonly demoWallet: ChainClient | undefined;
  readonly freshness: () => Promise<Freshness>;
  readonly mediaState: () => Promise<MediaState>;
  readonly readAudit: (limit: number, before?: string) => Promise<AuditRow[]>;
  readonly baseUrl: string;
  readonly logger: Logger;
}

export interface ConsoleEnv {
  Variables: PageVariables & {
    requestId: string;
    session: Session | undefined;
    /** The number of open requests, for operators. */
    openRequests?: number;
  };
}

export type ConsoleContext = Context<ConsoleEnv>;

/** The dependencies, and values derived from them once. */
export interface Site extends ConsoleDeps {
  /** The chain on which contract wallets' sign-ins are checked: the first of collections.json. */
  readonly signInChainId: number | undefined;
  readonly to: To;
  /** Scripts that add wallets to those of the browser; before any that asks for one. */
  readonly walletScripts: readonly string[];
}

/** The detail is for scripts, which show it. */
export const notSignedIn = (): ApiError =>
  new ApiError("KEY_MISSING", [{ path: "", message: "your session has ended; sign in again" }]);

/** The caller's session; throws KEY_MISSING if nobody is signed in. */
export function signedIn(c: ConsoleContext): Session {
  const session = c.get("session");
  if (!session) throw notSignedIn();
  return session;
}

/** Throws NOT_FOUND for everybody else, so that strangers can't tell which pages operators have. */
export function operatorOnly(c: ConsoleContext): Session {
  const session = signedIn(c);
  if (!session.isOperator) throw new ApiError("NOT_FOUND");
  return session;
}

/** A path parameter that is a UUID; throws NOT_FOUND for anything else. */
export function idOf(c: ConsoleContext, name: string): string {
  const id = c.req.param(name) ?? "";
  if (!isUuid(id)) throw new ApiError("NOT_FOUND");
  return id;
}

/** The app of the path, if it is the caller's or the caller is an operator; otherwise throws NOT_FOUND. */
export async function appOf(site: Site, c: ConsoleContext): Promise<AppRow> {
  const session = signedIn(c);
  const app = await site.apps.find(idOf(c, "app"));
  if (!app || (!session.isOperator && app.owner !== session.address)) throw new ApiError("NOT_FOUND");
  return app;
}

/** Throws NOT_ALLOWED for an app that REST would refuse the same. */
export function requirePartner(app: AppRow): void {
  if (!app.apis.includes("market-partner"))
    throw new ApiError("NOT_ALLOWED", [{ path: "", message: "the app lacks the API market-partner" }]);
}

/** The text fields of a form, without files and repeated fields. Throws INVALID_REQUEST if the body is not a form. */
export async function formOf(c: ConsoleContext): Promise<Readonly<Record<string, string>>> {
  const entries = Object.entries(await parseForm(c));
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

/** Redirects to a page that shows what the form did. */
export const goTo = (site: Site, c: ConsoleContext, path: string, done?: string): Response =>
  c.redirect(site.to(`${path}${done ? `${path.includes("?") ? "&" : "?"}done=${done}` : ""}`), 303);
