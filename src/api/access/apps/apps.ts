/** Console apps: their owners, permissions and permission requests. */

import { isDeepStrictEqual } from "node:util";
import type { Database, Queryable } from "../../db/database.ts";
import type { ApiName } from "../../http/api-names.ts";
import { ApiError } from "../../http/errors.ts";
import { idOfCreated } from "../../http/form-token.ts";
import { addAudit, WITHDRAWAL, wasWithdrawn } from "../audit.ts";
import { lockApp, notifyReplicas } from "../keys/key-store.ts";
import type { AccessService } from "../keys/service.ts";
import {
  type AppRow,
  addApp,
  addRequest,
  closeRequest,
  countApps,
  countOpenRequests,
  countOpenRequestsOf,
  findApps,
  type Holders,
  lockAppOfRequest,
  lockOpenRequest,
  type RequestRow,
  readApp,
  readAppForUpdate,
  readApps,
  readHolders,
  readOpenRequests,
  readRequests,
  settleRequests,
  writeApp,
} from "./app-store.ts";
import {
  contentKinds,
  FIRST_TIER,
  isContent,
  isGranted,
  type Permission,
  settledBy,
  withoutPermission,
  withPermission,
} from "./permissions.ts";

export const APPS_OF_ONE_OWNER_MAX = 20;
const REQUESTS_MAX = 500;
/** Open requests of one app for hosts and display types, whose number nothing else bounds. */
const OPEN_CONTENT_MAX = 50;

export type Creation =
  | { readonly kind: "created"; readonly appId: string }
  | { readonly kind: "name_taken" }
  | { readonly kind: "too_many"; readonly max: number };

export interface NewConsoleApp {
  readonly name: string;
  /** The owner's wallet; null for the operator's app. */
  readonly owner: string | null;
  /** Whether an operator creates it, who may have signed in with a wallet. */
  readonly isByOperator: boolean;
  /** The APIs that it is to have. */
  readonly asked?: readonly ApiName[];
}

/** `outdated`: approved too late, so that nothing was granted and the request is closed as refused. */
export type Decision = "approved" | "refused" | "decided_before" | "outdated";

/** Grants what is no permission of an app, in the transaction of the decision; false if it can't be granted any more. */
export type GrantContent = (tx: Queryable, request: Permission) => Promise<boolean>;

/** `granted` without an operator, as AUTO_APPROVE allows. */
export type RequestOutcome = "granted" | "requested" | "already_requested" | "already_granted";

export interface AppsDeps {
  readonly database: Database;
  readonly access: AccessService;
  /** APIs that apps get without an operator's approval. */
  readonly autoApprove: ReadonlySet<ApiName>;
}

const AUTOMATIC = { by: "AUTO_APPROVE" };

export function createApps({ database, access, autoApprove }: AppsDeps) {
  /** Reads the app under a lock, writes the result of `to`, and notifies every replica; nothing where that is undefined. */
  async function change(
    tx: Queryable,
    appId: string,
    to: (app: AppRow) => AppRow | undefined,
    audit: { readonly actor: string; readonly action: string; readonly detail: object },
  ): Promise<void> {
    const app = await readAppForUpdate(tx, appId);
    const changed = app && to(app);
    if (!changed) return;
    await writeApp(tx, changed);
    await addAudit(tx, audit.actor, audit.action, appId, { app: app.name, ...audit.detail });
    await notifyReplicas(tx);
  }

  return {
    /** APIs that apps get without an operator's approval. */
    autoApprove,

    /**
     * Creates an app with its first key. It gets the APIs that need no approval, whether it asks for them or not; the
     * others of `asked` become requests to the operator. A form that is sent again, by its `token`, creates nothing more.
     */
    create(
      { name, owner, isByOperator, asked = [] }: NewConsoleApp,
      actor: string,
      token?: string,
    ): Promise<Creation> {
      return database.transaction(async (tx): Promise<Creation> => {
        // Serialised per owner; concurrent creations could exceed the limit together.
        await tx.query("select pg_advisory_xact_lock(hashtextextended('apps of ' || coalesce($1, ''), 0))", [
          owner,
        ]);
        const appId = idOfCreated(token, "app", owner, name, asked);
        if (await readApp(tx, appId)) return { kind: "created", appId };
        if (owner !== null && (await countApps(tx, owner)) >= APPS_OF_ONE_OWNER_MAX)
          return { kind: "too_many", max: APPS_OF_ONE_OWNER_MAX };
        const apis = [...autoApprove];
        const tier = isByOperator ? "advanced" : FIRST_TIER;
        if (!(await addApp(tx, { id: appId, name, owner, tier, apis }))) return { kind: "name_taken" };
        const { start } = await access.makeKeyFor(tx, appId);
        await addAudit(tx, actor, "apps.create", appId, { app: name, owner, start, apis });
        for (const subject of asked.filter((api) => !autoApprove.has(api))) {
          await addRequest(tx, appId, "api", subject);
          await addAudit(tx, actor, "requests.create", appId, { app: name, kind: "api", subject });
        }
        return { kind: "created", appId };
      });
    },

    /** An owner's apps, by name. */
    list: (owner: string): Promise<AppRow[]> => readApps(database, owner),

    /** For operators: up to `limit` apps whose name or owner contains the text, by name, after the app `after`. */
    search: (text: string, after: string | undefined, limit: number): Promise<AppRow[]> =>
      findApps(database, text, after, limit),

    /** For operators: the apps with a permission for each collection, up to `limit` of each by name. */
    holdersOf: (collections: readonly string[], limit: number): Promise<Holders[]> =>
      readHolders(database, collections, limit),

    find: (id: string): Promise<AppRow | undefined> => readApp(database, id),

    /** An app's newest 500 requests. */
    requestsOf: (appId: string): Promise<RequestRow[]> => readRequests(database, appId, REQUESTS_MAX),

    /** Up to `limit` open requests, oldest first, after the request `after`. */
    openRequests: (after: string | undefined, limit: number): Promise<RequestRow[]> =>
      readOpenRequests(database, after, limit),

    /** How many requests are open. */
    countOpenRequests: (): Promise<number> => countOpenRequests(database),

    /**
     * Requests a permission from the operator. An API that needs no approval is granted at once, unless an operator
     * has withdrawn it from this app. Throws INVALID_REQUEST for more about content than an app may have open.
     */
    ask(appId: string, request: Permission, actor: string): Promise<RequestOutcome> {
      return database.transaction(async (tx): Promise<RequestOutcome> => {
        const app = await readAppForUpdate(tx, appId);
        if (!app || isGranted(app, request)) return "already_granted";
        const { kind, subject } = request;
        const isAutomatic = kind === "api" && autoApprove.has(subject as ApiName);
        if (isAutomatic && !(await wasWithdrawn(tx, appId, { kind, subject }))) {
          await settleRequests(tx, appId, kind, [subject], actor);
          const detail = { kind, subject, ...AUTOMATIC };
          await change(tx, appId, (each) => withPermission(each, request), {
            actor,
            action: "permissions.grant",
            detail,
          });
          return "granted";
        }
        if (isContent(kind)) {
          const open = await countOpenRequestsOf(tx, appId, contentKinds);
          if (open >= OPEN_CONTENT_MAX) {
            const message = `${open} such requests of this app are open; the limit is ${OPEN_CONTENT_MAX}`;
            throw new ApiError("INVALID_REQUEST", [{ path: "", message }]);
          }
        }
        if (!(await addRequest(tx, appId, kind, subject))) return "already_requested";
        await addAudit(tx, actor, "requests.create", appId, { app: app.name, ...request });
        return "requested";
      });
    },

    /**
     * Approves or refuses a request. `grantContent` grants what is no permission of an app. Approving a tier never
     * lowers the app's own.
     */
    decide(
      requestId: string,
      verdict: "approve" | "refuse",
      actor: string,
      grantContent: GrantContent,
    ): Promise<Decision> {
      return database.transaction(async (tx): Promise<Decision> => {
        // The app before its requests, as everywhere: two decisions on one app would wait for each other.
        const asking = await lockAppOfRequest(tx, requestId);
        const open = asking && (await lockOpenRequest(tx, requestId));
        if (!open) return "decided_before";
        const { appId, ...request } = open;
        const isGrantable = async (): Promise<boolean> => {
          if (isContent(request.kind)) return grantContent(tx, request);
          return request.kind !== "tier" || !isGranted(asking, request);
        };
        const isOutdated = verdict === "approve" && !(await isGrantable());
        const isApproved = verdict === "approve" && !isOutdated;
        await closeRequest(tx, requestId, isApproved, actor);
        if (isApproved) await settleRequests(tx, appId, request.kind, settledBy(request), actor);
        await change(tx, appId, (app) => (isApproved ? withPermission(app, request) : app), {
          actor,
          action: isApproved ? "requests.approve" : "requests.refuse",
          detail: { ...request, ...(isOutdated && { outdated: true }) },
        });
        if (isOutdated) return "outdated";
        return isApproved ? "approved" : "refused";
      });
    },

    /**
     * Grants a permission and closes any open request for it. `how` is the evidence for the grant. Where neither changes
     * anything, the audit log doesn't either.
     */
    grant(appId: string, permission: Permission, actor: string, how: object): Promise<void> {
      return database.transaction(async (tx) => {
        await lockApp(tx, appId);
        const isSettling = await settleRequests(tx, appId, permission.kind, settledBy(permission), actor);
        const audit = { actor, action: "permissions.grant", detail: { ...permission, ...how } };
        const granted = (app: AppRow): AppRow | undefined => {
          const changed = withPermission(app, permission);
          return isSettling || !isDeepStrictEqual(changed, app) ? changed : undefined;
        };
        await change(tx, appId, granted, audit);
      });
    },

    /**
     * Withdraws a permission; every replica refuses it at once, or within 2 seconds if the notice is lost. Nothing changes
     * for an app without it.
     */
    withdraw(appId: string, permission: Permission, actor: string): Promise<void> {
      const without = (app: AppRow): AppRow | undefined => {
        const changed = withoutPermission(app, permission);
        return isDeepStrictEqual(changed, app) ? undefined : changed;
      };
      const audit = { actor, action: WITHDRAWAL, detail: permission };
      return database.transaction((tx) => change(tx, appId, without, audit));
    },
  };
}

export type Apps = ReturnType<typeof createApps>;
