/**
 * The operator's actions, but for those on keys and sign-ins, which `access` has. REST and the console call these, so
 * they can't diverge; the CLI calls REST. A change and its audit row are one transaction; a comparison of locks changes
 * nothing, and its row follows it.
 */

import type { CollectionConfig } from "../../config.ts";
import { collectionKey, parseCollectionKey } from "../../domain/token-ref.ts";
import type { Apps, Decision } from "../access/apps/apps.ts";
import type { Permission } from "../access/apps/permissions.ts";
import type { AccessService } from "../access/keys/service.ts";
import { parseDisplayTypeSubject, parseHostSubject } from "../access/module.ts";
import type { Database, Queryable } from "../db/database.ts";
import type { Allowlist } from "../media/display/allowlist.ts";
import type { DisplayType } from "../metadata/document/traits.ts";
import type { Renormaliser } from "../metadata/renormalise/renormalise.ts";
import type { RenormaliseState } from "../metadata/renormalise/renormalise-store.ts";
import { displayTypes, NORMALISER } from "../metadata/rules.ts";
import type { Approval, TraitApproval } from "../metadata/traits/trait-approval.ts";
import type { OperatorRequests } from "../refresh/operator-requests.ts";
import type { Reconcile, ReconciledPage } from "../trading/reconcile/reconcile.ts";

/** The actor behind the bearer token: the CLI and other programs. */
export const OPERATOR = "operator";

export interface OperatorDeps {
  readonly database: Database;
  readonly access: Pick<AccessService, "audit">;
  readonly apps: Pick<Apps, "decide">;
  readonly allowlist: Allowlist;
  readonly traitApproval: TraitApproval;
  readonly operatorRequests: OperatorRequests;
  readonly renormaliser: Pick<Renormaliser, "request" | "progress">;
  readonly reconcile: Reconcile;
}

/** `actor` is `operator` for the bearer token and the CLI, or a wallet for a console session. */
export function createOperatorActions(deps: OperatorDeps) {
  const { database, access, apps, allowlist, traitApproval, operatorRequests, renormaliser, reconcile } =
    deps;

  const changeHosts = <Result>(work: Promise<Result>): Promise<Result> => work.finally(allowlist.forget);

  async function allowHost(tx: Queryable, actor: string, pattern: string, collection: string | null) {
    await allowlist.add(tx, pattern, collection, actor);
    await access.audit(tx, actor, "allowlist.add", pattern, { collection });
  }

  const auditType =
    (actor: string, subject: string, traitType: string, displayType: string) =>
    (tx: Queryable, was: DisplayType): Promise<void> =>
      access.audit(tx, actor, "traits.approve", subject, {
        trait_type: traitType,
        from: was,
        to: displayType,
      });

  /** Grants a requested host or display type; false if no hidden entry has that type any more. */
  async function grantContent(tx: Queryable, actor: string, { kind, subject }: Permission): Promise<boolean> {
    if (kind === "host") {
      const { pattern, collection } = parseHostSubject(subject);
      await allowHost(tx, actor, pattern, collection);
      return true;
    }
    const { collection, traitType, displayType } = parseDisplayTypeSubject(subject);
    const { chainId, address } = parseCollectionKey(collection);
    const type = displayTypes.find((each) => each === displayType);
    if (!type) return false;
    const ref = { chainId, collection: address };
    const audit = auditType(actor, collection, traitType, type);
    return (await traitApproval.approveIn(tx, ref, traitType, type, audit)).kind === "approved";
  }

  return {
    /** Approves or refuses an app's request; an approved host or display type takes effect in the same transaction. */
    decideRequest: (actor: string, requestId: string, verdict: "approve" | "refuse"): Promise<Decision> =>
      changeHosts(apps.decide(requestId, verdict, actor, (tx, request) => grantContent(tx, actor, request))),

    /** `collection` is `chainId:address`, or null for every collection. A host already on the list is unchanged. */
    allowHost: (actor: string, pattern: string, collection: string | null): Promise<void> =>
      changeHosts(database.transaction((tx) => allowHost(tx, actor, pattern, collection))),

    /** False, without an audit row, if the host is not on the list. */
    disallowHost: (actor: string, pattern: string, collection: string | null): Promise<boolean> =>
      changeHosts(
        database.transaction(async (tx) => {
          const isRemoved = await allowlist.remove(tx, pattern, collection);
          if (isRemoved) await access.audit(tx, actor, "allowlist.remove", pattern, { collection });
          return isRemoved;
        }),
      ),

    approveDisplayType: (
      actor: string,
      { chainId, address }: CollectionConfig,
      traitType: string,
      displayType: DisplayType,
    ): Promise<Approval> =>
      traitApproval.approve(
        { chainId, collection: address },
        traitType,
        displayType,
        auditType(actor, collectionKey({ chainId, address }), traitType, displayType),
      ),

    /**
     * Refreshes these distinct tokens, or all known ones if null, and returns the receipt's id. `accept` serves a
     * document even if it is less complete than the previous one.
     */
    requestRefresh(
      actor: string,
      collection: CollectionConfig,
      tokenIds: readonly string[] | null,
      accept: boolean,
      requestId?: string,
    ): Promise<string> {
      const note = (tx: Queryable, refresh_id: string): Promise<void> =>
        access.audit(tx, actor, "refreshes.request", collectionKey(collection), {
          refresh_id,
          token_count: tokenIds?.length ?? null,
          accept,
        });
      return tokenIds
        ? operatorRequests.requestTokens(collection, tokenIds, accept, note, requestId)
        : operatorRequests.requestCollection(collection, accept, note, requestId);
    },

    /** Re-reads stored documents by this release's rules, in the background and without fetches. */
    requestRenormalise: (actor: string): Promise<RenormaliseState | undefined> =>
      renormaliser.request((tx) =>
        access.audit(tx, actor, "metadata.renormalise", "metadata", { normaliser: NORMALISER }),
      ),

    /** Compares a page of a collection's locks with its contract; changes nothing but the audit log. */
    async reconcileLocks(
      actor: string,
      collection: CollectionConfig,
      choice: Parameters<Reconcile["comparePage"]>[1],
    ): Promise<ReconciledPage> {
      const page = await reconcile.comparePage(collection, choice);
      const { block, offers, checked, unreadable, drift } = page;
      const subject = collectionKey(collection);
      await access.audit(database, actor, "locks.reconcile", subject, {
        after_token_id: choice.after,
        block,
        offers: offers[0]?.view.name ?? null,
        checked,
        unreadable,
        drift: drift.length,
      });
      return page;
    },
  };
}

export type OperatorActions = ReturnType<typeof createOperatorActions>;
