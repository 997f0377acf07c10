/** The cards of the Permissions tab: APIs, collections, and requests. */

import { collectionKey } from "../../../domain/token-ref.ts";
import type { AppRow, RequestRow } from "../../access/apps/app-store.ts";
import { ALL_COLLECTIONS } from "../../access/module.ts";
import { apiNames } from "../../http/api-names.ts";
import { Badge, Button, Card, Field, Notice, Table } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { Confirmed } from "../confirmed.tsx";
import type { Site } from "../env.ts";
import { isServed, titleOf } from "../request-subject.ts";
import { pathOf } from "./app-frame.tsx";

const Ask = ({
  site,
  app,
  kind,
  subject,
  text,
}: {
  site: Site;
  app: AppRow;
  kind: string;
  subject: string;
  text: string;
}) => (
  <form method="post" action={site.to(`${pathOf(app, "/permissions")}/${kind}`)}>
    <input type="hidden" name="subject" value={subject} />
    <Button isSlim label={words().consoleApp.permissions.labelled(text, subject)}>
      {text}
    </Button>
  </form>
);

/** Takes a permission away, after a question: requests that need it are refused at once. */
const Withdrawal = ({
  site,
  app,
  kind,
  subject,
  name = subject,
  isKnown = true,
}: {
  site: Site;
  app: AppRow;
  kind: "api" | "collection";
  subject: string;
  /** As people call it. */
  name?: string;
  /** It is served, so that the app may ask for it again. */
  isKnown?: boolean;
}) => {
  const text = words().consoleApp.permissions;
  return (
    <Confirmed
      id={`withdraw-${kind}-${subject}`}
      ask={text.withdrawAsk}
      askNamed={text.labelled(text.withdrawAsk, name)}
      question={text.withdrawQuestion(name, app.name)}
      keep={text.withdrawKeep}
      confirm={text.withdraw}
      confirmNamed={text.labelled(text.withdraw, name)}
      isSlim
      action={site.to(`${pathOf(app, "/permissions")}/withdraw/${kind}`)}
      fields={{ subject }}
    >
      <p>{isKnown ? `${text.withdrawNote} ${text.withdrawAgain}` : text.withdrawNote}</p>
    </Confirmed>
  );
};

interface Props {
  readonly site: Site;
  readonly app: AppRow;
  readonly requests: readonly RequestRow[];
  readonly isOperator: boolean;
}

const isOpen = (requests: readonly RequestRow[], kind: string, subject: string): boolean =>
  requests.some((each) => each.decidedAt === null && each.kind === kind && each.subject === subject);

export const Apis = ({ site, app, requests, isOperator }: Props) => {
  const { permissions: text, purposes } = words().consoleApp;
  return (
    <Card title={text.apis} hint={text.apisHint}>
      <Table
        caption={text.apis}
        columns={[text.columns.api, text.columns.for, text.columns.state, ""]}
        rows={apiNames.map((api) => {
          const isActive = app.apis.includes(api);
          const isAsked = isOpen(requests, "api", api);
          const state = isActive ? "active" : isAsked ? "requested" : "none";
          return [
            <code class="nowrap">{api}</code>,
            purposes[api],
            <Badge tone={isActive ? "good" : isAsked ? "warn" : "plain"}>{text.apiStates[state]}</Badge>,
            isActive
              ? isOperator && <Withdrawal site={site} app={app} kind="api" subject={api} />
              : !isAsked && (
                  <Ask site={site} app={app} kind="ask/api" subject={api} text={text.requestAccess} />
                ),
          ];
        })}
      />
    </Card>
  );
};

export const Collections = ({ site, app, requests, isOperator }: Props) => {
  const text = words().consoleApp.permissions;
  const granted = app.collections ?? [ALL_COLLECTIONS];
  const shownName = (name: string): string | undefined =>
    name === ALL_COLLECTIONS ? text.everyCollection : titleOf(site, name);
  const free = site.collections.all
    .map(collectionKey)
    .filter((name) => app.collections && !granted.includes(name));
  const options = free.map((name) => ({
    value: name,
    text: [titleOf(site, name), name].filter(Boolean).join(", "),
  }));
  const path = pathOf(app, "/permissions");
  return (
    <Card title={text.collections} hint={text.collectionsHint}>
      <Table
        empty={text.noCollections}
        caption={text.collectionsCaption}
        columns={[text.collection, text.address, ""]}
        rows={granted.map((name) => [
          shownName(name) ?? <span class="soft">{text.unnamed}</span>,
          <code>{name}</code>,
          <div class="row">
            {isServed(site, name) && (
              <a
                class="button slim"
                href={site.to(`${pathOf(app, "/collections")}/${name.replace(":", "/")}`)}
              >
                {text.editInformation}
                <span class="visually-hidden">{text.editInformationOf(name)}</span>
              </a>
            )}
            {isOperator && (
              <Withdrawal
                site={site}
                app={app}
                kind="collection"
                subject={name}
                name={name === ALL_COLLECTIONS ? words().operator.everyCollection : (shownName(name) ?? name)}
                isKnown={isServed(site, name)}
              />
            )}
          </div>,
        ])}
      />
      {options.length > 0 && (
        <>
          <form
            id="prove"
            method="post"
            action={site.to(`${path}/prove`)}
            data-message={site.to(`${path}/prove/message`)}
            data-next={site.to(`${path}?done=proved`)}
            class="inline-form"
          >
            <Field name="collection" label={text.prove} hint={text.proveHint} options={options} />
            <noscript>
              <Notice tone="warn">{words().consoleFrame.signIn.noScript}</Notice>
            </noscript>
            {/* The script puts a button for each wallet here. */}
            <p id="prove-state" class="soft" role="status" />
          </form>
          <form method="post" action={site.to(`${path}/ask/collection`)} class="inline-form">
            <div class="field">
              <label for="ask-collection">{text.orAsk}</label>
              <select id="ask-collection" name="subject">
                {options.map((option) => (
                  <option value={option.value}>
                    {isOpen(requests, "collection", option.value) ? text.askedFor(option.text) : option.text}
                  </option>
                ))}
              </select>
            </div>
            <Button>{text.ask}</Button>
          </form>
        </>
      )}
    </Card>
  );
};

export const RequestState = ({ request }: { request: RequestRow }) => {
  const text = words().consoleApp.permissions.requestStates;
  if (!request.decidedAt) return <Badge tone="warn">{text.pending}</Badge>;
  return request.isApproved ? (
    <Badge tone="good">{text.approved}</Badge>
  ) : (
    <Badge tone="bad">{text.refused}</Badge>
  );
};
