/** The part of the Health tab that refreshes tokens, or the whole collection, and shows how far a refresh is. */

import type { CollectionConfig } from "../../../config.ts";
import { collectionKey } from "../../../domain/token-ref.ts";
import type { AppRow } from "../../access/apps/app-store.ts";
import { ApiError, detailsOf } from "../../http/errors.ts";
import type { CollectionReceipt } from "../../refresh/collections/collection-requests.ts";
import { viewCollectionReceipt } from "../../refresh/module.ts";
import type { Receipt } from "../../refresh/receipts/receipts.ts";
import { refusalOf, tokenIdsField } from "../../refresh/rules.ts";
import { isUuid } from "../../text/uuid.ts";
import { formatNumber as count } from "../../ui/numbers.ts";
import { Badge, Button, Card, Facts, Field, Notice, Table } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import type { Site } from "../env.ts";
import { pathOf } from "./app-frame.tsx";

export interface Place {
  readonly site: Site;
  readonly app: AppRow;
  readonly collection: CollectionConfig;
}

export type FoundRefresh =
  | { readonly kind: "collection"; readonly receipt: CollectionReceipt }
  | { readonly kind: "tokens"; readonly receipt: Receipt };

/** Why a form did nothing: that of listed tokens, with what was typed, or that of the whole collection. */
export type Refusal =
  | { readonly kind: "tokens"; readonly text: string; readonly message: string }
  | { readonly kind: "collection"; readonly runningFor: "own" | "other" };

/** What the refusal of a whole collection's refresh says; undefined for any other error. */
export function refusalOfRunning(error: unknown): Refusal | undefined {
  if (!(error instanceof ApiError) || error.code !== "REFRESH_RUNNING") return undefined;
  const isOwn = error.details.some(({ path }) => path === "refresh_id");
  return { kind: "collection", runningFor: isOwn ? "own" : "other" };
}

/** The refresh that the page names, or else the one of the whole collection that runs; undefined if there is none. */
export async function findRefresh(
  { site, app, collection }: Place,
  named: string | undefined,
): Promise<FoundRefresh | undefined> {
  const { refresh, collectionRequests } = site;
  const id = named !== undefined && isUuid(named) ? named : undefined;
  const shown = id ?? (await collectionRequests.findRunning(collection, app.id));
  if (shown === undefined) return undefined;
  const whole = await collectionRequests.findReceipt(shown, app.id);
  if (whole) {
    const isHere = whole.chainId === collection.chainId && whole.collection === collection.address;
    return isHere ? { kind: "collection", receipt: whole } : undefined;
  }
  const receipt = await refresh.findReceiptOf(collection, shown, { appId: app.id });
  return receipt && { kind: "tokens", receipt };
}

/**
 * Refreshes the tokens that a form names, separated by commas or spaces. Returns the receipt's id; throws INVALID_REQUEST
 * or TOO_MANY_TOKENS for other text, and what the route does if no such token is known.
 */
export async function refreshTokens(
  { site, app, collection }: Place,
  text: string,
  requestId: string,
): Promise<string> {
  const parsed = tokenIdsField.safeParse(text.split(/[\s,]+/).filter(Boolean));
  if (!parsed.success) throw new ApiError("INVALID_REQUEST", detailsOf(parsed.error));
  const { receiptId, tokens } = await site.refresh.request(collection, [...new Set(parsed.data)], {
    trigger: "rest",
    receiptFor: { appId: app.id },
    requestId,
  });
  if (!receiptId) throw refusalOf(tokens);
  return receiptId;
}

const actionOf = ({ site, app }: Place, name: string): string => site.to(`${pathOf(app, "/health")}/${name}`);
const Hidden = ({ name, value }: { name: string; value: string }) => (
  <input type="hidden" name={name} value={value} />
);
const Collection = ({ collection }: Pick<Place, "collection">) => (
  <Hidden name="collection" value={collectionKey(collection)} />
);

const tones = { running: "warn", done: "good", cancelled: "plain" } as const;

const OfCollection = ({ receipt, ...place }: Place & { receipt: CollectionReceipt }) => {
  const { refresh_id, status, done, counts, counted, failures } = viewCollectionReceipt(receipt);
  const { total, queued, fetching, updated, unchanged, failed, not_found, cancelled } = counts;
  const text = words().consoleApp.refreshes;
  return (
    <>
      <p>
        <Badge tone={tones[status]}>{text.states[status]}</Badge>{" "}
        <progress value={total - queued - fetching} max={Math.max(1, total)} aria-label={text.progress} />{" "}
        <span class="small soft">
          {text.readOf(count(total - queued - fetching - cancelled), count(total), counted)}
        </span>
      </p>
      <Facts
        rows={[
          [text.counts.queued, count(queued)],
          [text.counts.fetching, count(fetching)],
          [text.counts.updated, count(updated)],
          [text.counts.unchanged, count(unchanged)],
          [text.counts.failed, count(failed)],
          [text.counts.not_found, count(not_found)],
          ...(cancelled > 0 ? [[text.counts.cancelled, count(cancelled)] as const] : []),
        ]}
      />
      {failures.length > 0 && (
        <Table
          caption={text.failures}
          columns={[text.columns.cause, { head: text.columns.tokens, isNumber: true }, text.columns.example]}
          rows={failures.map(({ code, count: tokens, example }) => [
            <code>{code}</code>,
            count(tokens),
            `${example.token_id}: ${example.reason}`,
          ])}
        />
      )}
      {status === "running" && !done && (
        <form method="post" action={actionOf(place, "cancel")}>
          <Collection {...place} />
          <Hidden name="refresh" value={refresh_id} />
          <Button kind="danger">{text.cancel}</Button>
        </form>
      )}
    </>
  );
};

const OfTokens = ({ receipt: { tokens, done } }: { receipt: Receipt }) => {
  const text = words().consoleApp.refreshes;
  return (
    <>
      <p>
        <Badge tone={done ? "good" : "warn"}>{done ? text.states.done : text.states.running}</Badge>
      </p>
      <Table
        caption={text.tokensCaption}
        columns={[text.columns.token, text.columns.state, text.columns.reason, text.columns.picture]}
        rows={tokens.map(({ token_id, status, reason, image, image_reason }) => [
          token_id,
          text.tokenStates[status],
          reason ?? "",
          image_reason ?? text.pictures[image],
        ])}
      />
    </>
  );
};

/** The forms are outside of what updates live, so that nothing typed is lost. */
export const RefreshCard = ({
  found,
  refusal,
  ...place
}: Place & {
  found: FoundRefresh | undefined;
  refusal?: Refusal | undefined;
}) => {
  const text = words().consoleApp.refreshes;
  const ofTokens = refusal?.kind === "tokens" ? refusal : undefined;
  return (
    <Card title={text.title} hint={text.hint}>
      {!place.app.apis.includes("market-partner") ? (
        <Notice tone="warn">{text.notAllowed}</Notice>
      ) : (
        <>
          <div id="refresh" class="stack" data-live>
            {found?.kind === "collection" && <OfCollection {...place} receipt={found.receipt} />}
            {found?.kind === "tokens" && <OfTokens receipt={found.receipt} />}
          </div>
          <form method="post" action={actionOf(place, "refresh")} class="stack">
            <Collection {...place} />
            <Field
              name="token_ids"
              label={text.tokenIds}
              hint={text.tokenIdsHint(100)}
              autocomplete="off"
              required
              value={ofTokens?.text}
              error={ofTokens?.message}
            />
            <div>
              <Button kind="primary">{text.refreshThese}</Button>
            </div>
          </form>
          {refusal?.kind === "collection" && (
            <Notice tone="warn">{text.alreadyRunning[refusal.runningFor]}</Notice>
          )}
          <form method="post" action={actionOf(place, "refresh-collection")}>
            <Collection {...place} />
            <Button>{text.refreshAll}</Button>
          </form>
        </>
      )}
    </Card>
  );
};

/** A button that refreshes the tokens of a list. */
export const RefreshListed = ({ tokenIds, ...place }: Place & { tokenIds: readonly string[] }) =>
  tokenIds.length === 0 || !place.app.apis.includes("market-partner") ? null : (
    <form method="post" action={actionOf(place, "refresh")}>
      <Collection {...place} />
      <Hidden name="token_ids" value={[...new Set(tokenIds)].join(",")} />
      <Button>{words().consoleApp.refreshes.refreshListed(new Set(tokenIds).size)}</Button>
    </form>
  );
