/** The card of the Permissions tab for requests about a collection's content. */

import type { CollectionConfig } from "../../../config.ts";
import { type CollectionRef, collectionKey } from "../../../domain/token-ref.ts";
import type { AppRow, RequestRow } from "../../access/apps/app-store.ts";
import { displayTypeSubject } from "../../access/module.ts";
import type { PendingType } from "../../metadata/traits/approval-store.ts";
import { formatCount } from "../../ui/numbers.ts";
import { Button, Card, Field, Notice, Table } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import type { Site } from "../env.ts";
import { traitTypeField } from "../request-subject.ts";
import { pathOf } from "./app-frame.tsx";

const CONFLICTS_MAX = 50;

/** The served collections whose information the app may write. */
export const collectionsOf = (site: Site, app: AppRow) =>
  site.collections.all.filter((each) => app.collections?.includes(collectionKey(each)) ?? true);

export const refOf = ({ chainId, address }: CollectionConfig): CollectionRef => ({
  chainId,
  collection: address,
});

/** Trait types of the app's collections that came with another display type. */
export function conflictsOf(site: Site, app: AppRow): Promise<PendingType[]> {
  const refs = collectionsOf(site, app).map(refOf);
  return refs.length === 0 ? Promise.resolve([]) : site.traitApproval.pending(refs, CONFLICTS_MAX);
}

const subjectOfConflict = (row: PendingType): string =>
  displayTypeSubject({
    collection: collectionKey(row),
    traitType: row.traitType,
    displayType: row.proposed,
  });

/** A form for a host that was sent and is refused. */
export interface RefusedHost {
  readonly pattern: string;
  readonly collection: string;
  readonly error: string;
}

interface Props {
  readonly site: Site;
  readonly app: AppRow;
  readonly requests: readonly RequestRow[];
  readonly conflicts: readonly PendingType[];
  readonly refusedHost?: RefusedHost | undefined;
}

/** Nothing for an app without a collection, which has no content to ask for. */
export const ContentRequests = ({ site, app, requests, conflicts, refusedHost }: Props) => {
  const collections = collectionsOf(site, app);
  if (collections.length === 0) return null;
  const text = words().consoleApp.content;
  const path = pathOf(app, "/permissions");
  const isAsked = (subject: string): boolean =>
    requests.some((each) => each.decidedAt === null && each.subject === subject);
  return (
    <Card title={text.title} hint={text.hint}>
      <form method="post" action={site.to(`${path}/ask/host`)} class="inline-form">
        <Field
          name="pattern"
          label={text.host}
          hint={text.hostHint}
          required
          maxlength={253}
          autocomplete="off"
          value={refusedHost?.pattern}
          error={refusedHost?.error}
        />
        <Field
          name="collection"
          label={text.collection}
          value={refusedHost?.collection}
          options={collections.map((each) => {
            const value = collectionKey(each);
            return { value, text: [each.name, value].filter(Boolean).join(", ") };
          })}
        />
        <Button>{text.requestHost}</Button>
      </form>
      {conflicts.length > 0 && (
        <>
          <Notice tone="warn">{text.hidden}</Notice>
          <Table
            caption={text.caption}
            columns={[
              text.columns.traitType,
              text.columns.known,
              text.columns.proposed,
              { head: text.columns.tokens, isNumber: true },
              "",
            ]}
            rows={conflicts.map((row) => [
              row.traitType,
              <code>{row.known}</code>,
              <code>{row.proposed}</code>,
              formatCount(row.tokens, row.hasMoreTokens),
              isAsked(subjectOfConflict(row)) ? (
                text.requested
              ) : (
                <form method="post" action={site.to(`${path}/ask/display-type`)}>
                  <input type="hidden" name="collection" value={collectionKey(row)} />
                  <input type="hidden" {...traitTypeField(row.traitType)} />
                  <input type="hidden" name="display_type" value={row.proposed} />
                  <Button isSlim label={text.requestTypeOf(row.traitType, row.proposed)}>
                    {text.requestType(row.proposed)}
                  </Button>
                </form>
              ),
            ])}
          />
        </>
      )}
    </Card>
  );
};
