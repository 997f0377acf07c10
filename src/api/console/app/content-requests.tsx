/** Requests to the operator about a collection's content: hosts of videos and animations, and display types. */

import { Hono } from "hono";
import type { CollectionConfig } from "../../../config.ts";
import { type CollectionRef, collectionKey } from "../../../domain/token-ref.ts";
import type { AppRow, RequestRow } from "../../access/apps/app-store.ts";
import { displayTypeSubject, hostSubject } from "../../access/module.ts";
import { ApiError } from "../../http/errors.ts";
import { hostPatternProblem, parseHostPattern } from "../../media/module.ts";
import type { PendingType } from "../../metadata/traits/approval-store.ts";
import { formatCount } from "../../ui/numbers.ts";
import { Button, Card, Field, Notice, Table } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { appOf, type ConsoleContext, type ConsoleEnv, formOf, goTo, type Site, signedIn } from "../env.ts";
import { traitTypeField, traitTypeIn } from "../request-subject.ts";
import { pathOf } from "./app-frame.tsx";

const CONFLICTS_MAX = 50;
/** Open requests of one app for hosts and display types, whose number nothing else bounds. */
const OPEN_MAX = 50;
// A row of a database index has at most 2,704 bytes.
const SUBJECT_BYTES_MAX = 2_500;

type Kind = "host" | "display_type";

/** The served collections whose information the app may write. */
export const collectionsOf = (site: Site, app: AppRow) =>
  site.collections.all.filter((each) => app.collections?.includes(collectionKey(each)) ?? true);

const refOf = ({ chainId, address }: CollectionConfig): CollectionRef => ({ chainId, collection: address });

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

interface Props {
  readonly site: Site;
  readonly app: AppRow;
  readonly requests: readonly RequestRow[];
  readonly conflicts: readonly PendingType[];
}

/** Nothing for an app without a collection, which has no content to ask for. */
export const ContentRequests = ({ site, app, requests, conflicts }: Props) => {
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
        />
        <Field
          name="collection"
          label={text.collection}
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

const refused = (path: string, message: string) => new ApiError("INVALID_REQUEST", [{ path, message }]);

export function contentRequestPages(site: Site): Hono<ConsoleEnv> {
  const at = "/apps/:app/permissions/ask";

  /** The form's collection; throws INVALID_REQUEST if the app may not write its information. */
  function collectionOf(app: AppRow, name = ""): CollectionRef {
    const found = collectionsOf(site, app).find((each) => collectionKey(each) === name);
    if (found) return refOf(found);
    throw refused("collection", "is not one of this app’s collections; prove it first");
  }

  async function ask(c: ConsoleContext, app: AppRow, kind: Kind, subject: string): Promise<Response> {
    const bytes = Buffer.byteLength(subject);
    if (bytes > SUBJECT_BYTES_MAX)
      throw refused("subject", `has ${bytes} bytes; the limit is ${SUBJECT_BYTES_MAX}: ask the operator`);
    const requests = await site.apps.requestsOf(app.id);
    const open = requests.filter(
      (each) => each.decidedAt === null && (each.kind === "host" || each.kind === "display_type"),
    );
    if (open.length >= OPEN_MAX)
      throw refused("", `${open.length} such requests of this app are open; the limit is ${OPEN_MAX}`);
    const outcome = await site.apps.ask(app.id, { kind, subject }, signedIn(c).actor);
    return goTo(site, c, pathOf(app, "/permissions"), outcome);
  }

  return new Hono<ConsoleEnv>()
    .post(`${at}/host`, async (c) => {
      const app = await appOf(site, c);
      const form = await formOf(c);
      const text = (form.pattern ?? "").trim();
      const pattern = parseHostPattern(text);
      if (!pattern) throw refused("pattern", hostPatternProblem(text));
      const collection = collectionKey(collectionOf(app, form.collection));
      const list = await site.allowlist.list();
      const isAllowed = list.some(
        (each) => each.pattern === pattern && (each.collection ?? collection) === collection,
      );
      if (isAllowed) return goTo(site, c, pathOf(app, "/permissions"), "host_allowed_already");
      return ask(c, app, "host", hostSubject({ pattern, collection }));
    })
    .post(`${at}/display-type`, async (c) => {
      const app = await appOf(site, c);
      const form = await formOf(c);
      const collection = collectionOf(app, form.collection);
      const traitType = traitTypeIn(form);
      const { display_type: displayType = "" } = form;
      if (!(await site.traitApproval.isPending(collection, traitType, displayType)))
        throw refused("display_type", "is not one that a hidden entry of this trait type has");
      const subject = displayTypeSubject({ collection: collectionKey(collection), traitType, displayType });
      return ask(c, app, "display_type", subject);
    });
}
